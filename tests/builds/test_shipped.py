"""Choosing targets for the code that ships; tests of the engine and the benchmarks build some of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.builds.shipped import Target, choose_target
from hipport.errors import HipportError
from tests.toolchain.fakes import machine

AMD, NVIDIA = "  Name:                    gfx90a", "9.0"


def test_an_amd_gpu_comes_before_an_nvidia_gpu_before_the_cpu(tmp_path: Path) -> None:
    both = machine(tmp_path / "both", rocminfo=AMD, nvidia_smi=NVIDIA)
    assert choose_target(both) == Target("amd", ("gfx90a",))
    assert choose_target(both, "nvidia") == Target("nvidia", ("sm_90",))
    assert choose_target(both, "cpu", 64) == Target("cpu", wave_size=64)
    assert choose_target(machine(tmp_path / "nvidia", nvidia_smi=NVIDIA)) == Target("nvidia", ("sm_90",))
    assert choose_target(machine(tmp_path / "none")) == Target("cpu", wave_size=32)


@pytest.mark.parametrize(("name", "said"), [("amd", "no working AMD GPU"), ("nvidia", "no working NVIDIA GPU")])
def test_a_target_that_is_not_there(name: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(HipportError, match=said):
        choose_target(machine(tmp_path), name)


def test_wavefronts_of_a_gpu_cannot_be_chosen(tmp_path: Path) -> None:
    with pytest.raises(HipportError, match="the GPU determines"):
        choose_target(machine(tmp_path, rocminfo=AMD), None, 64)
