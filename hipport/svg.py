"""Pictures as SVG that stands alone: the frame, rectangles and text. Attributes are written in the order given."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

INK, FAINT = "#1a1a1a", "#5a5a5a"
"""Colors of text on white: the usual one, and that of what matters less."""

_FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"


def picture(width: int, height: int, title: str, description: str, elements: Iterable[str]) -> str:
    """Return a picture of elements on white, with a title and a description for screen readers."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
            f' role="img" aria-labelledby="title description" font-family="{_FONT}">',
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="description">{escape(description)}</desc>',
            f'<rect width="{width}" height="{height}" rx="8" fill="#ffffff"/>',
            *elements,
            "</svg>",
            "",
        ]
    )


def text(x: float | str, y: float | str, words: str, **attributes: float | str) -> str:
    """Return a line of text, with attributes such as `font_size`."""
    return f"<text{_written(x=x, y=y, **attributes)}>{escape(words)}</text>"


def rect(
    x: float | str, y: float | str, width: float | str, height: float | str, hover: str = "", **attributes: float | str
) -> str:
    """Return a rectangle; `hover` is shown under the pointer."""
    opened = f"<rect{_written(x=x, y=y, width=width, height=height, **attributes)}"
    return f"{opened}><title>{escape(hover)}</title></rect>" if hover else f"{opened}/>"


def _written(**attributes: float | str) -> str:
    return "".join(f' {name.replace("_", "-")}="{_spelled(value)}"' for name, value in attributes.items())


def _spelled(value: float | str) -> str:
    return escape(value) if isinstance(value, str) else f"{value:g}"
