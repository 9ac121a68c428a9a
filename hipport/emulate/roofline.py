"""A roofline of emulated kernels on a GPU, as a picture."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from hipport import svg
from hipport.emulate.gpus import Gpu
from hipport.emulate.profile import KernelProfile, bound

_WIDTH, _HEIGHT = 860, 520
_LEFT, _RIGHT, _TOP, _BOTTOM = 90, 30, 70, 130
_COLORS = ("#0b6bcb", "#c2410c", "#15803d", "#7e22ce", "#b91c1c", "#0f766e", "#a16207", "#475569")


class _Scale:
    """Logarithmic axes: operations per byte, and operations per second."""

    def __init__(self, gpu: Gpu, intensities: Sequence[float]) -> None:
        self.left = math.floor(math.log10(min([0.1, *intensities])))
        self.right = math.ceil(math.log10(max([1000.0, *intensities])))
        self.top = math.ceil(math.log10(max(gpu.peaks.values()) * 1.05))
        self.bottom = min(math.floor(math.log10(gpu.bandwidth * 10**self.left)), self.top - 3)

    def x(self, intensity: float) -> float:
        share = (math.log10(intensity) - self.left) / (self.right - self.left)
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def y(self, rate: float) -> float:
        share = (math.log10(rate) - self.bottom) / (self.top - self.bottom)
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)


def roofline(profiles: Sequence[KernelProfile], gpu: Gpu) -> str:
    """Return the roofline of kernels that do floating-point operations, as SVG: each at what is attainable for it."""
    shown = [profile for profile in profiles if profile.intensity is not None][: len(_COLORS)]
    scale = _Scale(gpu, [profile.intensity or 1.0 for profile in shown])
    units = {unit for profile in shown for unit in profile.operations if unit in gpu.peaks} or {"vector f32"}
    elements = [
        svg.text(_LEFT, 32, f"Roofline: {gpu.name} ({gpu.target})", font_size=18, font_weight="600", fill=svg.INK),
        svg.text(_LEFT, 52, "Bounds from emulated counts and data-sheet rates; nothing was timed.", **_small()),
        *_grid(scale),
        *_roofs(scale, gpu, sorted(units)),
        *_kernels(scale, gpu, shown),
    ]
    text = f"Attainable operations per second by operations per byte, for {len(shown)} kernels."
    return svg.picture(_WIDTH, _HEIGHT, f"Roofline of {gpu.name}", text, elements)


def _small(**more: float | str) -> dict[str, float | str]:
    return {"font_size": 12, "fill": svg.FAINT, **more}


def _line(x1: float, y1: float, x2: float, y2: float, color: str, width: float = 1, dashes: str = "") -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{color}" stroke-width="{width:g}"{dashed}/>'


def _grid(scale: _Scale) -> Iterator[str]:
    low, high = _HEIGHT - _BOTTOM, _TOP
    for power in range(scale.left, scale.right + 1):
        x = scale.x(10.0**power)
        yield _line(x, low, x, high, "#e5e7eb")
        yield svg.text(x, low + 18, f"{10.0**power:g}", **_small(text_anchor="middle"))
    for power in range(scale.bottom, scale.top + 1):
        y = scale.y(10.0**power)
        yield _line(_LEFT, y, _WIDTH - _RIGHT, y, "#e5e7eb")
        yield svg.text(_LEFT - 8, y + 4, _rate(10.0**power), **_small(text_anchor="end"))
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    yield svg.text(middle, low + 38, "operations per byte of global memory", **_small(text_anchor="middle"))


def _roofs(scale: _Scale, gpu: Gpu, units: Sequence[str]) -> Iterator[str]:
    peaks = [gpu.peaks[unit] for unit in units]
    start = max(10.0**scale.left, 10.0**scale.bottom / gpu.bandwidth)
    ridge = max(peaks) / gpu.bandwidth
    yield _line(scale.x(start), scale.y(start * gpu.bandwidth), scale.x(ridge), scale.y(max(peaks)), svg.INK, 2)
    taken: list[float] = []
    for unit, peak in sorted(zip(units, peaks, strict=True), key=lambda item: -item[1]):
        y = scale.y(peak)
        yield _line(scale.x(peak / gpu.bandwidth), y, _WIDTH - _RIGHT, y, svg.INK, 2)
        if all(abs(y - other) > 13 for other in taken):
            label = f"{unit}: {_rate(peak)}"
            yield svg.text(_WIDTH - _RIGHT - 4, y - 6, label, font_size=12, fill=svg.INK, text_anchor="end")
            taken.append(y)
    at = math.sqrt(start * min(ridge, 10.0**scale.right))
    x, y = scale.x(at), scale.y(at * gpu.bandwidth)
    label = f"memory: {gpu.bandwidth / 1e12:.3g} TB/s"
    yield svg.text(x - 8, y - 8, label, font_size=12, fill=svg.INK, text_anchor="end")


def _kernels(scale: _Scale, gpu: Gpu, shown: Sequence[KernelProfile]) -> Iterator[str]:
    for index, (profile, color) in enumerate(zip(shown, _COLORS, strict=False)):
        limit = bound(profile, gpu)
        x, y = scale.x(profile.intensity or 1.0), scale.y(max(limit.rate, 10.0**scale.bottom))
        yield _line(x, _HEIGHT - _BOTTOM, x, y, color, 1, "3 3")
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="{color}"/>'
        column, row = index % 2, index // 2
        legend_x, legend_y = _LEFT + column * (_WIDTH - _LEFT - _RIGHT) / 2, _HEIGHT - 68 + 18 * row
        yield f'<circle cx="{legend_x + 5:.1f}" cy="{legend_y - 4:.1f}" r="5" fill="{color}"/>'
        yield svg.text(legend_x + 16, legend_y, f"{_short(profile.kernel)}: {limit.by}", font_size=12, fill=svg.INK)


def _short(kernel: str) -> str:
    name = kernel.split("(", 1)[0]
    return name if len(name) <= 40 else f"{name[:39]}…"


def _rate(rate: float) -> str:
    for unit, size in (("Pop/s", 1e15), ("Top/s", 1e12), ("Gop/s", 1e9)):
        if rate >= size:
            return f"{rate / size:.4g} {unit}"
    return f"{rate / 1e6:.4g} Mop/s"
