"""Wrong kernels are stopped, or found by a sanitizer, at the faulty line; correct ones run undisturbed."""

from __future__ import annotations

import re

import pytest

from tests.cpu.conftest import PROGRAMS, Builder, Built

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

SOURCE = PROGRAMS / "mistakes.hip"


def line_of(mistake: str) -> int:
    lines = SOURCE.read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"// mistake: {mistake}"))


@pytest.fixture
def plain(built: Builder) -> Built:
    return built([SOURCE], "--wave-size", "64")


def test_nothing_wrong(plain: Built) -> None:
    done = plain.run("none")
    assert (done.returncode, done.stdout, done.stderr) == (0, "none: 63 32256\n", "")


def test_threads_that_return_are_not_waited_for(plain: Built) -> None:
    done = plain.run("returned")
    assert (done.returncode, done.stdout) == (0, "returned: 2 0\n")


def test_shared_memory_is_not_zero_before_it_is_written(plain: Built) -> None:
    assert "nan" in plain.run("unwritten").stdout


@pytest.mark.parametrize(
    ("mistake", "kernel", "said"),
    [
        ("unreached", "unreached_barrier", r"thread \(16, 0, 0\): ended without reaching __syncthreads at \S+:{line},"),
        ("two", "two_barriers", r"reached the barrier at \S+ while other lanes .* wait at the barrier"),
        ("lanes", "missing_lanes", r"waits in __shfl_sync at \S+:{line} with the mask 0xffffffff .* 48 threads"),
        ("mask", "foreign_mask", r"thread \(1, 0, 0\): __shfl_sync .* lacks the caller's lane 1"),
    ],
)
def test_stopped(mistake: str, kernel: str, said: str, plain: Built) -> None:
    done = plain.run(mistake, seconds=20)
    assert done.returncode == 70
    assert f"kernel {kernel}, block (" in done.stderr
    line = line_of(mistake) if "{line}" in said else 0
    assert re.search(said.format(line=line), done.stderr), done.stderr


@pytest.mark.parametrize("mistake", ["shared", "dynamic", "global"])
def test_out_of_bounds(mistake: str, built: Builder) -> None:
    program = built([SOURCE], "--wave-size", "64", "--sanitize", "address,undefined", "-O", "1")
    assert program.run("none").returncode == 0
    done = program.run(mistake)
    assert done.returncode != 0
    assert re.search(rf"heap-buffer-overflow[\s\S]*#0 .*mistakes\.hip:{line_of(mistake)}\b", done.stderr), done.stderr


@pytest.mark.parametrize("mistake", ["race", "blocks"])
def test_races(mistake: str, built: Builder) -> None:
    program = built([SOURCE], "--wave-size", "64", "--sanitize", "thread", "-O", "1")
    right = program.run("none")
    assert (right.returncode, right.stderr) == (0, "")
    done = program.run(mistake, TSAN_OPTIONS="halt_on_error=1")
    assert done.returncode != 0
    assert re.search(rf"data race[\s\S]*#0 .*mistakes\.hip:{line_of(mistake)}\b", done.stderr), done.stderr[:3000]
