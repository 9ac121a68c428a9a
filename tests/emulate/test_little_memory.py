"""A launch for which the system has no memory ends the program with one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_build import built
from tests.emulate.conftest import emulated

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

_SOURCE = Path(__file__).with_name("little_memory.hip")


@pytest.mark.parametrize("target", ["gfx90a", "gfx1100"])
def test_one_line_says_that_there_is_no_memory(tmp_path: Path, cache: Path, target: str) -> None:
    built("--offload-arch", target, "-o", "little_memory", str(_SOURCE), cwd=tmp_path)
    done = emulated("--emulate", target, str(tmp_path / "little_memory"), cwd=tmp_path, cache=cache)
    said = [line for line in done.stderr.splitlines() if line]
    assert done.returncode != 0
    assert len(said) == 1, said
    assert said[0].startswith("hipport: ") and "scattered" in said[0] and "no memory left" in said[0]
