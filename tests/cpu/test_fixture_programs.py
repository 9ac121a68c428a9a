"""The fixture programs on the CPU, with the wavefront sizes that they support.

Those that combine lanes run with all sizes, the others take turns with them; with `HIPPORT_TEST_ALL=1` all run with
all.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cpu.conftest import PROGRAMS, Builder
from tests.fixtures import programs
from tests.shared import EVERYTHING

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

RUNNABLE = programs.find()
COMBINE_LANES = ("reduction", "reduction_sync", "warp_votes")


def sizes(place: int, program: programs.Program) -> list[int]:
    """Return the sizes of wavefronts with which a program runs."""
    if EVERYTHING or program.name in COMBINE_LANES:
        return program.waves
    return [program.waves[place % len(program.waves)]]


def options(program: programs.Program) -> list[str]:
    return [f"-I{program.folder / name}" for name in program.include_dirs]


def sources(program: programs.Program) -> list[Path]:
    return [program.folder / name for name in program.sources]


def arguments(program: programs.Program, wave: int, built: Builder) -> list[str]:
    """Return the arguments of a program, after building its modules."""
    wanted = {Path(name).stem: program.folder / name for name in program.modules}
    made = {
        f"{{module:{stem}}}": built([path], "--genco", "--wave-size", str(wave), *options(program))
        for stem, path in wanted.items()
    }
    return [str(made[word].path) if word in made else word for word in program.args]


@pytest.mark.parametrize(
    ("program", "wave"),
    [pytest.param(p, wave, id=f"{p.name}-{wave}") for i, p in enumerate(RUNNABLE) for wave in sizes(i, p)],
)
def test_runs(program: programs.Program, wave: int, built: Builder) -> None:
    words = arguments(program, wave, built)
    done = built(sources(program), "--wave-size", str(wave), *options(program)).run(*words, seconds=900)
    assert re.search(program.expect, done.stdout, re.MULTILINE), done.stdout + done.stderr
    assert done.returncode == 0


def test_an_assumption_of_32_lanes_is_seen_to_fail_at_64(built: Builder) -> None:
    source = [PROGRAMS / "assumes_32.hip"]
    right, wrong = (built(source, "--wave-size", str(wave)).run() for wave in (32, 64))
    assert (right.returncode, right.stdout) == (0, "PASS: 32896, 256\n")
    assert wrong.returncode == 1
    assert wrong.stdout.startswith("FAIL: ")


def test_the_target_names_the_wave_size(built: Builder) -> None:
    source = [PROGRAMS / "assumes_32.hip"]
    for target, status in (("gfx1100", 0), ("gfx90a", 1)):
        assert built(source, "--offload-arch", target, "--compiler", "g++", "-O", "0").run().returncode == status


def test_both_compilers(compiler: str, built: Builder) -> None:
    program = next(program for program in RUNNABLE if program.name == "launch_forms")
    done = built(sources(program), "--compiler", compiler, "-O0", *options(program)).run()
    assert re.search(program.expect, done.stdout, re.MULTILINE), done.stdout + done.stderr
