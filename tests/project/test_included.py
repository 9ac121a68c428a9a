"""Files that sources include are translated, whatever they are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.project.request import Mode
from tests.project.fake import build, carry_out, codes, mirror

MAIN = '#include "{}"\ncudaX\n'


@pytest.mark.parametrize("name", ["k.hu", "k.cuinc", "k.def", "list", "sub/k.x", "k.h.in", "Upper.DEF", "k.cu.h.txt"])
def test_an_included_file_is_translated_by_any_name(tmp_path: Path, name: str) -> None:
    build(tmp_path / "tree", {"a.cu": MAIN.format(name.removesuffix(".in")), name: "cudaY"})
    mirror(tmp_path / "tree", tmp_path / "out")
    assert (tmp_path / "out" / name).read_text() == "hipY"


@pytest.mark.parametrize("suffix", [".in", ".cmake", ".cmake.in", ".cmakein", ".template", ".tmpl"])
def test_the_template_of_an_included_file_is_translated(tmp_path: Path, suffix: str) -> None:
    template = f"config.hpp{suffix}"
    build(tmp_path / "tree", {"a.cu": MAIN.format("config.hpp"), template: '#include "cufft.h"\ncudaY'})
    mirror(tmp_path / "tree", tmp_path / "out")
    assert (tmp_path / "out" / template).read_text().endswith("hipY")


def test_backslashes_in_an_operand_are_slashes(tmp_path: Path) -> None:
    build(tmp_path / "tree", {"a.cu": '#include "sub\\k.hu"\ncudaX\n', "sub/k.hu": "cudaY"})
    mirror(tmp_path / "tree", tmp_path / "out")
    assert (tmp_path / "out" / "sub/k.hu").read_text() == "hipY"


def test_included_files_are_followed_to_any_depth_and_through_macros(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.cu": '#define LIST "lists/all.def"\n#include LIST\n',
        "lists/all.def": '# include <more>\n#include "../one"\ncudaY',
        "one": "cudaY",
        "more": "cudaY",
        "three": "cudaY",
        "other/more": "cudaY",
    }
    build(tmp_path / "tree", files)
    mirror(tmp_path / "tree", tmp_path / "out")
    changed = {name for name in files if b"hip" in (tmp_path / "out" / name.replace(".cu", ".hip")).read_bytes()}
    assert changed == {"lists/all.def", "one", "more"} or changed == {"lists/all.def", "one", "other/more"}


def test_what_is_not_text_or_not_included_is_copied(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.cu": MAIN.format("data"),
        "data": b"\0cudaY",
        "notes.txt": "cudaY",
        "k.def": "cudaY",
    }
    build(tmp_path / "tree", files)
    mirror(tmp_path / "tree", tmp_path / "out")
    assert all(
        (tmp_path / "out" / name).read_bytes() == (tmp_path / "tree" / name).read_bytes() for name in list(files)[1:]
    )


def test_an_included_file_outside_the_folder_is_reported(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "common/check.h": "cudaGetLastError();",
        "common/plain.h": "int x;",
        "tree/a.cu": '\n  #include "../common/check.h"\n#include "../common/plain.h"\n#include "../common/none.h"\n',
    }
    build(tmp_path, files)
    report = carry_out(Mode.CHECK, tmp_path / "tree")
    (found,) = report.diagnostics
    assert (found.code, found.line, found.column) == ("HP121", 2, 12) and "../common/check.h" in found.message
    assert codes(carry_out(Mode.CHECK, tmp_path)) == []


def test_a_file_of_an_ignored_folder_is_reported_unless_it_is_not_ignored(tmp_path: Path) -> None:
    build(tmp_path, {".gitignore": "made/\n", "made/m.h": "cudaFree(p);", "a.cu": MAIN.format("made/m.h")})
    assert codes(carry_out(Mode.CHECK, tmp_path)) == ["HP121"]
    assert codes(carry_out(Mode.CHECK, tmp_path, gitignore=False)) == []


def test_ignored_files_that_sources_include_at_any_depth_are_converted(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        ".gitignore": "tmp.*\n*.o\n",
        "src/tmp.h": "#include <deep/tmp.cuh>\n",
        "src/deep/tmp.cuh": "inline void f(void* p) { cudaFree(p); }\n",
        "src/other/tmp.cuh": "inline void g(void* p) { cudaFree(p); }\n",
        "src/unused/tmp.inl": "cudaFree(p);\n",
        "src/a.o": "",
        "src/a.cu": MAIN.format("tmp.h"),
    }
    build(tmp_path / "tree", files)
    mirror(tmp_path / "tree", tmp_path / "out")
    written = {str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out" / "src").rglob("*.*")}
    assert written == {"src/a.hip", "src/tmp.h", "src/deep/tmp.cuh"}
    assert "hipFree" in (tmp_path / "out/src/deep/tmp.cuh").read_text()


def test_a_file_of_the_tree_is_preferred_to_an_ignored_one(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        ".gitignore": "/made.h\n",
        "made.h": "int ignored;\n",
        "src/made.h": "int kept;\n",
        "src/a.cu": MAIN.format("made.h"),
    }
    build(tmp_path / "tree", files)
    mirror(tmp_path / "tree", tmp_path / "out")
    assert not (tmp_path / "out/made.h").exists()
