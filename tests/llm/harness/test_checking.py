"""The harness detects wrong kernels."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hipport.errors import HipportError
from hipport.llm.harness.binding import Arguments, Device, Memory
from hipport.llm.harness.checking import compare
from hipport.llm.harness.kernel import Call, Kernel, Output, Sizes, Work
from hipport.llm.harness.limits import Limits
from hipport.llm.harness.measuring import check_kernel, time_kernel
from tests.shared import made_once

_HERE = Path(__file__).parent
_INTERFACE = _HERE.parents[2] / "hipport/llm/harness/c_interface.cu"


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Device:
    """Kernels with planted bugs, on the CPU."""
    name = "libplanted.so"
    command = (sys.executable, "-m", "hipport", "build", "--target", "cpu", "--wave-size", "32", "--shared", "-O", "0")
    sources = (str(_INTERFACE), str(_HERE / "planted.cu"))

    def build(folder: Path) -> None:
        subprocess.run([*command, *sources, "-o", str(folder / name)], check=True, capture_output=True)

    return Device(made_once(tmp_path_factory, "planted", build) / name)


def make(random: np.random.Generator, sizes: Sizes) -> Call:
    values = random.standard_normal(sizes["count"], np.float32)
    return Call((sizes["count"],), (values, Output(values.shape, np.float32)), lambda: {1: 2.0 * values})


DOUBLED = Kernel(
    "doubled",
    "twice a vector",
    timed={"count": 1000},
    checks=({"count": 100},),
    drawn={"count": range(1, 50)},
    make=make,
    work=lambda sizes: Work(8 * sizes["count"], sizes["count"]),
    limit="copy",
)


@pytest.mark.toolchain
def test_every_mistake_is_found(planted: Device) -> None:
    found = check_kernel(planted, DOUBLED, {"count": 300}, 0)
    said = [(checked.launched.version.number, checked.launched.block, checked.problem) for checked in found]
    assert said[:2] == [(1, 32, ""), (1, 64, "")]
    expected = (
        "differs by",
        "1 of 100 that are not finite",
        "1 of 100 that are not finite",
        "past the end",
        "before the",
    )
    for (number, _, problem), words in zip(said[2:], (*expected, "is an input", "takes more sizes"), strict=True):
        assert words in problem, (number, problem)
    assert all(checked.sizes == {"count": 100} for checked in found[2:])


@pytest.mark.toolchain
def test_times_give_rates(planted: Device) -> None:
    timed = next(time_kernel(planted, DOUBLED, DOUBLED.timed, Limits(1.0, 8000.0, None)))
    assert timed.bytes_per_second == pytest.approx(8000 / timed.seconds)
    assert timed.fraction == pytest.approx(1 / timed.seconds)


@pytest.mark.toolchain
def test_wrong_launches_are_refused(planted: Device) -> None:
    version = planted.last("doubled")
    with pytest.raises(HipportError, match="not made for blocks of 96 threads"):
        planted.launch(version, 96, Arguments((1,), ()))
    with pytest.raises(HipportError, match="more buffers"):
        planted.launch(planted.versions[0], 32, Arguments((1,), ()))
    with pytest.raises(ValueError, match="16 bytes at 4 of memory of 16"):
        Memory(planted, 16).write(np.zeros(4, np.float32), at=4)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([1.0, 2.0, 4.0], ""),
        ([1.0, 2.004, 4.0], ""),
        ([1.0, 2.1, 4.0], "differs by 2.5e-02"),
        ([1.0, np.nan, 4.0], "1 of 3 that are not finite"),
        ([1.0, 2.0, np.inf], "1 of 3 that are not finite"),
    ],
)
def test_comparing_numbers(values: list[float], said: str) -> None:
    problem = compare(np.array(values, np.float32), np.array([1.0, 2.0, 4.0]), 2e-3).problem
    assert said in problem and bool(said) == bool(problem)


def test_whole_numbers_must_be_equal() -> None:
    assert compare(np.array([1, 2]), np.array([1, 2]), 1.0).problem == ""
    assert compare(np.array([1, 3]), np.array([1, 2]), 1.0).problem == "has 1 of 2 wrong"
