"""All codes of the fp8 formats, and conversions to them, compared with ml_dtypes."""

from __future__ import annotations

import itertools
import math
import random

import ml_dtypes
import numpy
import pytest

from tests.cpu.conftest import PROGRAMS, Builder, Built

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

FORMATS = (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2fnuz)
LARGEST = [float(ml_dtypes.finfo(kind).max) for kind in FORMATS]


@pytest.fixture
def program(built: Builder) -> Built:
    return built([PROGRAMS / "fp8.hip"], "--offload-arch", "gfx942", "-O", "1")


def decoded(code: int, kind: type) -> float:
    return float(numpy.array([code], numpy.uint8).view(kind)[0])


def same(a: float, b: float) -> bool:
    return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))


def numbers() -> list[float]:
    """Return values, midpoints and their neighbors, numbers out of range, and random numbers.

    All are floats: ml_dtypes converts a double by way of float, which rounds twice.
    """
    codes = {abs(decoded(code, kind)) for kind in FORMATS for code in range(256)}
    values = sorted(filter(math.isfinite, codes))  # NaN has no place in an order
    middles = [(a + b) / 2 for a, b in itertools.pairwise(values)]
    near = [float(numpy.nextafter(numpy.float32(middle), numpy.float32(way))) for middle in middles for way in (0, 1e9)]
    rng = random.Random(8)
    some = [math.ldexp(rng.getrandbits(24), rng.randint(-44, -4)) for _ in range(500)]
    far = [
        *(largest * factor for largest in LARGEST for factor in (1.03125, 1.0625, 1.125, 2.0)),
        2.0**127,
        2.0**-149,
        math.inf,
    ]
    found = [*values, *middles, *near, *some, *far]
    return [*found, *(-x for x in found), math.nan]


def expected(number: float, index: int, saturate: bool) -> float:
    result = float(numpy.array([number], numpy.float32).astype(FORMATS[index])[0])
    beyond = not math.isfinite(result) and not math.isnan(number)
    return math.copysign(LARGEST[index], number) if saturate and beyond else result


def test_every_code_and_rounding(program: Built) -> None:
    wanted = numbers()
    lines = program.run(text="\n".join(float(x).hex() for x in wanted)).stdout.splitlines()
    values = [float.fromhex(line) for line in lines[:1024]]
    for place, value in enumerate(values):
        assert same(value, decoded(place % 256, FORMATS[place // 256])), (place, value)
    assert lines[-1] == "several: 1, fnuz: 1"
    assert len(lines) == 1024 + len(wanted) + 1
    for number, line in zip(wanted, lines[1024:-1], strict=True):
        for place, code in enumerate(map(int, line.split())):
            index, saturate = place % 4, place >= 4
            assert same(decoded(code, FORMATS[index]), expected(number, index, saturate)), (number, place, code)


def test_other_targets_have_the_formats_of_the_open_compute_project(built: Builder) -> None:
    program = built([PROGRAMS / "fp8.hip"], "--offload-arch", "gfx1200", "-O", "0", "--compiler", "g++")
    assert program.run(text="").stdout.splitlines()[-1] == "several: 1, fnuz: 0"
