"""CUDA's results of its device functions at edge inputs, compared with those of ports."""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from scripts.values import compare, grid, record
from scripts.values.record import Record
from scripts.values.signatures import parse
from tests.values.differences import CPU, HIP, reason
from tests.values.ports import HERE, Folded, folded, run_on_cpu

MOST = 24
"""Inputs of a function that a compiler folds; spread over the grid."""


@pytest.fixture(scope="session")
def cuda() -> Record:
    return record.load(HERE)


def unexplained(differing: Mapping[int, list[str]], cuda: Record, table: Mapping[str, str]) -> dict[str, list[str]]:
    return {
        str(cuda.signatures[place]): examples[:3]
        for place, examples in differing.items()
        if reason(table, str(cuda.signatures[place])) is None
    }


def differences(cuda: Record, results: Iterable[tuple[int, int, tuple[int, ...]]]) -> dict[int, list[str]]:
    """Return the functions with a result that is not CUDA's, and where."""
    found = defaultdict(list)
    for place, number, mine in results:
        wanted = cuda.results[place][number]
        if not compare.agree(cuda.signatures[place], mine, wanted):
            inputs = list(grid.arguments(cuda.signatures[place]))[number]
            found[place].append(f"{inputs}: {tuple(map(hex, mine))} instead of {tuple(map(hex, wanted))}")
    return found


def test_record_is_of_the_grid(cuda: Record) -> None:
    assert len(cuda.signatures) > 1000
    assert sum(map(len, cuda.results)) > 180_000


def test_signatures_are_read_as_written(cuda: Record) -> None:
    assert all(parse(str(one)) == one for one in cuda.signatures)


@pytest.mark.parametrize(
    ("call", "inputs", "wanted"),
    [
        ("bool __hne(__half, __half)", (0x3C00, 0x7E00), (0,)),
        ("int __float2int_rn(float)", (0x40200000,), (2,)),
        ("unsigned int __vadd2(unsigned int, unsigned int)", (0x7FFF8000, 0x7FFF8000), (0xFFFE0000,)),
    ],
)
def test_recorded_results(cuda: Record, call: str, inputs: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    place = [str(one) for one in cuda.signatures].index(call)
    number = list(grid.arguments(cuda.signatures[place])).index(tuple((one,) for one in inputs))
    assert cuda.results[place][number] == wanted


@pytest.mark.slow
@pytest.mark.toolchain
def test_cpu_target(cuda: Record, tmp_path: Path) -> None:
    chosen, results, broken = run_on_cpu(tmp_path, dict(enumerate(cuda.signatures)))
    assert not [str(cuda.signatures[place]) for place in broken]
    found = zip(chosen, results, strict=True)
    differing = differences(cuda, ((place, number, one) for place, many in found for number, one in enumerate(many)))
    assert unexplained(differing, cuda, CPU) == {}
    names = [str(cuda.signatures[place]) for place in differing]
    assert [pattern for pattern in CPU if not any(re.fullmatch(pattern, name) for name in names)] == []


def clang(target: str, *words: str) -> list[str]:
    flags = ["-std=c++17", "-O2", "--cuda-device-only", "-w", "-ferror-limit=0", "-fno-color-diagnostics"]
    return ["hipcc", *flags, f"--offload-arch={target}", *words]


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.parametrize("targets", [("gfx90a",), ("gfx1100", "gfx1030")], ids=["gfx9", "gfx10-11"])
def test_amd_gpus(cuda: Record, tmp_path: Path, targets: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare what clang computes with the headers of the installed HIP for the first target that it knows."""
    monkeypatch.setenv("HIP_PLATFORM", "amd")
    empty = tmp_path / "empty.hip"
    empty.touch()
    known = (
        one for one in targets if not subprocess.run(clang(one, "-fsyntax-only", str(empty)), check=False).returncode
    )
    done = folded(tmp_path, dict(enumerate(cuda.signatures)), next(known), clang, MOST)
    assert not [str(cuda.signatures[place]) for place in done.broken]
    assert len(done.results) > 0.9 * done.inputs
    assert unexplained(differences(cuda, numbers(cuda, done)), cuda, HIP) == {}


def numbers(cuda: Record, done: Folded) -> Iterable[tuple[int, int, tuple[int, ...]]]:
    """Yield the results that are numbers: poison stands for the conversion of a number out of range, or overflow."""
    for (place, number), words in sorted(done.results.items()):
        whole = [word for word in words if isinstance(word, int)]
        if len(whole) == len(words):
            yield place, number, record.numbers(cuda.signatures[place], whole)
