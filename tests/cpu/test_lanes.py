"""Cross-lane functions compared with their definitions, for both wave sizes and partial wavefronts."""

from __future__ import annotations

import shutil

import pytest

from tests.cpu.conftest import PROGRAMS, Builder
from tests.shared import EVERYTHING

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]


# Each pair of a wave size, a compiler and a level of optimization once.
@pytest.mark.parametrize(
    ("wave", "optimize", "compiler"), [(32, "0", "g++"), (32, "3", "clang++"), (64, "0", "clang++"), (64, "3", "g++")]
)
def test_exact(wave: int, optimize: str, compiler: str, built: Builder) -> None:
    program = built([PROGRAMS / "lanes.hip"], "--wave-size", str(wave), "--compiler", compiler, "-O", optimize)
    done = program.run()
    assert done.stdout == f"wavefronts of {wave} lanes: 0 wrong\n", done.stdout + done.stderr
    assert done.returncode == 0


def test_exact_with_the_switch_of_other_processors(built: Builder) -> None:
    options = ("--wave-size", "64", "--compiler", "g++", "-O", "0", "-DHIPPORT_BOOST_SWITCH")
    done = built([PROGRAMS / "lanes.hip"], *options).run()
    assert (done.returncode, done.stdout) == (0, "wavefronts of 64 lanes: 0 wrong\n"), done.stderr


@pytest.mark.parametrize("optimize", ["0", "3"])
def test_votes_on_one_line_are_told_apart(optimize: str, built: Builder) -> None:
    """By their columns, which g++ does not tell."""
    options = ("--wave-size", "32", "--compiler", "clang++", "-O", optimize)
    done = built([PROGRAMS / "votes_on_a_line.hip"], *options).run()
    assert (done.returncode, done.stdout) == (0, "55555555 aaaaaaaa\n"), done.stderr


MORE = [("g++", "1")] if EVERYTHING else []


@pytest.mark.parametrize(("compiler", "optimize"), [("clang++", "1"), ("clang++-15", "3"), ("g++", "3"), *MORE])
def test_values_that_one_lane_sets(compiler: str, optimize: str, built: Builder) -> None:
    if shutil.which(compiler) is None and compiler == "clang++-15":
        pytest.skip("clang++-15 is missing")
    done = built([PROGRAMS / "undefined_lanes.cu"], "--compiler", compiler, "-O", optimize).run()
    assert (done.returncode, done.stdout) == (0, "0 0 0 0\n"), done.stderr
