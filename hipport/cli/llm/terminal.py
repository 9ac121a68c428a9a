"""A model's words on a terminal, which they must not steer."""

from __future__ import annotations

_CONTROLS = dict.fromkeys([*range(9), *range(11, 32), *range(127, 160)], "\ufffd")


def harmless(text: str) -> str:
    """A text without control characters but for lines and tabs."""
    return text.translate(_CONTROLS)
