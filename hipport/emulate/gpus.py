"""GPUs whose machine code can be emulated: peak rates from AMD's data sheets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from hipport.errors import UsageError


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU; of an MI250X, one of its two dies.

    `peaks` are operations per second by unit and type, dense; `bandwidth` is bytes per second of its memory, and
    `lds_bandwidth` of the local memories of all compute units together.
    """

    name: str
    target: str
    units: int
    clock: float
    bandwidth: float
    peaks: Mapping[str, float]

    @property
    def lds_bandwidth(self) -> float:
        return self.units * self.clock * 128


def _gpu(name: str, target: str, units: int, clock: float, bandwidth: float, **peaks: float) -> Gpu:
    rates = {kind.replace("_", " "): rate * 1e12 for kind, rate in peaks.items()}
    return Gpu(name, target, units, clock * 1e9, bandwidth * 1e9, rates)


GPUS = (
    _gpu(
        "MI250X",
        "gfx90a",
        110,
        1.7,
        1638,
        vector_f64=23.95,
        vector_f32=23.95,
        vector_f16=47.9,
        matrix_f64=47.85,
        matrix_f32=47.85,
        matrix_f16=191.5,
        matrix_i8=191.5,
    ),
    _gpu(
        "MI210",
        "gfx90a",
        104,
        1.7,
        1638,
        vector_f64=22.6,
        vector_f32=22.6,
        vector_f16=45.3,
        matrix_f64=45.3,
        matrix_f32=45.3,
        matrix_f16=181.0,
        matrix_i8=181.0,
    ),
    _gpu(
        "MI300X",
        "gfx942",
        304,
        2.1,
        5300,
        vector_f64=81.7,
        vector_f32=163.4,
        vector_f16=163.4,
        matrix_f64=163.4,
        matrix_f32=163.4,
        matrix_f16=1307.4,
        matrix_f8=2614.9,
        matrix_i8=2614.9,
    ),
    _gpu(
        "MI300A",
        "gfx942",
        228,
        2.1,
        5300,
        vector_f64=61.3,
        vector_f32=122.6,
        vector_f16=122.6,
        matrix_f64=122.6,
        matrix_f32=122.6,
        matrix_f16=980.6,
        matrix_f8=1961.2,
        matrix_i8=1961.2,
    ),
    _gpu(
        "MI350X",
        "gfx950",
        256,
        2.2,
        8000,
        vector_f64=72.1,
        vector_f32=144.2,
        vector_f16=144.2,
        matrix_f64=72.1,
        matrix_f32=144.2,
        matrix_f16=2306.9,
        matrix_f8=4613.7,
        matrix_i8=4613.7,
    ),
    _gpu(
        "MI355X",
        "gfx950",
        256,
        2.4,
        8000,
        vector_f64=78.6,
        vector_f32=157.3,
        vector_f16=157.3,
        matrix_f64=78.6,
        matrix_f32=157.3,
        matrix_f16=2516.6,
        matrix_f8=5033.2,
        matrix_i8=5033.2,
    ),
    _gpu(
        "RX 6900 XT",
        "gfx1030",
        80,
        2.25,
        512,
        vector_f64=1.44,
        vector_f32=23.04,
        vector_f16=46.08,
    ),
    _gpu(
        "RX 7900 XTX",
        "gfx1100",
        96,
        2.5,
        960,
        vector_f64=1.92,
        vector_f32=61.4,
        vector_f16=122.8,
        matrix_f16=122.8,
        matrix_i8=122.8,
    ),
    _gpu(
        "Radeon 8060S",
        "gfx1151",
        40,
        2.9,
        256,
        vector_f64=0.93,
        vector_f32=29.7,
        vector_f16=59.4,
        matrix_f16=59.4,
        matrix_i8=59.4,
    ),
    _gpu(
        "RX 9070 XT",
        "gfx1201",
        64,
        2.97,
        640,
        vector_f64=0.76,
        vector_f32=48.7,
        vector_f16=97.3,
        matrix_f16=194.6,
        matrix_f8=389.3,
        matrix_i8=389.3,
    ),
)


def find_gpu(name: str) -> Gpu:
    """Return the GPU of this name, in upper or lower case, with or without its brand. Raises `UsageError`."""
    for gpu in GPUS:
        if _folded(gpu.name) == _folded(name):
            return gpu
    raise UsageError(f"no peak rates are known for the GPU {name}", hint=f"GPUs: {', '.join(g.name for g in GPUS)}.")


def usual_gpu(target: str) -> Gpu | None:
    """Return the first GPU in the table that runs a target's code."""
    return next((gpu for gpu in GPUS if gpu.target == target), None)


def _folded(name: str) -> str:
    return re.sub(r"^(amd)?(radeon|instinct)?", "", name.casefold().replace(" ", ""))
