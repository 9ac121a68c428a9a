"""Embedding lookup: rows of a table for tokens, plus rows of another for their positions."""

from __future__ import annotations

import numpy as np

from hipport.llm.harness.kernel import Call, Kernel, Output, Sizes, Work, doubles, halves
from hipport.llm.weights.tensors import Array


def make(random: np.random.Generator, sizes: Sizes) -> Call:
    """Make a call; the second table is omitted if sizes["plain"] is 1."""
    rows, width, table_rows = sizes["rows"], sizes["width"], sizes["table_rows"]
    numbers = [random.integers(0, table_rows, rows).astype(np.int32) for _ in range(2)]
    tables = [halves(random, table_rows, width) for _ in range(2)]
    more = (None, None) if sizes.get("plain") else (numbers[1], tables[1])

    def expected() -> dict[int, Array]:
        found = doubles(tables[0][numbers[0]])
        return {2: found if sizes.get("plain") else found + doubles(tables[1][numbers[1]])}

    return Call((rows, width), (numbers[0], tables[0], Output((rows, width)), *more), expected)


def work(sizes: Sizes) -> Work:
    """Count the rows of both tables read and the result written."""
    elements = sizes["rows"] * sizes["width"]
    return Work((4 if sizes.get("plain") else 6) * elements, elements)


KERNEL = Kernel(
    "embedding",
    "rows of a table, each plus a row of another table",
    timed={"rows": 16384, "width": 4096, "table_rows": 32768},
    checks=(
        {"rows": 5, "width": 96, "table_rows": 11},
        {"rows": 3, "width": 1030, "table_rows": 4},
        {"rows": 17, "width": 13, "table_rows": 2, "plain": 1},
    ),
    drawn={"rows": range(1, 70), "width": range(1, 900), "table_rows": range(1, 9), "plain": (0, 1)},
    make=make,
    work=work,
    limit="copy",
)
