"""gdb stops in a kernel at a line of the source, shows threadIdx and locals, steps, and sees who called."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from tests.cpu.conftest import PROGRAMS, Builder

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

SOURCE = PROGRAMS / "debugged.hip"


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(SOURCE.read_text().splitlines(), 1) if text in line)


def test_gdb_steps_through_a_kernel(built: Builder) -> None:
    assert shutil.which("gdb"), "gdb is missing"
    program = built([SOURCE], "-g", "-O", "0", "--compiler", "g++").path
    behind = line_of("behind the barrier")
    commands = [f"break debugged.hip:{behind} if threadIdx.x == 37", "run", "print threadIdx.x", "print mine"]
    commands += ["next", "print other", "backtrace"]
    options = [part for command in commands for part in ("-ex", command)]
    done = subprocess.run(["gdb", "-batch", *options, program], capture_output=True, text=True, timeout=120)
    said = done.stdout
    assert re.search(rf"Breakpoint 1, neighbours \(.*debugged\.hip:{behind}", said), said + done.stderr
    assert re.findall(r"^\$\d+ = (\d+)$", said, re.MULTILINE) == ["37", "1369", "1444"], said
    assert re.search(rf"^{behind + 1}\s", said, re.MULTILINE), said
    frames = re.findall(r"^#\d+ .*?(?:in )?([\w:]+)(?:<.*>)? ?\(", said, re.MULTILINE)
    assert frames[0] == "neighbours"
    assert "hipport::cpu::Block::fiber_main" in frames
    assert "Backtrace stopped" not in said and "corrupt" not in said
