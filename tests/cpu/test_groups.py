"""Cooperative groups, and a grid whose blocks wait for each other."""

from __future__ import annotations

import pytest

from tests.cpu.conftest import PROGRAMS, Builder

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]


@pytest.mark.parametrize("wave", [32, 64])
def test_groups(wave: int, built: Builder) -> None:
    done = built([PROGRAMS / "groups.hip"], "--wave-size", str(wave)).run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")
