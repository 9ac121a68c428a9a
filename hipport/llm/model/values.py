"""Values in the metadata of models, which are untrusted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def count(data: Mapping[str, Any], key: str, default: int | None = None) -> int:
    """Return the positive integer at `key`, or `default` if it is missing.

    Raises `KeyError` if it is missing without a default, `ValueError` if it is not a positive integer.
    """
    value = data[key] if default is None else data.get(key)
    value = default if value is None else value
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{key} is {value!r}")
    return value


def finite(data: Mapping[str, Any], key: str, default: float | None = None) -> float:
    """Return the number at `key`, or `default` if it is missing or null.

    Raises `KeyError` if it is missing without a default, `ValueError` if it is not a finite number.
    """
    value = data.get(key, default)
    value = default if value is None else value
    if value is None:
        raise KeyError(key)
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{key} is {value!r}")
    return number
