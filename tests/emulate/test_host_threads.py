"""Threads of the host that launch kernels for the first time at the same time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.emulate.conftest import Fat, emulated

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

_SOURCE = Path(__file__).with_name("host_threads.hip")
_TARGETS = ("gfx90a", "gfx1100")


@pytest.mark.parametrize("target", _TARGETS)
def test_kernels_are_translated_while_others_run(fat: Fat, cache: Path, target: str) -> None:
    program = fat("host_threads", [_SOURCE], targets=_TARGETS)
    for _ in range(5):
        done = emulated("--emulate", target, str(program), cwd=program.parent, cache=cache)
        assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")
