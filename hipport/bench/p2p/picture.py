"""Draw a result as SVG: a matrix of colored cells for each way of copying and kind of measurement."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hipport.bench.p2p.measurements import Matrix, Measurements
from hipport.bench.p2p.promises import explanations
from hipport.bench.p2p.table import share
from hipport.svg import FAINT, INK, picture, rect, text

_OWN = "#e4e4e4"
_LIGHT, _DARK = (0xEA, 0xF2, 0xFB), (0x08, 0x45, 0x94)
_CELL, _HEIGHT, _LABEL, _GAP, _EDGE = 66, 44, 52, 28, 24
_HEAD, _PANEL_HEAD = 84, 46


@dataclass(frozen=True, slots=True)
class _Panel:
    """One matrix: `lines` returns the text of a cell, at most two lines."""

    title: str
    values: Matrix
    lines: Callable[[int, int, float], tuple[str, ...]]


def svg(result: Measurements) -> str:
    """Return a self-contained picture, with a text description for accessibility."""
    rows = [list(_panels(result, number)) for number in range(len(result.ways))]
    side = _LABEL + _CELL * len(result.devices)
    tall = _PANEL_HEAD + _HEIGHT * len(result.devices) + _GAP
    notes = explanations(result)
    width = max(2 * _EDGE + len(rows[0]) * (side + _GAP) - _GAP, 760)
    height = _HEAD + len(rows) * tall + 18 * len(notes) + 12
    elements = (
        _text(_EDGE, 36, _title(result), size=17, weight=600),
        _text(_EDGE, 60, _subtitle(result), size=13, fill=FAINT),
        *(
            line
            for down, panels in enumerate(rows)
            for across, panel in enumerate(panels)
            for line in _drawn(panel, _EDGE + across * (side + _GAP), _HEAD + down * tall)
        ),
        *(_text(_EDGE, height - 14 - 18 * i, note, size=12, fill=FAINT) for i, note in enumerate(reversed(notes))),
    )
    return picture(width, height, _title(result), "; ".join(_description(result)), elements)


def _title(result: Measurements) -> str:
    names = {device.name: 0 for device in result.devices}
    for device in result.devices:
        names[device.name] += 1
    return "Copies between GPUs: " + ", ".join(f"{count}x {name}" for name, count in names.items())


def _subtitle(result: Measurements) -> str:
    return f"from row to column, copies of {result.bytes / 2**20:,.0f} MiB, {result.date}; gray: within a GPU"


def _description(result: Measurements) -> Iterator[str]:
    for way in result.ways:
        pairs = [v for s, row in enumerate(way.one_way) for t, v in enumerate(row) if v is not None and s != t]
        if pairs:
            yield f"{way.name}: {min(pairs) / 1e9:,.0f} to {max(pairs) / 1e9:,.0f} GB/s between GPUs"


def _panels(result: Measurements, number: int) -> Iterator[_Panel]:
    way = result.ways[number]

    def rate(directions: int) -> Callable[[int, int, float], tuple[str, ...]]:
        def lines(source: int, target: int, value: float) -> tuple[str, ...]:
            found = share(result, source, target, value, directions)
            return (f"{value / 1e9:,.0f}", *((f"{found:.0%}",) if found else ()))

        return lines

    yield _Panel(f"{way.name}: GB/s", way.one_way, rate(1))
    if len(result.devices) > 1:
        yield _Panel("both directions at once: GB/s", way.both_ways, rate(2))
    yield _Panel(f"{result.small_bytes} bytes: µs", way.latency, lambda source, target, value: (f"{value * 1e6:.1f}",))


def _drawn(panel: _Panel, x: int, y: int) -> Iterator[str]:
    top, left = y + _PANEL_HEAD, x + _LABEL
    most = max((v for s, row in enumerate(panel.values) for t, v in enumerate(row) if v and s != t), default=0.0)
    yield _text(x, y + 14, panel.title, size=13, weight=600)
    for source, row in enumerate(panel.values):
        yield _text(left + _CELL * source + _CELL / 2, top - 8, f"GPU {source}", size=12, fill=FAINT, anchor="middle")
        middle = top + _HEIGHT * source + _HEIGHT / 2 + 4
        yield _text(left - 8, middle, f"GPU {source}", size=12, fill=FAINT, anchor="end")
        for target, value in enumerate(row):
            if value is not None:
                fill, ink = (_OWN, INK) if source == target else _colours(value / most)
                lines = panel.lines(source, target, value)
                yield from _cell(left + _CELL * target, top + _HEIGHT * source, lines, fill, ink)


def _colours(part: float) -> tuple[str, str]:
    """Return the color of a cell with this share of the largest value, and a text color that contrasts with it."""
    mixed = [round(light + (dark - light) * part) for light, dark in zip(_LIGHT, _DARK, strict=True)]
    return f"#{mixed[0]:02x}{mixed[1]:02x}{mixed[2]:02x}", "#ffffff" if part > 0.55 else INK


def _cell(x: float, y: float, lines: tuple[str, ...], fill: str, ink: str) -> Iterator[str]:
    yield rect(x, y, _CELL - 2, _HEIGHT - 2, rx=3, fill=fill)
    first = y + _HEIGHT / 2 + 4 - 8 * (len(lines) - 1)
    for number, line in enumerate(lines):
        size = 12 if number else 14
        yield _text(x + _CELL / 2 - 1, first + 16 * number, line, size=size, fill=ink, anchor="middle")


def _text(
    x: float, y: float, words: str, *, size: int, fill: str = INK, weight: int = 400, anchor: str = "start"
) -> str:
    return text(x, y, words, font_size=size, font_weight=weight, text_anchor=anchor, fill=fill)
