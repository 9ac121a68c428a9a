"""Lanes beyond the width of a shuffle: CUDA takes them modulo the width, HIP before 6.0 does not."""

from __future__ import annotations

import pytest

from hipport.mappings.loader import NameChoice, load_choice
from hipport.translate.context import Context
from hipport.translate.convert import convert_source


def translated(lane: str, width: str, rocm: str) -> str:
    source = (
        f"template <int W, class T> __device__ int f(int v, T t) {{ return __shfl_sync(~0u, v, {lane}, {width}); }}\n"
    )
    return convert_source(source.encode(), "k.cu", Context(load_choice(NameChoice(rocm=rocm)))).data.decode()


@pytest.mark.parametrize("width", ["W", "T::width", "t.width"])
@pytest.mark.parametrize("lane", ["threadIdx.x - 1", "lane", "t.lane + 1"])
def test_a_lane_is_wrapped_by_the_name_of_the_width(lane: str, width: str) -> None:
    assert f"__shfl(v, int({lane}) & (int({width}) - 1), {width})" in translated(lane, width, "5.2")
    assert f"__shfl(v, {lane}, {width})" in translated(lane, width, "6.0")


@pytest.mark.parametrize(
    ("lane", "width"),
    [("0", "W"), ("lane % W", "W"), ("(lane + 1) & (W - 1)", "W"), ("lane + 1", "warpSize"), ("lane", "width(t)")],
)
def test_a_lane_stays_that_cannot_be_beyond_or_whose_width_is_no_name(lane: str, width: str) -> None:
    assert f"__shfl(v, {lane}, {width})" in translated(lane, width, "5.2")
