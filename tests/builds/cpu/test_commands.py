"""Options of a build for the CPU, and the resulting commands."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hipport.builds.cpu.commands import CpuPlanner
from hipport.builds.cpu.compiler import CxxCompiler, find_compiler
from hipport.builds.cpu.options import CpuOptions, cpu_options
from hipport.builds.request import CompileSettings, Language, OutputKind, Unit
from hipport.errors import HipportError, UsageError
from hipport.toolchain.hosts import HOSTS
from hipport.toolchain.places import Surroundings
from hipport.toolchain.target_id import parse_list


@pytest.mark.parametrize(("targets", "wave"), [("gfx1100", 32), ("gfx90a", 64), ("gfx942,gfx90a", 64), ("", 64)])
def test_the_wave_size_is_that_of_the_target(targets: str, wave: int) -> None:
    assert cpu_options(None, parse_list([targets]) if targets else (), ()).wave_size == wave
    assert cpu_options(32, parse_list([targets]) if targets else (), ()).wave_size == 32


def test_targets_of_two_wave_sizes_need_a_choice() -> None:
    with pytest.raises(UsageError, match="32 and 64"):
        cpu_options(None, parse_list(["gfx90a,gfx1100"]), ())


@pytest.mark.parametrize(
    ("names", "said"), [("memory", "unknown sanitizer memory"), ("address,thread", "cannot be combined")]
)
def test_sanitizers_that_cannot_be(names: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        cpu_options(None, (), (names,))


def planner(options: CpuOptions, kind: OutputKind = OutputKind.EXECUTABLE) -> CpuPlanner:
    return CpuPlanner(CxxCompiler(Path("/bin/g++"), "g++"), CompileSettings(), options, "out", kind)


def test_a_plan_is_a_compile_per_unit_and_a_link() -> None:
    units = [Unit("a.hip", "a.hip", "a", Language.HIP), Unit("b.c", "b.c", "b", Language.C)]
    plan = planner(CpuOptions(32, "gfx1100", ("address",))).plan(units)
    hip, c, link = (step.command for step in plan.steps)
    assert {"-x", "c++", "-include", "-DHIPPORT_WAVE_SIZE=32", '-DHIPPORT_ARCH="gfx1100"', "-g"} <= set(hip)
    assert "-fsanitize=address" in hip
    assert "-include" not in c
    assert not any(flag.startswith("-std") for flag in c)
    assert "-fsanitize=address" in link
    assert "out/a/cpu.o" in link


@pytest.mark.parametrize(
    ("machine", "flag", "linked"),
    [
        *((machine, "-DX", False) for machine in ("x86_64", "aarch64", "riscv64")),
        ("x86_64", "-DHIPPORT_BOOST_SWITCH", True),
        ("x86_64", "-DHIPPORT_BOOST_SWITCH=1", True),
        ("x86_64", "-m32", True),
        ("ppc64le", "-DX", True),
    ],
)
def test_boost_is_linked_where_the_headers_have_no_switch_of_their_own(machine: str, flag: str, linked: bool) -> None:
    unit = Unit("a.hip", "a.hip", "a", Language.HIP)
    for settings in (CompileSettings(defines=(flag,)), CompileSettings(both=(flag,)), CompileSettings(host=(flag,))):
        plan = replace(planner(CpuOptions()), machine=machine, settings=settings).plan([unit])
        assert ("-lboost_context" in plan.steps[-1].command) == linked


def test_boost_is_not_linked_for_another_host() -> None:
    unit = Unit("a.hip", "a.hip", "a", Language.HIP)
    for host in HOSTS.values():
        other = replace(planner(CpuOptions()), machine="ppc64le", compiler=CxxCompiler(Path("/g++"), "g++", host))
        assert "-lboost_context" not in other.plan([unit]).steps[-1].command


def test_a_shared_library() -> None:
    compile_step, link = (
        planner(CpuOptions(), OutputKind.SHARED).plan([Unit("a.hip", "a.hip", "a", Language.HIP)]).steps
    )
    assert "-fPIC" in compile_step.command
    assert "-shared" in link.command


def many(count: int) -> list[Unit]:
    return [Unit(f"{n}.hip", f"{n}.hip", f"{n}", Language.HIP) for n in range(count)]


def test_many_units_share_the_headers_in_compiled_form() -> None:
    clang = CxxCompiler(Path("/bin/clang++"), "clang++")
    one = CpuPlanner(clang, CompileSettings(), CpuOptions(), "out", OutputKind.EXECUTABLE, precompile=True)
    c, cxx = Unit("c.c", "c.c", "c", Language.C), Unit("d.cpp", "d.cpp", "d", Language.CXX)
    plan = one.plan([*many(3), c, cxx])
    headers, *steps, _ = plan.steps
    assert plan.files == (("out/headers.h", "#include <hip/hip_runtime.h>\n"),)
    assert headers.inputs == ("out/headers.h",)
    assert [headers.output in step.inputs for step in steps] == [True] * 3 + [False] * 2
    assert [headers.output in step.command for step in steps] == [True] * 3 + [False] * 2
    assert not any("hip/hip_runtime.h" in step.command for step in steps)


@pytest.mark.parametrize(
    ("kind", "count", "precompile", "flags"),
    [
        ("g++", 9, True, ()),
        ("clang++", 2, True, ()),
        ("clang++", 9, False, ()),
        ("clang++", 9, True, ("-include", "config.h")),
    ],
)
def test_other_units_read_the_headers(kind: str, count: int, precompile: bool, flags: tuple[str, ...]) -> None:
    compiler, settings = CxxCompiler(Path(f"/bin/{kind}"), kind), CompileSettings(both=flags)
    one = CpuPlanner(compiler, settings, CpuOptions(), "out", OutputKind.EXECUTABLE, precompile=precompile)
    plan = one.plan(many(count))
    assert len(plan.steps) == count + 1
    assert plan.files == ()
    assert all("hip/hip_runtime.h" in step.command for step in plan.steps[:-1])


def fake(root: Path, *names: str) -> Surroundings:
    (root / "bin").mkdir()
    for name in names:
        (root / "bin" / name).write_text("#!/bin/sh\n")
        (root / "bin" / name).chmod(0o755)
    return Surroundings({"PATH": str(root / "bin")}, root)


@pytest.mark.parametrize(
    ("names", "wanted", "gcc", "found"),
    [
        (("g++", "clang++-15", "clang++-9"), None, False, "clang++-15"),
        (("g++", "clang++-15"), None, True, "g++"),
        (("g++", "clang++"), "g++", False, "g++"),
        (("g++-12",), None, False, "g++-12"),
        (("clang++-9", "clang++-17", "clang++-19", "clang++-21", "g++"), None, False, "clang++-21"),
        (("g++-9", "g++-12", "g++-14", "g++-16", "clang++"), None, True, "g++-16"),
        (("clang++-15", "clang++-19", "g++-12", "g++-14"), "g++-14", False, "g++-14"),
    ],
)
def test_the_compiler(tmp_path: Path, names: tuple[str, ...], wanted: str | None, gcc: bool, found: str) -> None:
    assert find_compiler(fake(tmp_path, *names), wanted, prefer_gcc=gcc).path.name == found


def without_headers(where: Surroundings, *names: str) -> None:
    for name in names:
        (where.root / "bin" / name).write_text("#!/bin/sh\nexit 1\n")


@pytest.mark.parametrize("gcc", [False, True])
def test_a_compiler_without_a_cxx_library_makes_way(tmp_path: Path, gcc: bool) -> None:
    where = fake(tmp_path, "clang++", "clang++-19", "clang++-21", "g++", "g++-16")
    without_headers(where, "clang++", "clang++-21", "g++")
    assert find_compiler(where, prefer_gcc=gcc).path.name == ("g++-16" if gcc else "clang++-19")
    without_headers(where, "clang++-19", "g++-16")
    with pytest.raises(HipportError, match=r"bin/clang\+\+, .*bin/g\+\+-16: the C\+\+ standard library's headers are"):
        find_compiler(where)


@pytest.mark.parametrize("path", [False, True])
def test_a_named_compiler_without_a_cxx_library_is_refused(tmp_path: Path, path: bool) -> None:
    where = fake(tmp_path, "clang++-21", "g++")
    without_headers(where, "clang++-21")
    with pytest.raises(HipportError, match="headers are missing") as refused:
        find_compiler(where, str(tmp_path / "bin/clang++-21") if path else "clang++-21")
    assert "libstdc++-N-dev" in (refused.value.hint or "")


def test_no_compiler(tmp_path: Path) -> None:
    where = fake(tmp_path)
    with pytest.raises(HipportError, match=r"no clang\+\+ or g\+\+ found"):
        find_compiler(where)
    with pytest.raises(HipportError, match=r"is not a working clang\+\+ or g\+\+"):
        find_compiler(where, "/bin/sh")
