"""The fixture programs run on the CPU, with the wavefronts that they are right for."""

from __future__ import annotations

import re

import pytest

from tests.cpu.conftest import Builder
from tests.fixtures import programs

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

# What needs a module file cannot run: the CPU target has no modules.
RUNNABLE = [program for program in programs.find() if not program.modules]


def options(program: programs.Program) -> list[str]:
    return [f"-I{program.folder / name}" for name in program.include_dirs]


def sources(program: programs.Program) -> list[programs.Path]:
    return [program.folder / name for name in program.sources]


@pytest.mark.parametrize("program", RUNNABLE, ids=lambda program: program.name)
@pytest.mark.parametrize("wave", [32, 64])
def test_runs(program: programs.Program, wave: int, built: Builder) -> None:
    done = built(sources(program), "--wave-size", str(wave), *options(program)).run(*program.args, seconds=600)
    if wave in program.waves:
        assert re.search(program.expect, done.stdout, re.MULTILINE), done.stdout + done.stderr
        assert done.returncode == 0
    else:
        assert done.returncode != 0, f"{program.name} assumes wavefronts of {program.waves}, and {wave} went unnoticed"


def test_both_compilers(compiler: str, built: Builder) -> None:
    program = next(program for program in RUNNABLE if program.name == "launch_forms")
    done = built(sources(program), "--compiler", compiler, "-O0", *options(program)).run()
    assert re.search(program.expect, done.stdout, re.MULTILINE), done.stdout + done.stderr
