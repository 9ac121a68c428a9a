"""Sanitize a model's output for a terminal."""

from __future__ import annotations

_CONTROLS = dict.fromkeys([*range(9), *range(11, 32), *range(127, 160)], "\ufffd")


def harmless(text: str) -> str:
    """Replace control characters other than line feeds and tabs."""
    return text.translate(_CONTROLS)
