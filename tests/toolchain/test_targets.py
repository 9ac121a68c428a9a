from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from hipport.toolchain.compilers import Compiler, find
from hipport.toolchain.hip import find_hip
from hipport.toolchain.places import Surroundings
from hipport.toolchain.process import run
from hipport.toolchain.targets import TARGETS, isa_version
from hipport.toolchain.tools import find_tool


@pytest.mark.parametrize(
    ("name", "version"),
    [("gfx803", 8003), ("gfx90a", 9010), ("gfx90c", 9012), ("gfx942", 9402), ("gfx1100", 11000), ("gfx1201", 12001)],
)
def test_the_name_of_a_processor_spells_its_version(name: str, version: int) -> None:
    assert isa_version(name) == version == TARGETS[name].isa_version


@pytest.mark.parametrize("name", ["gfx", "gfx9", "gfx11-generic", "gfx90A", "gfx90a ", "gfx123456"])
def test_other_names_spell_none(name: str) -> None:
    assert isa_version(name) is None


def test_wavefronts_have_32_lanes_from_gfx10_on() -> None:
    assert {row.name for row in TARGETS.values() if row.wavefront == 32} == {
        row.name for row in TARGETS.values() if row.isa_version >= 10000
    }


def test_a_processor_that_llvm_dropped_names_its_releases() -> None:
    assert TARGETS["gfx940"].releases == "LLVM 15 to 20"
    assert [TARGETS["gfx940"].known_to(release) for release in (14, 15, 20, 21)] == [False, True, True, False]
    assert TARGETS["gfx942"].known_to(99)


def compilers() -> list[Compiler]:
    return list(find(Surroundings()))


def accepts(compiler: Compiler, target: str) -> bool:
    """Return whether the compiler accepts a target ID; nothing is compiled."""
    flags = ["-x", "hip", "-nogpulib", "-nogpuinc", f"--offload-arch={target}", "--offload-device-only"]
    answer = run([compiler.path, *flags, "-###", "-c", "/dev/null"])
    assert answer is not None
    return "invalid target ID" not in answer.stderr


@pytest.mark.toolchain
@pytest.mark.slow
def test_the_table_agrees_with_every_compiler_here_about_features() -> None:
    found = [compiler for compiler in compilers() if compiler.kind != "hipcc"]
    assert found
    for compiler in found:
        for row in TARGETS.values():
            if row.name in compiler.processors:
                taken = {name for name in ("sramecc", "xnack") if accepts(compiler, f"{row.name}:{name}+")}
                assert taken == row.features, (compiler, row.name)


@pytest.mark.toolchain
def test_the_table_agrees_with_every_compiler_here_about_names() -> None:
    for compiler in compilers():
        release = int(compiler.clang.split(".")[0])
        expected = {row.name for row in TARGETS.values() if row.known_to(release)}
        modern = {name for name in compiler.processors if not re.match(r"gfx[67]", name)}
        assert modern == expected, compiler


@pytest.mark.toolchain
def test_the_version_constants_are_those_of_the_installed_device_libraries(tmp_path: Path) -> None:
    folder = find_hip(Surroundings()).device_libraries
    disassembler = find_tool("llvm-dis", Surroundings(), compilers()[0])
    files = sorted(folder.glob("oclc_isa_version_*.bc"))
    assert len(files) > 20
    for file in files:
        name = "gfx" + file.stem.removeprefix("oclc_isa_version_")
        text = subprocess.run([disassembler, file, "-o", "-"], capture_output=True, text=True, check=True).stdout
        constant = re.search(r"@__oclc_ISA_version = .* constant i32 (\d+)", text)
        assert constant is not None
        row = TARGETS.get(name)
        assert int(constant[1]) == (row.isa_version if row else isa_version(name)), name
