"""Values in the metadata of models, which are untrusted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_LARGEST_COUNT = 2**31 - 1
"""The engine's sizes have 32 bits."""
_LARGEST, _SMALLEST = 1e30, 1e-30
"""Bounds within which numbers give finite results. RoPE's base reaches 4e9, an epsilon 1e-12."""


def count(data: Mapping[str, Any], key: str, default: int | None = None) -> int:
    """Return the positive integer at `key`, or `default` if it is missing.

    Raises `KeyError` if it is missing without a default, `ValueError` if it is not a positive integer of 31 bits.
    """
    value = data[key] if default is None else data.get(key)
    value = default if value is None else value
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= _LARGEST_COUNT:
        raise ValueError(f"{key} is {shown(value)}")
    return value


def finite(data: Mapping[str, Any], key: str, default: float | None = None) -> float:
    """Return the number at `key`, or `default` if it is missing or null.

    Raises `KeyError` if it is missing without a default, `ValueError` if it is not a number, or far too large or small.
    """
    value = data.get(key)
    value = default if value is None else value
    if value is None:
        raise KeyError(key)
    return number(value, key)


def positive(data: Mapping[str, Any], key: str, default: float | None = None) -> float:
    """Return what `finite` returns. Raises `ValueError` for 0 and below, too."""
    value = finite(data, key, default)
    if value <= 0.0:
        raise ValueError(f"{key} is {value}")
    return value


def number(value: Any, name: str) -> float:
    """Return a value as a number. Raises `ValueError` if it is not a number, or far too large or small."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not (value == 0 or _SMALLEST <= abs(value) <= _LARGEST):
        raise ValueError(f"{name} is {shown(value)}")
    return float(value)


def shown(value: Any) -> str:
    """Return a value for a message, shortened if it is long. Python refuses to print integers of 4300 digits."""
    if isinstance(value, int) and value.bit_length() > 64:
        return f"an integer of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
