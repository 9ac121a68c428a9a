"""Launches without a kernel or without its arguments give errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.emulate.conftest import Fat, emulated

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

_SOURCE = Path(__file__).with_name("no_kernel.hip")


def test_launches_without_a_kernel_give_errors(fat: Fat, cache: Path, tmp_path: Path) -> None:
    program = fat("no_kernel", [_SOURCE], targets=["gfx90a"])
    done = emulated("--emulate", "gfx90a", str(program), cwd=tmp_path, cache=cache)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        *(f"{call}: hipErrorInvalidHandle" for call in ("launch", "launch with events", "old launch")),
        *(f"{call}: hipErrorInvalidValue" for call in ("blocks", "block size", "attribute", "without arguments")),
    ]
