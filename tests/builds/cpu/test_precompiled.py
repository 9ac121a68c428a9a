"""The compiled headers of the CPU target in the user's cache."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest

from hipport.builds.cpu.commands import CpuPlanner
from hipport.builds.cpu.compiler import CxxCompiler
from hipport.builds.cpu.options import CpuOptions
from hipport.builds.cpu.precompiled import HEADERS, CachedFile, cached
from hipport.builds.request import CompileSettings, Language, OutputKind, Unit
from hipport.builds.shipped import cache_folder
from hipport.errors import HipportError
from tests.cpu.conftest import build

# Appends to the log; the headers that it reads are those in the variable HEADERS.
COMPILER = """#!/bin/sh
echo "$@" >> "$(dirname "$0")/log"
while [ $# -gt 0 ]; do
  case $1 in -MF) rule=$2 ;; -o) output=$2 ;; -bad) echo "x.h:1:2: error: no such type" >&2; exit 1 ;; esac
  shift
done
echo "headers: $HEADERS" > "$rule"
echo compiled > "$output"
"""


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A compiler that keeps a log beside it."""
    header = tmp_path / "some.h"
    header.write_text("int x;\n")
    monkeypatch.setenv("HEADERS", str(header))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "clang++"
    path.write_text(COMPILER)
    path.chmod(0o755)
    return path


def headers(compiler: Path, *flags: str) -> CachedFile:
    found = cached(HEADERS, (str(compiler), *flags), compiler)
    assert found is not None
    return found


def runs(compiler: Path) -> int:
    log = compiler.parent / "log"
    return len(log.read_text().splitlines()) if log.exists() else 0


def test_they_are_compiled_once(compiler: Path) -> None:
    assert not headers(compiler).is_current()
    headers(compiler).provide()
    headers(compiler).provide()
    assert runs(compiler) == 1
    assert headers(compiler).output.read_text() == "compiled\n"


def test_a_header_replaced_by_an_older_one_is_noticed(compiler: Path) -> None:
    headers(compiler).provide()
    time.sleep(0.05)  # file systems stamp changes by ticks of some milliseconds
    os.utime(compiler.parent / "some.h", (1, 1))  # as a package manager sets it
    headers(compiler).provide()
    assert runs(compiler) == 2
    (compiler.parent / "some.h").unlink()
    assert not headers(compiler).is_current()


def test_options_and_compilers_have_their_own(compiler: Path) -> None:
    folders = {headers(compiler).folder, headers(compiler, "-O1").folder}
    compiler.write_text(f"{COMPILER}# the next release\n")
    assert len(folders | {headers(compiler).folder}) == 3


def test_those_that_were_not_used_for_long_are_removed(compiler: Path) -> None:
    all_headers = [headers(compiler, f"-D{number}") for number in range(HEADERS.kept + 2)]
    for age, one in enumerate(reversed(all_headers)):
        one.provide()
        os.utime(one.folder / "used", (1000 - age, 1000 - age))
    last = f"-D{HEADERS.kept + 1}"
    headers(compiler, last).provide()
    assert len(list(all_headers[0].folder.parent.iterdir())) == HEADERS.kept
    assert headers(compiler, last).is_current()


def test_a_failure_is_one_error_and_leaves_nothing(compiler: Path) -> None:
    bad = headers(compiler, "-bad")
    with pytest.raises(HipportError, match=r"do not compile\n  x\.h:1:2: error: no such type"):
        bad.provide()
    assert not list(bad.folder.glob("*.pch"))


def test_without_a_writable_cache_there_are_none(compiler: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(compiler / "below a file"))
    assert cached(HEADERS, (str(compiler),), compiler) is None


def planner(compiler: Path, settings: CompileSettings) -> CpuPlanner:
    clang = CxxCompiler(compiler, "clang++")
    return CpuPlanner(clang, settings, CpuOptions(), "out", OutputKind.EXECUTABLE, precompile=True)


