"""The cache of parsed units: which units are parsed again after which change, and which changes do not matter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from hipport.project.request import ConvertRequest, Mode, Semantic
from hipport.project.run import run
from hipport.semantic import cache as answer_cache
from hipport.semantic import libclang, stubs, unit
from hipport.semantic import run as semantic_run
from hipport.semantic.project import meanings_of
from hipport.semantic.unit import Setup, UnitAnswers, UnitJob
from hipport.translate.context import Options
from tests.semantic.trees import NAMES, ROOT, contents, convert, write

FILES = {
    "in/a.cpp": '#include "own.h"\nusing own::cudaFree;\nvoid f(int* p) { cudaFree(p); }\n',
    "in/b.cpp": '#include <lib/plain.h>\nextern "C" int cudaFree(void*);\nvoid g(void* p) { cudaFree(p); }\n',
    "in/own.h": "#pragma once\nnamespace own { int cudaFree(int*); }\n",
    "lib/lib/plain.h": "struct plain {};\n",
    "early/lib/readme.txt": "",
}
"""A unit with a header of the project's, one with a header outside it."""

Parsed = Callable[[], list[str]]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The user's cache folder, with compiled tables in it, because compiling them takes long."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def parsed(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Parsed:
    """A function that returns the names of the units parsed since its last call."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    for left in cache.glob("hipport/units-*"):
        left.rmdir() if left.is_dir() else left.unlink()
    found: list[str] = []
    read = semantic_run._read

    def watched(setup: Setup, units: Sequence[UnitJob], jobs: int | None) -> list[UnitAnswers]:
        found.extend(Path(each.source).name for each in units)
        return read(setup, units, jobs)

    def taken() -> list[str]:
        names, found[:] = sorted(found), []
        return names

    monkeypatch.setattr(semantic_run, "_read", watched)
    monkeypatch.setattr(semantic_run, "write_stubs", lambda *arguments: None)  # takes longer than these units
    return taken


def flags(tmp_path: Path, *more: str) -> Semantic:
    return Semantic(flags=(f"-I{tmp_path}/early", f"-I{tmp_path}/lib", *more))


def ask(tmp_path: Path, *more: str) -> dict[str, str]:
    convert(tmp_path / "in", tmp_path / "out", flags(tmp_path, *more))
    return contents(tmp_path / "out")


def test_an_unchanged_tree_is_not_parsed(parsed: Parsed, tmp_path: Path) -> None:
    write(tmp_path, FILES)
    first = ask(tmp_path)
    assert parsed() == ["a.cpp", "b.cpp"]
    assert " cudaFree(p)" in first["a.cpp"] and "hipFree(p)" in first["b.cpp"]
    for _ in range(2):
        assert ask(tmp_path) == first
        assert parsed() == []
    convert(tmp_path / "in", tmp_path / "elsewhere", flags(tmp_path))
    assert contents(tmp_path / "elsewhere") == first
    assert parsed() == []


@pytest.mark.parametrize(
    ("change", "units"),
    [
        ({"in/a.cpp": FILES["in/a.cpp"] + "\n"}, ["a.cpp"]),
        ({"in/own.h": FILES["in/own.h"] + "\n"}, ["a.cpp"]),
        ({"lib/lib/plain.h": "struct changed {};\n"}, ["b.cpp"]),  # outside the tree
        ({"early/lib/plain.h": "struct plain {};\n"}, ["b.cpp"]),  # found before the one that was
        ({"early/lib/other.h": "struct plain {};\n", "in/lone.h": "int cudaFree;\n"}, []),
        ({"in/c.cpp": '#include "own.h"\nint cudaFree;\n'}, ["c.cpp"]),
    ],
)
def test_exactly_what_a_change_reaches_is_parsed(
    change: dict[str, str], units: list[str], parsed: Parsed, tmp_path: Path
) -> None:
    write(tmp_path, FILES)
    ask(tmp_path)
    parsed()
    write(tmp_path, change)
    ask(tmp_path)
    assert parsed() == units
    ask(tmp_path)
    assert parsed() == []


def test_a_change_that_leaves_size_and_date_is_found(parsed: Parsed, tmp_path: Path) -> None:
    write(tmp_path, FILES)
    before = ask(tmp_path)
    parsed()
    header = tmp_path / "in/own.h"
    times = (header.stat().st_atime_ns, header.stat().st_mtime_ns)
    header.write_text(FILES["in/own.h"].replace("cudaFree", "cudaFrei"))
    os.utime(header, ns=times)
    assert ask(tmp_path) != before
    assert parsed() == ["a.cpp"]


def test_headers_made_of_the_tables(parsed: Parsed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(semantic_run, "write_stubs", stubs.write_stubs)
    monkeypatch.setattr(semantic_run, "cuda_include_dirs", lambda where: ())
    write(tmp_path, {"in/a.cu": "#include <cublas_v2.h>\nvoid f(void* p) { cudaFree(p); }\n"})
    first = ask(tmp_path)
    assert parsed() == ["a.cu"]
    write(tmp_path, {"in/b.cu": "#include <cusparse.h>\nvoid f(void* p) { cudaFree(p); }\n"})
    assert ask(tmp_path)["a.hip"] == first["a.hip"]
    assert parsed() == ["b.cu"]
    monkeypatch.setattr(semantic_run, "cuda_include_dirs", lambda where: (tmp_path / "cuda",))
    ask(tmp_path)
    assert parsed() == ["a.cu", "b.cu"]


def test_what_touch_does_is_no_change(parsed: Parsed, tmp_path: Path) -> None:
    write(tmp_path, FILES)
    ask(tmp_path)
    parsed()
    for name in FILES:
        (tmp_path / name).touch()
    ask(tmp_path)
    assert parsed() == []


def test_a_missing_header_that_appears(parsed: Parsed, tmp_path: Path) -> None:
    write(tmp_path, FILES)
    (tmp_path / "in/own.h").unlink()
    assert "hipFree(p)" in ask(tmp_path)["a.cpp"]
    parsed()
    write(tmp_path, {"lib/own.h": FILES["in/own.h"]})
    assert " cudaFree(p)" in ask(tmp_path)["a.cpp"]
    assert parsed() == ["a.cpp"]


def test_a_header_that_becomes_the_projects_own(parsed: Parsed, tmp_path: Path) -> None:
    write(tmp_path, {name.replace("in/own.h", "lib/own.h"): text for name, text in FILES.items()})
    assert "own.h" not in ask(tmp_path)
    parsed()
    write(tmp_path, FILES)
    assert "cudaFree(int*)" in ask(tmp_path)["own.h"]
    assert parsed() == ["a.cpp"]


def test_flags_of_one_unit(parsed: Parsed, tmp_path: Path) -> None:
    write(tmp_path, FILES)

    def ask_database(a: str, b: str) -> None:
        entries = [
            {"directory": str(tmp_path), "file": f"in/{name}.cpp", "command": f"c++ -Ilib {more} in/{name}.cpp"}
            for name, more in (("a", a), ("b", b))
        ]
        (tmp_path / "compile_commands.json").write_text(json.dumps(entries))
        convert(tmp_path / "in", tmp_path / "out", Semantic(str(tmp_path)))

    ask_database("-DN=1", "")
    assert parsed() == ["a.cpp", "b.cpp"]
    ask_database("-DN=2 -O3", "-O3")  # -O3 matters to no name
    assert parsed() == ["a.cpp"]


def test_a_unit_that_is_removed_is_forgotten(parsed: Parsed, tmp_path: Path) -> None:
    write(tmp_path, FILES)
    ask(tmp_path)
    (tmp_path / "in/a.cpp").unlink()
    ask(tmp_path)
    write(tmp_path, FILES)
    parsed()
    ask(tmp_path)
    assert parsed() == ["a.cpp"]


def test_another_libclang_is_asked_anew(parsed: Parsed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, FILES)
    ask(tmp_path)
    parsed()
    monkeypatch.setattr(libclang, "version", lambda: "clang version 99")
    ask(tmp_path)
    assert parsed() == ["a.cpp", "b.cpp"]


def only_file(cache: Path) -> Path:
    (path,) = cache.glob("hipport/units-*")
    return path


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "gone", "folder", "writable"])
def test_a_damaged_cache_is_as_good_as_none(damage: str, parsed: Parsed, cache: Path, tmp_path: Path) -> None:
    write(tmp_path, FILES)
    first = ask(tmp_path)
    parsed()
    path = only_file(cache)
    data = path.read_bytes()
    path.unlink()
    if damage == "folder":
        path.mkdir(mode=0o700)
    elif damage != "gone":
        flipped = data[:99] + bytes([data[99] ^ 1]) + data[100:]
        path.write_bytes({"cut": data[: len(data) // 2], "empty": b"", "flipped": flipped}.get(damage, data))
        path.chmod(0o666 if damage == "writable" else 0o600)
    assert ask(tmp_path) == first
    assert parsed() == ["a.cpp", "b.cpp"]


def test_no_more_is_kept_than_there_is_room_for(
    parsed: Parsed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, FILES)
    ask(tmp_path)
    parsed()
    monkeypatch.setattr(answer_cache, "_MOST", 14)  # of which a.cpp needs 11
    write(tmp_path, {"in/a.cpp": FILES["in/a.cpp"] + "\n"})
    ask(tmp_path)
    assert parsed() == ["a.cpp"]
    ask(tmp_path)
    assert parsed() == ["b.cpp"]


def test_a_unit_that_failed_is_tried_again(parsed: Parsed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unit, "_SECONDS", 2)
    write(tmp_path, {**FILES, "in/hangs.cpp": '#include "pipe.h"\nint cudaFree;\n'})
    os.mkfifo(tmp_path / "in/pipe.h")
    ask(tmp_path)
    assert parsed() == ["a.cpp", "b.cpp", "hangs.cpp"]
    (tmp_path / "in/pipe.h").unlink()
    ask(tmp_path)
    assert parsed() == ["hangs.cpp"]


@pytest.mark.parametrize("mode", [Mode.CHECK, Mode.DIFF])
def test_runs_that_write_nothing_keep_what_they_learned(mode: Mode, parsed: Parsed, tmp_path: Path) -> None:
    write(tmp_path, FILES)
    request = ConvertRequest((str(tmp_path / "in"),), mode, Options(), NAMES, jobs=1, semantic=flags(tmp_path))
    reports = [run(request, lambda done, total: None, find_meanings=meanings_of) for _ in range(2)]
    assert reports[0] == reports[1]
    assert parsed() == ["a.cpp", "b.cpp"]
    ask(tmp_path)
    assert parsed() == []


def test_two_runs_at_once(parsed: Parsed, cache: Path, tmp_path: Path) -> None:
    write(tmp_path, FILES)
    arguments = ["convert", "in", "--semantic", "-Iearly", "-Ilib", "--rocm", "7.2", "--check"]
    runs = [
        subprocess.Popen(
            [sys.executable, "-m", "hipport", *arguments],
            cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for _ in range(2)
    ]  # fmt: skip
    said = [(each.communicate(timeout=120), each.returncode) for each in runs]
    assert said[0] == said[1] and said[0][1] == 1, said
    assert only_file(cache).suffix == ".bin"
    ask(tmp_path)
    assert parsed() == ["a.cpp", "b.cpp"]  # another folder, other options: what the two kept is for them alone
