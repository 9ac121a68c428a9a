"""CPU builds for other hosts, cross-compiled and run under qemu-user; with `HIPPORT_TEST_ALL=1` more of them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.cpu.conftest import PROGRAMS, Builder
from tests.fixtures import programs
from tests.shared import EVERYTHING, sampled

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

RISCV = ("--host-target", "riscv64-linux-gnu", "-O", "1")
FIXTURES = sampled(("warp_votes", "stencil2d", "cli_case", "reduction_sync", "vector_add"), 3)
"""Those that do not take long under emulation; the others run too, transformer_block for more than a minute."""
SWITCHES = [("riscv64-linux-gnu", "g++"), ("aarch64-linux-gnu", "clang++")]


def run(triple: str, path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    machine = triple.split("-", maxsplit=1)[0]
    command = [f"qemu-{machine}", "-L", f"/usr/{triple}", str(path), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("name", FIXTURES)
def test_fixture_programs_run_on_riscv(name: str, built: Builder) -> None:
    program = programs.load(programs.ROOT / name)
    options = [f"-I{program.folder / folder}" for folder in program.include_dirs]
    sources = [program.folder / source for source in program.sources]
    wave = ("--wave-size", str(program.waves[-1]))
    done = run("riscv64-linux-gnu", built(sources, *RISCV, *wave, *options).path)
    assert re.search(program.expect, done.stdout, re.MULTILINE), done.stdout + done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize(("triple", "compiler"), [*SWITCHES, *([("aarch64-linux-gnu", "g++")] if EVERYTHING else [])])
def test_threads_switch_stacks(triple: str, compiler: str, built: Builder) -> None:
    options = ("--host-target", triple, "--compiler", compiler, "-O", "1", "--wave-size", "64")
    done = run(triple, built([PROGRAMS / "lanes.hip"], *options).path)
    assert (done.returncode, done.stdout) == (0, "wavefronts of 64 lanes: 0 wrong\n"), done.stderr
