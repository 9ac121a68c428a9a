"""Accesses to the last bytes of shared memory, of all widths."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.emulate.conftest import GENERATIONS, Fat, emulated

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

_SOURCE = Path(__file__).with_name("last_elements.hip")
_TYPES = (
    "unsigned char", "signed char", "unsigned short", "short", "unsigned", "unsigned long long", "Triple", "Quad",
)  # fmt: skip


@pytest.mark.parametrize("vectors", ["", "none"])
@pytest.mark.parametrize("target", GENERATIONS)
def test_the_last_element_is_read_and_written(
    fat: Fat, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, vectors: str
) -> None:
    program = fat("last_elements", [_SOURCE], targets=GENERATIONS)
    if vectors:
        monkeypatch.setenv("HIPPORT_VECTORS", vectors)
    done = emulated("--emulate", target, str(program), cwd=tmp_path, cache=cache)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [f"{name}, {lanes} lanes: 0 wrong" for name in _TYPES for lanes in (64, 1, 5)]
