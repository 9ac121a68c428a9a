"""The table of rotary position embedding."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from hipport.llm.model.rope_scaling import Rope


def rope_table(rope: Rope, head_width: int, positions: int) -> npt.NDArray[np.float32]:
    """Return the cosines and sines, [positions][head_width / 2][2]. Pairs that are not rotated come last."""
    angles = np.arange(positions)[:, None] * frequencies(rope.for_positions(positions), head_width)
    table = np.zeros((positions, head_width // 2, 2))
    table[..., 0] = 1.0
    table[:, : angles.shape[1]] = np.stack((np.cos(angles), np.sin(angles)), axis=2) * rope.attention
    return table.astype(np.float32)


def frequencies(rope: Rope, head_width: int) -> npt.NDArray[np.float64]:
    """Return the rotation of each rotated pair of dimensions in radians per position."""
    width = rope.rotated or head_width
    plain = rope.theta ** (-np.arange(0, width, 2) / width)
    if rope.divisors:
        return plain / np.array(rope.divisors)
    if rope.original == 0:
        return plain / rope.factor
    turns = plain * rope.original / (2 * math.pi)
    kept = np.clip((turns - rope.low) / (rope.high - rope.low), 0.0, 1.0)
    return plain * (kept + (1.0 - kept) / rope.factor)


def rotated_order(rope: Rope, head_width: int, interleaved: bool = False) -> npt.NDArray[np.int64]:
    """Return, for each dimension of the engine's queries and keys, its dimension in the model.

    The engine rotates dimensions i and i + half of the head's width. A model that rotates only the first dimensions
    has the pairs half of those apart; dimensions that are not rotated are paired in any way. `interleaved`: the pairs
    are neighbors instead; all dimensions are rotated.
    """
    if interleaved:
        return np.arange(head_width).reshape(-1, 2).T.reshape(-1)
    width, half = rope.rotated or head_width, head_width // 2
    pairs = width // 2
    low = np.concatenate((np.arange(pairs), np.arange(width, width + half - pairs)))
    high = np.concatenate((np.arange(pairs, width), np.arange(width + half - pairs, head_width)))
    return np.concatenate((low, high))