def test_units_use_them_whatever_the_project_s_folders(compiler: Path) -> None:
    one = planner(compiler, CompileSettings(include_dirs=("a",))).with_cache()
    assert one.cached == planner(compiler, CompileSettings(include_dirs=("b",))).with_cache().cached
    own = planner(compiler, CompileSettings(defines=("-DTILE=16", "-UHEIGHT"), debug=True, optimize="2")).with_cache()
    assert (one.cached, one.linked) == (own.cached, own.linked)
    for flag in ("-DNDEBUG", "-D_GLIBCXX_DEBUG", "-DHIPPORT_NO_REGIONS", "-U__AVX2__"):
        other = planner(compiler, CompileSettings(defines=(flag,))).with_cache()
        assert one.cached != other.cached
        assert one.linked != other.linked
    assert one.cached is not None
    hip, cxx, _ = one.plan([Unit("a.hip", "a.hip", "a", Language.HIP), Unit("b.cpp", "b.cpp", "b", Language.CXX)]).steps
    assert str(one.cached.output) in hip.inputs and "-include-pch" in hip.command
    assert "-include-pch" not in cxx.command


@pytest.mark.parametrize(
    ("kind", "options", "linked"),
    [
        (OutputKind.EXECUTABLE, CpuOptions(), ["runtime.o"]),
        (OutputKind.FAT_BINARY, CpuOptions(), ["runtime.o"]),
        (OutputKind.STATIC, CpuOptions(), []),
        (OutputKind.SHARED, CpuOptions(sanitizers=("kernels",)), ["checks.o"]),
        (OutputKind.EXECUTABLE, CpuOptions(lockstep=True), ["checks.o"]),
        (OutputKind.EXECUTABLE, CpuOptions(sanitizers=("address",)), []),
    ],
)
def test_objects_of_the_cache_are_linked(
    compiler: Path, kind: OutputKind, options: CpuOptions, linked: list[str]
) -> None:
    one = replace(planner(compiler, CompileSettings()), kind=kind, options=options).with_cache()
    unit, *others, link = one.plan([Unit("a.hip", "a.hip", "a", Language.HIP)]).steps
    assert [each.output.name for each in one.linked] == linked
    assert not others
    assert {str(each.output) for each in one.linked} == {name for name in link.command if "/cache/" in name}
    assert ("-DHIPPORT_RUNTIME_OBJECT=0" in unit.command) == (linked == ["runtime.o"])


def test_units_of_gcc_share_the_runtime_only(compiler: Path) -> None:
    one = replace(planner(compiler, CompileSettings()), compiler=CxxCompiler(compiler, "g++")).with_cache()
    unit, link = one.plan([Unit("a.hip", "a.hip", "a", Language.HIP)]).steps
    (runtime,) = one.linked
    assert one.cached is None and "-fno-gnu-unique" in runtime.command
    assert "-DHIPPORT_RUNTIME_OBJECT=0" in unit.command and "-include-pch" not in unit.command
    assert str(runtime.output) in link.command


def test_headers_forced_by_the_user_come_first(compiler: Path) -> None:
    forced = planner(compiler, CompileSettings(both=("-include", "x.h")))
    launched = replace(planner(compiler, CompileSettings()), precompile=False)
    for one in (forced, launched):
        assert one.with_cache() == one


@pytest.mark.slow
@pytest.mark.toolchain
def test_a_program_is_built_with_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The headers are compiled for it; the runtime, which takes as long, may be there already."""
    runtime = cache_folder("cpu-runtime")
    runtime.mkdir(parents=True, exist_ok=True)
    (tmp_path / "cache/hipport").mkdir(parents=True)
    (tmp_path / "cache/hipport/cpu-runtime").symlink_to(runtime)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source = tmp_path / "x.hip"
    source.write_text("__global__ void k() {}\nint main() { k<<<1, 1>>>(); return hipDeviceSynchronize(); }\n")
    for _ in range(2):
        done = build(tmp_path, [source], "--compiler", "clang++", "-O", "0")
        assert done.returncode == 0, done.stderr
        shutil.rmtree(tmp_path / "program.build")
    assert len(list((tmp_path / "cache/hipport/cpu-headers").glob("*/headers.pch"))) == 1


def test_headers_are_current_though_their_source_is_one_of_them(
    compiler: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    headers = cached(HEADERS, (str(compiler),), compiler)
    assert headers is not None
    monkeypatch.setenv("HEADERS", f"{tmp_path / 'some.h'} {headers.folder / 'headers.h'}")
    stamp = os.utime

    def late(*arguments: object, **more: object) -> None:
        time.sleep(0.02)  # more than a tick of the clock that stamps files
        stamp(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "utime", late)
    headers.provide()
    assert headers.is_current()
