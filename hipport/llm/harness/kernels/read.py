"""Memory read."""

from __future__ import annotations

import numpy as np

from hipport.llm.harness.kernel import Call, Kernel, Sizes, Work
from hipport.llm.weights.tensors import Array


def make(random: np.random.Generator, sizes: Sizes) -> Call:
    """Make a call with random words, and a nonzero word in the output buffer."""
    words = random.integers(0, 2**32, sizes["words"], np.uint32)
    before = np.array([0x12345678], np.uint32)

    def expected() -> dict[int, Array]:
        return {1: before ^ np.bitwise_xor.reduce(words)}

    return Call((sizes["words"],), (words, before), expected)


def work(sizes: Sizes) -> Work:
    """Count one read per word."""
    return Work(4 * sizes["words"])


KERNEL = Kernel(
    "read",
    "memory read: the XOR of all words",
    timed={"words": 1 << 27},
    checks=({"words": 4096}, {"words": 7}),
    drawn={"words": range(1, 10000)},
    make=make,
    work=work,
    limit="read",
)
