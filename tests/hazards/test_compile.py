"""What is translated around hazards and cross-lane functions compiles for wavefronts of 64 and of 32 lanes."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hipport.context import Context, Options, WaveSize
from hipport.convert import convert_source
from hipport.diagnostics import Severity
from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.support import include_dir

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

PAIRS = Path(__file__).parents[2] / "fixtures" / "pairs"
NOT_IN_5_2 = {"coalesced_groups.cu"}  # groups of HIP 5.2 have no ballot
CASES = [
    case
    for folder in ("hazards", "cross_lane")
    for case in sorted((PAIRS / folder).glob("*.cu"))
    if case.name not in NOT_IN_5_2
]
TARGETS = ("gfx90a", "gfx1030")


@pytest.fixture(scope="module")
def hipcc() -> str:
    found = shutil.which("hipcc")
    if found is None:
        assert not os.environ.get("CI"), "hipcc is missing"
        pytest.skip("hipcc is not installed")
    return found


@pytest.mark.parametrize("wave_size", [0, 32])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_translation_compiles(case: Path, wave_size: WaveSize, hipcc: str, tmp_path: Path) -> None:
    context = Context(load_choice(NameChoice(rocm="5.2")), Options(wave_size=wave_size, fix=True))
    conversion = convert_source(case.read_bytes(), case.name, context)
    if any(found.severity is Severity.ERROR and found.code in ("HP101", "HP210") for found in conversion.diagnostics):
        pytest.skip("what has no counterpart stays")
    source = tmp_path / "case.hip"
    source.write_bytes(conversion.data)
    command = [hipcc, *(f"--offload-arch={target}" for target in TARGETS), "-std=c++17", f"-I{include_dir()}"]
    command += ["--cuda-device-only", "-fsyntax-only", str(source)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "HIP_PLATFORM": "amd"}, timeout=300
    )
    assert done.returncode == 0, done.stderr
