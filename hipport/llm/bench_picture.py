"""Bar charts of `hipport llm bench` results as standalone SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

_FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"
_PLAIN = 'font-size="13" fill="#1a1a1a"'
_WIDTH, _EDGE, _HEAD, _ROW, _LABEL, _BARS = 760, 24, 78, 34, 300, 330


def svg(title: str, subtitle: str, rows: Sequence[tuple[str, float]]) -> str:
    """Return an SVG with a bar for each row (name, tokens per second), top to bottom."""
    height = _HEAD + _ROW * len(rows) + 12
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}"'
            f' height="{height}" role="img" aria-labelledby="title description" font-family="{_FONT}">',
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="description">{escape("; ".join(f"{name}: {rate:,.0f}" for name, rate in rows))}</desc>',
            f'<rect width="{_WIDTH}" height="{height}" rx="8" fill="#ffffff"/>',
            f'<text x="{_EDGE}" y="34" font-size="17" font-weight="600" fill="#1a1a1a">{escape(title)}</text>',
            f'<text x="{_EDGE}" y="57" font-size="13" fill="#5a5a5a">{escape(subtitle)}</text>',
            *_bars(rows),
            "</svg>",
            "",
        ]
    )


def _bars(rows: Sequence[tuple[str, float]]) -> Iterator[str]:
    most = max((rate for _, rate in rows), default=1.0)
    for number, (name, rate) in enumerate(rows):
        top, left = _HEAD + _ROW * number, _EDGE + _LABEL
        length = max(1.0, _BARS * rate / most)
        yield f'<text x="{left - 10}" y="{top + 18}" {_PLAIN} text-anchor="end">{escape(name)}</text>'
        yield f'<rect x="{left}" y="{top}" width="{length:.1f}" height="{_ROW - 10}" rx="3" fill="#2f6fb1"/>'
        yield f'<text x="{left + length + 8:.1f}" y="{top + 18}" {_PLAIN}>{rate:,.0f}</text>'
