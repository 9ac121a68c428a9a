"""The table of rotary position embedding."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from hipport.llm.model.rope_scaling import Rope


def rope_table(rope: Rope, head_width: int, positions: int) -> npt.NDArray[np.float32]:
    """Return the cosines and sines, [positions][head_width / 2][2]."""
    angles = np.arange(positions)[:, None] * frequencies(rope, head_width)
    return (np.stack((np.cos(angles), np.sin(angles)), axis=2) * rope.attention).astype(np.float32)


def frequencies(rope: Rope, head_width: int) -> npt.NDArray[np.float64]:
    """Return the rotation of each pair of dimensions in radians per position."""
    plain = rope.theta ** (-np.arange(0, head_width, 2) / head_width)
    if rope.divisors:
        return plain / np.array(rope.divisors)
    if rope.original == 0:
        return plain / rope.factor
    turns = plain * rope.original / (2 * math.pi)
    kept = np.clip((turns - rope.low) / (rope.high - rope.low), 0.0, 1.0)
    return plain * (kept + (1.0 - kept) / rope.factor)
