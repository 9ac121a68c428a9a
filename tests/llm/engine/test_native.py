"""Models in the formats of their files: the engine agrees with the reference, which has the decoded weights."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.builds.shipped import Target
from tests.llm import prequantized
from tests.llm.native_on_device import CASES, Compared, compare

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]


@pytest.mark.parametrize("wave_size", [32, 64])
@pytest.mark.parametrize("name", CASES)
def test_gguf_files(name: str, wave_size: int, engine_cache: Path, tmp_path: Path) -> None:
    found = compare(name, Target("cpu", wave_size=wave_size), tmp_path)
    assert found.close, found


@pytest.mark.parametrize("name", prequantized.SCHEMES)
def test_folders(name: str, target32: Target, tmp_path: Path) -> None:
    found = compare(name, target32, tmp_path)
    assert found.close, found


@pytest.mark.parametrize("place", range(4))
def test_numbers_that_are_none_are_not_close(place: int) -> None:
    errors = [float("nan") if i == place else 0.0 for i in range(4)]
    assert Compared(0.0, 0.0, (0.0,), 0.0).close
    assert not Compared(errors[0], errors[1], (0.0, errors[2]), errors[3]).close
