"""Bar charts of `hipport llm bench` results as standalone SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hipport.svg import FAINT, INK, picture, rect, text

_WIDTH, _EDGE, _HEAD, _ROW, _LABEL, _BARS = 760, 24, 78, 34, 300, 330


def svg(title: str, subtitle: str, rows: Sequence[tuple[str, float]]) -> str:
    """Return an SVG with a bar for each row (name, tokens per second), top to bottom."""
    height = _HEAD + _ROW * len(rows) + 12
    description = "; ".join(f"{name}: {rate:,.0f}" for name, rate in rows)
    heads = (
        text(_EDGE, 34, title, font_size=17, font_weight=600, fill=INK),
        text(_EDGE, 57, subtitle, font_size=13, fill=FAINT),
    )
    return picture(_WIDTH, height, title, description, (*heads, *_bars(rows)))


def _bars(rows: Sequence[tuple[str, float]]) -> Iterator[str]:
    most = max((rate for _, rate in rows), default=1.0)
    for number, (name, rate) in enumerate(rows):
        top, left = _HEAD + _ROW * number, _EDGE + _LABEL
        length = max(1.0, _BARS * rate / most)
        yield text(left - 10, top + 18, name, font_size=13, fill=INK, text_anchor="end")
        yield rect(left, top, f"{length:.1f}", _ROW - 10, rx=3, fill="#2f6fb1")
        yield text(f"{left + length + 8:.1f}", top + 18, f"{rate:,.0f}", font_size=13, fill=INK)
