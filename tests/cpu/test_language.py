"""Cooperative groups with a grid whose blocks wait for each other, and textures."""

from __future__ import annotations

import pytest

from tests.cpu.conftest import PROGRAMS, Builder

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]


@pytest.mark.parametrize("wave", [32, 64])
@pytest.mark.parametrize("program", ["groups", "textures"])
def test_nothing_wrong(program: str, wave: int, built: Builder) -> None:
    done = built([PROGRAMS / f"{program}.hip"], "--wave-size", str(wave)).run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")
