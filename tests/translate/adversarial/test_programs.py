"""Generated adversarial programs give CUDA's values, on the CPU target and as code for AMD GPUs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.translate.adversarial.generated import Case, cases, program

EVERYWHERE = ("vote", "shfl", "tile", "active", "launch", "name", "int", "unsigned", "intrinsic", "double")
"""Without conversions to 8 bits of what they do not hold: C++ leaves these undefined, and AMD's code keeps 32 bits.

Cases with libraries run on the CPU only.
"""


def of_kinds(kinds: tuple[str, ...]) -> list[Case]:
    return [case for case in cases() if case.name.partition("_")[0] in kinds]


def hipport(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "hipport", *arguments], capture_output=True, text=True, timeout=600)


def test_cases_have_names_of_their_own() -> None:
    names = [case.name for case in cases()]
    assert len(names) > 150
    assert len({*names}) == len(names)


@pytest.mark.slow
def test_a_wrong_value_is_found(tmp_path: Path) -> None:
    source, built = tmp_path / "program.cu", tmp_path / "program"
    source.write_text(program([Case("wrong", "o[threadIdx.x] = threadIdx.x == 40;", "0")]))
    made = hipport("build", str(source), "-o", str(built), "-std", "c++17", "--target", "cpu")
    assert made.returncode == 0, made.stderr
    said = subprocess.run([built], capture_output=True, text=True, timeout=60).stdout
    assert said == "wrong: thread 40 has 1, not 0\n1 wrong\n"


@pytest.mark.slow
@pytest.mark.parametrize("lanes", ["32", "64"])
def test_on_the_cpu_target(lanes: str, tmp_path: Path) -> None:
    source, built = tmp_path / "program.cu", tmp_path / "program"
    source.write_text(program(cases()))
    made = hipport(
        "build", str(source), "-o", str(built), "-std", "c++17", "--target", "cpu", "--wave-size", lanes, "-O", "0"
    )
    assert made.returncode == 0, made.stderr
    assert subprocess.run([built], capture_output=True, text=True, timeout=60).stdout == "0 wrong\n"


@pytest.mark.slow
@pytest.mark.toolchain
def test_as_code_for_amd_gpus(tmp_path: Path) -> None:
    source, built = tmp_path / "program.cu", tmp_path / "program"
    source.write_text(program(of_kinds(EVERYWHERE)))
    made = hipport(
        "build", str(source), "-o", str(built), "-std", "c++17", "--offload-arch", "gfx90a,gfx1100", "-O", "1"
    )
    assert made.returncode == 0, made.stderr
    for target in ("gfx90a", "gfx1100"):
        assert hipport("run", "--emulate", target, str(built)).stdout == "0 wrong\n", target
