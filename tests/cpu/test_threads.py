"""Programs go on with the threads that there are if the system has no more."""

from __future__ import annotations

import resource
import subprocess

import pytest

from tests.cpu.conftest import PROGRAMS, Builder, Built

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

_STACK, _MEMORY = 2 << 30, 1 << 30


@pytest.fixture
def program(built: Builder) -> Built:
    return built([PROGRAMS / "few_threads.hip"], "--wave-size", "64")


def _without_threads(program: Built, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program whose threads would need stacks that are larger than its memory may be."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_STACK, (_STACK, _STACK))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))

    return subprocess.run(
        [program.path, *arguments], capture_output=True, text=True, timeout=60, preexec_fn=limit, check=False
    )


def test_one_thread_runs_all_blocks(program: Built) -> None:
    done = _without_threads(program)
    assert (done.returncode, done.stdout, done.stderr) == (0, "384\n", "")


def test_a_cooperative_launch_says_that_it_needs_threads(program: Built) -> None:
    assert program.run("cooperative").stdout == "12\n"
    done = _without_threads(program, "cooperative")
    assert done.returncode == 70
    assert "not enough threads for the 2 blocks of a cooperative launch" in done.stderr
