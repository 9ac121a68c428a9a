"""The windows of attention, which differ from layer to layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hipport.llm.model.architectures import Architecture
from hipport.llm.model.values import count

_PATTERN = 6
"""Every sixth layer of Gemma 3 sees all positions."""
MOST_LAYERS = 1000
"""Bounds the time spent on files that are not models."""


def read_windows(data: Mapping[str, Any], architecture: Architecture, layers: int) -> tuple[int, ...]:
    """Return how many positions a token of each layer sees, 0 for all; no numbers if no layer has a window.

    `data` is the contents of `config.json`. Raises `ValueError`.
    """
    if not data.get("sliding_window") or not data.get("use_sliding_window", architecture.windows != "later"):
        return ()
    window = count(data, "sliding_window")
    found = tuple(window if slides else 0 for slides in _slides(data, architecture, layers))
    return found if any(found) else ()


def _slides(data: Mapping[str, Any], architecture: Architecture, layers: int) -> Sequence[bool]:
    if (kinds := data.get("layer_types")) is not None:
        if not isinstance(kinds, list) or len(kinds) != layers:
            raise ValueError(f"layer_types is not a list of {layers} layers")
        if unknown := [kind for kind in kinds if kind not in ("full_attention", "sliding_attention")]:
            raise ValueError(f"layers of type {unknown[0]!r} are not supported")
        return [kind == "sliding_attention" for kind in kinds]
    if architecture.windows == "later":
        first = data.get("max_window_layers", layers)
        if not isinstance(first, int):
            raise ValueError(f"max_window_layers is {first!r}")
        return [layer >= first for layer in range(layers)]
    if architecture.windows == "all":
        return [True] * layers
    pattern = 2 if architecture.windows == "alternate" else count(data, "sliding_window_pattern", _PATTERN)
    return slides_except(pattern, layers)


def slides_except(pattern: int, layers: int) -> list[bool]:
    """Return which layers have a window: all but those whose number, from 1 on, is a multiple of `pattern`."""
    return [(layer + 1) % pattern != 0 for layer in range(layers)]
