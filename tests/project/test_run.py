"""Whole runs on trees, with a predictable converter."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hipport.errors import UsageError
from hipport.files import sources
from hipport.mappings.loader import load
from hipport.project import translate
from hipport.project.request import Mode, Policy
from hipport.project.run import run_on_bytes
from hipport.project.walk import STATE
from hipport.translate.context import Context, Options
from hipport.translate.conversion import Conversion
from tests.project.fake import build, carry_out, codes, convert, mirror, names


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return tmp_path / "tree"


def content(folder: Path) -> dict[str, bytes | str]:
    return {name: str((folder / name).readlink()) if (folder / name).is_symlink() else (folder / name).read_bytes()
            for name in names(folder)}  # fmt: skip


def test_a_tree_is_mirrored(tree: Path, out: Path) -> None:
    build(tree, {"a.cu": '#include "b.cu"\ncudaX', "sub/b.cu": "cudaY", "c.cuh": "plain", "data.bin": b"\0\xffcudaZ"})
    (tree / "empty/inner").mkdir(parents=True)
    (tree / "data.bin").chmod(0o750)
    report = mirror(tree, out)
    assert content(out) == {
        "a.hip": b'#include "b.hip"\nhipX',
        "sub/b.hip": b"hipY",
        "c.cuh": b"plain",
        "data.bin": b"\0\xffcudaZ",
    }
    assert (out / "empty/inner").is_dir() and (out / "data.bin").stat().st_mode & 0o777 == 0o750
    assert report.exit_status == 0 and content(tree)["a.cu"] == b'#include "b.cu"\ncudaX'


def test_a_second_run_touches_nothing(tree: Path, out: Path) -> None:
    build(tree, {"a.cu": "cudaX", "b.h": "", "c.txt": "c", "l": "-> c.txt"})
    mirror(tree, out)
    for name in names(out):
        os.utime(out / name, (1, 1), follow_symlinks=False)
    mirror(tree, out)
    assert {(out / name).lstat().st_mtime for name in names(out)} == {1}


def test_keep_names(tree: Path, out: Path) -> None:
    build(tree, {"a.cu": '#include "b.cu"\ncudaX', "b.cu": ""})
    mirror(tree, out, keep_names=True)
    assert content(out) == {"a.cu": b'#include "b.cu"\nhipX', "b.cu": b""}


def test_in_place(tree: Path) -> None:
    build(tree, {"a.cu": "cudaX", "b.h": "plain", "c.txt": "cuda", "l.cu": "-> a.cu", "d/m": "-> ../l.cu"})
    (tree / "a.cu").chmod(0o640)
    os.utime(tree / "b.h", (1, 1))
    report = carry_out(Mode.IN_PLACE, tree)
    assert content(tree) == {"a.hip": b"hipX", "b.h": b"plain", "c.txt": b"cuda", "l.hip": "a.hip", "d/m": "../l.hip"}
    assert (tree / "a.hip").stat().st_mode & 0o777 == 0o640 and (tree / "b.h").stat().st_mtime == 1
    assert [file.source for file in report.files if file.changed] == [str(tree / n) for n in ("a.cu", "l.cu", "d/m")]
    assert not carry_out(Mode.CHECK, tree).changed


@pytest.mark.parametrize("mode", [Mode.CHECK, Mode.DIFF])
def test_modes_that_only_look(tree: Path, mode: Mode) -> None:
    build(tree, {"a.cu": "cudaX", "b.h": "plain"})
    before = content(tree)
    report = carry_out(mode, tree)
    assert content(tree) == before and report.changed
    assert report.exit_status == (mode is Mode.CHECK)


def test_check_finds_nothing_to_do(tree: Path) -> None:
    assert carry_out(Mode.CHECK, build(tree, {"a.hip": "hipX", "b.txt": "cudaX"})).exit_status == 0


def test_single_files_and_trees_together(tmp_path: Path, out: Path) -> None:
    build(tmp_path, {"one/a.cu": "", "two/a.cu": "", "three/x.cu": ""})
    carry_out(Mode.OUTPUT, tmp_path / "one", tmp_path / "two", tmp_path / "three/x.cu", folder=str(out))
    assert names(out) == ["one/a.hip", "two/a.hip", "x.hip"]


def test_output_inside_the_input(tree: Path) -> None:
    build(tree, {"a.cu": "cudaX"})
    for _ in range(2):
        mirror(tree, tree / "out")
    assert names(tree) == ["a.cu", "out/a.hip"]


def test_sources_are_never_overwritten(tmp_path: Path) -> None:
    build(tmp_path, {"src/src/a.h": "cudaX", "src/a.h": "cudaY", "b.cuh": "cudaZ"})
    before = content(tmp_path)
    for path in ("src", "b.cuh"):
        with pytest.raises(UsageError, match="would overwrite the source"):
            carry_out(Mode.OUTPUT, tmp_path / path, folder=str(tmp_path))
    assert content(tmp_path) == before


def test_a_taken_name_is_kept_and_so_are_its_namesakes(tree: Path, out: Path) -> None:
    files = {"a.cu": "cudaX", "a.hip": "old", "sub/a.cu": "cudaX", "sub/b.cu": '#include "a.cu"'}
    report = mirror(build(tree, files), out)
    assert content(out) == {"a.cu": b"hipX", "a.hip": b"old", "sub/a.cu": b"hipX", "sub/b.hip": b'#include "a.cu"'}
    assert [(d.code, d.path, d.severity.value) for d in report.diagnostics] == [
        ("HP904", str(tree / "a.cu"), "warning"),
        ("HP904", str(tree / "sub/a.cu"), "warning"),
    ]


def test_in_place_a_name_is_taken_by_ignored_files_too(tree: Path, out: Path) -> None:
    build(tree, {"a.cu": "cudaX", "a.hip": "mine", ".gitignore": "*.hip"})
    mirror(tree, out)
    assert names(out) == [".gitignore", "a.hip"] and (out / "a.hip").read_text() == "hipX"
    assert codes(carry_out(Mode.IN_PLACE, tree)) == ["HP904"]
    assert content(tree) == {"a.cu": b"hipX", "a.hip": b"mine", ".gitignore": b"*.hip"}


def test_links(tmp_path: Path, tree: Path, out: Path) -> None:
    build(tmp_path, {"outside/x.h": "secret"})
    links = {
        "to-file": "a.cu", "chain.cu": "link.cu", "link.cu": "sub/../a.cu", "to-dir": "sub", "up": "..", "top": ".",
        "absolute": str(tree / "a.cu"), "loop": "loop", "gone": "sub/nothing", "sub/back": "../a.cu",
        "out-file": "../outside/x.h", "out-dir": str(tmp_path / "outside"), "via": f"../{tree.name}/a.cu",
    }  # fmt: skip
    build(tree, {"a.cu": "cudaX", "sub/s.h": ""} | {name: f"-> {text}" for name, text in links.items()})
    report = mirror(tree, out)
    assert content(out) == {
        "a.hip": b"hipX", "sub/s.h": b"", "to-file": "a.hip", "chain.hip": "link.hip", "link.hip": "sub/../a.hip",
        "to-dir": "sub", "top": ".", "absolute": "a.hip", "loop": "loop", "gone": "sub/nothing",
        "sub/back": "../a.hip", "via": "a.hip",
    }  # fmt: skip
    assert [(d.code, Path(d.path).name) for d in report.diagnostics] == [
        ("HP903", "out-dir"), ("HP903", "out-file"), ("HP903", "up"),
    ]  # fmt: skip
    assert report.exit_status == 0


def test_a_link_with_the_suffix_of_cuda_is_renamed_whatever_it_points_to(tree: Path, out: Path) -> None:
    """CMake compiles `entry.cu`, a link to `entry.cpp`, as CUDA; as HIP it needs the suffix of HIP."""
    build(tree, {"entry.cpp": "cudaX", "entry.cu": "-> entry.cpp", "data.cu": "-> blob.bin", "blob.bin": "\0"})
    mirror(tree, out)
    assert content(out) == {
        "entry.cpp": b"hipX", "entry.hip": "entry.cpp", "data.cu": "blob.bin", "blob.bin": b"\0",
    }  # fmt: skip


def test_in_place_links_stay_unless_their_file_is_renamed(tmp_path: Path, tree: Path) -> None:
    links = {"out.h": "../outside", "top": str(tree), "via": "../tree/b.h", "code": str(tree / "a.cu"), "gone": "no"}
    build(tree, {"a.cu": "cudaX", "b.h": ""} | {name: f"-> {text}" for name, text in links.items()})
    assert carry_out(Mode.IN_PLACE, tree).diagnostics == ()
    assert content(tree) == {"a.hip": b"hipX", "b.h": b""} | links | {"code": str(tree / "a.hip")}


def test_a_name_that_grows_too_long_is_kept_by_an_option(tree: Path, out: Path) -> None:
    name = "a" * 252 + ".cu"
    build(tree, {name: "cudaX"})
    report = mirror(tree, out)
    assert codes(report) == ["HP908"] and "--keep-names" in report.diagnostics[0].advice
    assert mirror(tree, out, keep_names=True).exit_status == 0 and content(out)[name] == b"hipX"


def test_output_links_that_lead_out_are_not_followed(tmp_path: Path, tree: Path, out: Path) -> None:
    build(tmp_path, {"outside/x.h": "keep"})
    build(out, {"sub": "-> ../outside", "y.h": "-> ../outside/x.h"})
    build(tree, {"sub/x.h": "cudaX", "y.h": "cudaY", "z.h": "cudaZ"})
    report = mirror(tree, out, policy=Policy.FORCE)
    assert (tmp_path / "outside/x.h").read_text() == "keep" and (out / "z.h").read_text() == "hipZ"
    assert set(codes(report)) == {"HP908"} and report.exit_status == 1
    assert [file.failed for file in report.files] == [True, False, True]


def test_unreadable_files_fail_alone(tree: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tree, {"a.cu": "cudaX", "b.cu": "cudaX", "c.txt": "", "d.cu": "cudaX"})
    refused = {str(tree / "b.cu"), str(tree / "c.txt")}
    opener = sources.open_regular

    def refuse(path: str, buffering: int = -1) -> object:
        if path in refused:
            raise PermissionError(13, "Permission denied")
        return opener(path, buffering)

    monkeypatch.setattr(sources, "open_regular", refuse)
    report = mirror(tree, out)
    assert names(out) == ["a.hip", "d.hip"]
    assert [(d.code, d.path) for d in report.diagnostics] == [("HP901", path) for path in sorted(refused)]
    assert report.exit_status == 1


def test_a_file_that_goes_away_meanwhile(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tree, {"a.cu": "cudaX", "b.h": "cudaX"})

    def gone(path: str) -> bytes:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(sources, "read", gone)
    report = carry_out(Mode.IN_PLACE, tree)
    assert codes(report) == ["HP901", "HP901"] and names(tree) == ["a.cu", "b.h"] and not report.changed


def test_binary_and_enormous_sources_are_copied(tree: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "LARGEST", 100)
    files = {
        "blob.cu": b"cuda\0",
        "big.cu": b"cuda" * 26,
        "fits.h": b"cudaX" * 20,
        "blob.dat": b"\0",
        "big.txt": b"x" * 200,
    }
    report = mirror(build(tree, files), out)
    assert content(out) == files | {"fits.h": b"hip" + b"Xcuda" * 19 + b"X"}
    assert [(d.code, Path(d.path).name, d.severity.value) for d in report.diagnostics] == [
        ("HP902", "big.cu", "error"),
        ("HP906", "blob.cu", "warning"),
    ]


def test_a_defect_costs_one_file(tree: Path, out: Path) -> None:
    report = mirror(build(tree, {"a.cu": "cudaX", "b.cu": "cudaX RAISE", "c.cu": "cudaX"}), out, jobs=1)
    assert content(out) == {"a.hip": b"hipX", "b.hip": b"cudaX RAISE", "c.hip": b"hipX"}
    assert [d.message for d in report.diagnostics] == ["internal error: RecursionError: too deep"]
    assert report.exit_status == 1


def test_a_lack_of_memory_is_no_internal_error() -> None:
    def fails(data: bytes, name: str, context: Context) -> Conversion:
        raise MemoryError

    outcome = translate.translate_bytes(b"x" * (3 << 19), "a.cu", Context(load()), fails)
    assert [found.code for found in outcome.diagnostics] == ["HP902"]
    assert "its 1.5 MiB need more memory" in outcome.diagnostics[0].message


def test_a_crash_costs_one_file(tree: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translate, "_WORTH_A_PROCESS", 1)
    files: dict[str, str | bytes] = {f"{n}.cu": "cudaX CRASH" if n % 4 == 1 else "cudaX" for n in range(12)}
    report = mirror(build(tree, files), out, jobs=3)
    assert content(out) == {
        name.replace("cu", "hip"): b"hipX" if text == "cudaX" else b"cudaX CRASH" for name, text in files.items()
    }
    assert codes(report) == ["HP905"] * 3


def test_names_of_the_project_stay_where_they_are_seen(tree: Path, out: Path) -> None:
    files = {
        "inc/own.h": "define cudaOwn cudaOwn cudaX", "inc/all.h": '#include "own.h"',
        "src/a.cu": '#include "all.h"\ncudaOwn cudaX', "src/b.cu": "cudaOwn",
    }  # fmt: skip
    mirror(build(tree, files), out)
    assert content(out) == {
        "inc/own.h": b"define cudaOwn cudaOwn hipX", "inc/all.h": b'#include "own.h"',
        "src/a.hip": b'#include "all.h"\ncudaOwn hipX', "src/b.hip": b"hipOwn",
    }  # fmt: skip


def test_a_single_file_to_standard_output(tree: Path) -> None:
    build(tree, {"a.cu": "cudaX", "a.hip": "", "b.h": "plain", "c.md": "cudaX", "d.cu": "\0"})
    assert [file.after for file in carry_out(Mode.STDOUT, tree / "a.cu").files] == [b"hipX"]
    assert [file.after for file in carry_out(Mode.STDOUT, tree / "b.h").files] == [b"plain"]
    assert codes(carry_out(Mode.STDOUT, tree / "a.cu")) == []
    assert codes(carry_out(Mode.STDOUT, tree / "d.cu")) == ["HP906"]
    with pytest.raises(UsageError, match="not a CUDA source"):
        carry_out(Mode.STDOUT, tree / "c.md")


def test_bytes_that_are_in_no_file() -> None:
    report = run_on_bytes(b"cudaX\nREPORT", "<stdin>", Options(), convert=convert)
    assert report.files[0].after == b"hipX\nREPORT" and report.exit_status == 1
    assert [(d.path, d.line) for d in report.diagnostics] == [("<stdin>", 2)]


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=12).map(
    os.fsencode
) | st.binary(min_size=1, max_size=12)
ODD = NAMES.filter(lambda name: not {0, 47} & set(name) and name not in (b".", b"..", b".git", b".gitignore"))


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(ODD, st.binary(max_size=30), min_size=1, max_size=5), st.sampled_from([b"", b".h", b".cu"]))
def test_any_names_any_bytes(files: dict[bytes, bytes], suffix: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        tree, out = Path(folder, "tree"), Path(folder, "out")
        tree.mkdir()
        for name, data in files.items():
            (tree / os.fsdecode(name + suffix)).write_bytes(data)
        report = mirror(tree, out)
        got = {os.fsencode(path.name): path.read_bytes() for path in out.iterdir() if path.name != STATE}
        binary = {Path(d.path).name for d in report.diagnostics}
    new = b".hip" if suffix == b".cu" else suffix
    expected = {}
    for name, data in files.items():
        kept = os.fsdecode(name + suffix) in binary
        expected[name + (suffix if kept or name.strip(b".") == b"" else new)] = data
    assert got == expected
