"""Models in the formats of their files: the engine agrees with the reference, which has the decoded weights."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.builds.shipped import Target
from tests.llm import prequantized
from tests.llm.native_on_device import CASES, compare

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
