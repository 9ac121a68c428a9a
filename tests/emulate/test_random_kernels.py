"""Random kernels compute the same as emulated machine code as on the CPU target: a sample of scripts/random_kernels."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.random_kernels.kernels import source
from scripts.random_kernels.running import Build, builds, compared, differences, drivers

_PARTS = (
    "atomicCAS",
    "__shfl_up",
    "__ballot",
    "__syncthreads",
    "switch (",
    "function3(",
    "Pair pair",
    "array",
    "halves(",
)


def test_sources_are_reproducible_and_have_everything_somewhere() -> None:
    texts = [source(seed, 4) for seed in range(20)]
    assert texts[3] == source(3, 4) != texts[4]
    bodies = "".join(text.partition("half_of(unsigned long long")[2] for text in texts)
    assert [part for part in _PARTS if part not in bodies] == []


def test_levels_take_turns() -> None:
    first, second = (list(builds(seed, ("gfx90a", "gfx1100"), (0, 3), ("clang++-19", "a b"))) for seed in (1, 2))
    assert [one.level for one in first] == [3, 0, 0, 3]
    assert [one.level for one in second] == [0, 3, 3, 0]
    assert str(first[2]) == "gfx90a -O0, a b"


@pytest.mark.toolchain
@pytest.mark.slow
def test_a_sample(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    drivers(tmp_path)
    wanted = [Build("gfx90a", 2), Build("gfx1100", 0)]
    assert list(differences(1, 4, wanted, tmp_path)) == []
    wrong = ["kernel0 0123456789abcdef"]
    found = list(compared(1, wanted[0], tmp_path / "1.hip", tmp_path / "1.so", wrong, tmp_path))
    assert [(one.seed, one.kernel) for one in found] == [(1, "kernel0")]
