"""Memory copy."""

from __future__ import annotations

import numpy as np

from hipport.llm.harness.kernel import Call, Kernel, Output, Sizes, Work
from hipport.llm.weights.tensors import Array


def make(random: np.random.Generator, sizes: Sizes) -> Call:
    """Make a call with random words."""
    words = random.integers(0, 2**32, sizes["words"], np.uint32)

    def expected() -> dict[int, Array]:
        return {1: words}

    return Call((sizes["words"],), (words, Output(words.shape, np.uint32)), expected)


def work(sizes: Sizes) -> Work:
    """Count one read and one write per word."""
    return Work(8 * sizes["words"])


KERNEL = Kernel(
    "copy",
    "memory copy",
    timed={"words": 1 << 26},
    checks=({"words": 4096}, {"words": 1}),
    drawn={"words": range(1, 10000)},
    make=make,
    work=work,
    limit="copy",
)
