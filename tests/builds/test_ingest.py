from __future__ import annotations

import re
from pathlib import Path

import pytest

from hipport.builds.ingest import Ingested, Translator, ingest, is_toolkit
from hipport.mappings.loader import load
from hipport.translate.context import Context
from hipport.translate.conversion import Conversion

CONTEXT = Context(load())
INCLUDE = re.compile(r'#include ["<](.+)[">]')
DEFINE = re.compile(r"void (cuda\w+)\(\)")


def convert(data: bytes, name: str, context: Context) -> Conversion:
    """A converter that only renames cudaX to hipX, unless it is foreign."""
    text = data.decode()
    return Conversion(
        re.sub(r"cuda(\w+)", lambda m: m[0] if m[0] in context.foreign else f"hip{m[1]}", text).encode(),
        defines=frozenset(DEFINE.findall(text)),
        uses=frozenset(re.findall(r"cuda\w+", text)),
        includes=tuple(INCLUDE.findall(text)),
    )


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tree(**files: str) -> None:
    for name, text in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def run(*sources: str, include_dirs: tuple[str, ...] = ()) -> Ingested:
    return ingest(sources, include_dirs, "b/t", Translator(convert, CONTEXT))


def files(ingested: Ingested) -> dict[str, str]:
    return {path: data.decode().partition("\n")[2] for path, data in ingested.files}


def test_headers_come_along_and_lie_where_they_lay() -> None:
    tree(
        **{"src/a.cu": '#include "../inc/k.h"\ncudaX', "inc/k.h": '#include "l.h"', "inc/l.h": "cudaY", "inc/no.h": ""}
    )
    found = run("src/a.cu")
    assert found.units == {"src/a.cu": "b/t/src/a.cu"}
    assert files(found) == {
        "b/t/src/a.cu": '#include "../inc/k.h"\nhipX',
        "b/t/inc/k.h": '#include "l.h"',
        "b/t/inc/l.h": "hipY",
    }


def test_include_folders_are_mirrored_even_above_the_sources() -> None:
    tree(**{"src/a.cu": '#include <src/k.h>\n#include "m.h"', "src/k.h": "cudaX", "other/m.h": "cudaY"})
    found = run("src/a.cu", include_dirs=(".", "other", "missing"))
    assert set(files(found)) == {"b/t/src/a.cu", "b/t/src/k.h", "b/t/other/m.h"}
    assert found.include_dirs == ("b/t", "b/t/other")


def test_errors_will_name_the_file_as_the_user_did() -> None:
    tree(**{"src/a.cu": '#include "k.h"', "src/k.h": ""})
    assert [data.partition(b"\n")[0] for _, data in run("src/a.cu").files] == [
        b'#line 1 "src/a.cu"',
        b'#line 1 "src/k.h"',
    ]


def test_names_that_a_header_defines_stay() -> None:
    tree(**{"a.cu": '#include "k.h"\ncudaMine cudaOther', "k.h": '#include "l.h"', "l.h": "void cudaMine()"})
    assert files(run("a.cu"))["b/t/a.cu"] == '#include "k.h"\ncudaMine hipOther'


def test_headers_that_include_each_other_end() -> None:
    tree(**{"a.cu": '#include "b.h"', "b.h": '#include "c.h"', "c.h": '#include "b.h"'})
    assert set(files(run("a.cu"))) == {"b/t/a.cu", "b/t/b.h", "b/t/c.h"}


def test_host_sources_are_translated_only_where_that_changes_something() -> None:
    tree(**{"a.cpp": '#include "k.h"', "k.h": "cudaX", "b.cpp": '#include "l.h"', "l.h": "int x;", "c.cpp": "cudaY"})
    assert run("a.cpp", "b.cpp", "c.cpp").units == {"a.cpp": "b/t/a.cpp", "c.cpp": "b/t/c.cpp"}
    assert set(files(run("a.cpp", "b.cpp"))) == {"b/t/a.cpp", "b/t/k.h"}


def test_hip_sources_and_plain_projects_are_left_alone() -> None:
    tree(**{"a.hip": '#include "k.h"\ncudaX', "k.h": "cudaY", "b.cpp": "int x;"})
    assert run("a.hip", "b.cpp") == Ingested(read=("b.cpp",))


def test_system_folders_are_not_the_project(here: Path) -> None:
    tree(**{"a.cu": "#include <stdio.h>"})
    found = run("a.cu", include_dirs=("/usr/include",))
    assert (set(files(found)), found.include_dirs) == ({"b/t/a.cu"}, ())


def test_a_toolkit_folder_is_known_by_its_headers() -> None:
    tree(**{"cuda/include/cuda_runtime.h": "", "inc/mine.h": ""})
    assert is_toolkit("cuda/include")
    tree(**{"src/cuda.h": ""})
    assert not is_toolkit("inc") and not is_toolkit("missing") and not is_toolkit("src")


def test_headers_of_rocm_in_a_named_folder_stay() -> None:
    mark = {"rocm/thrust/system/hip/config.h": "", "own/thrust/mine.h": "cudaZ"}
    tree(
        **{
            "a.cu": '#include <thrust/sort.h>\n#include "mine.h"',
            "rocm/thrust/sort.h": "cudaX",
            "rocm/mine.h": "cudaY",
            **mark,
        }
    )
    found = run("a.cu", include_dirs=("rocm",))
    assert set(files(found)) == {"b/t/a.cu", "b/t/rocm/mine.h"}
    tree(**{"b.cu": "#include <thrust/mine.h>"})
    assert set(files(run("b.cu", include_dirs=("rocm", "own")))) == {"b/t/b.cu", "b/t/own/thrust/mine.h"}
