"""Read output in the format of the OSU micro-benchmarks."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """The name of a test, the columns after the size, and a row of words for each size."""

    name: str
    columns: list[str]
    rows: dict[int, list[str]]

    def column(self, name: str) -> list[str]:
        number = self.columns.index(name)
        return [row[number] for row in self.rows.values()]


def parse(text: str) -> Table:
    """Return the table; raise AssertionError for other lines, and for misaligned columns."""
    lines = text.splitlines()
    title = re.fullmatch(r"# hipport MPI (.+) Test", lines[0])
    assert title and lines[1] == "# Send Buffer on DEVICE (D) and Receive Buffer on DEVICE (D)"
    assert lines[2].startswith("# Size ")
    columns = re.split(r" {2,}", lines[2].removeprefix("# Size").strip())
    rows = {}
    for line in lines[3:]:
        assert len(line) == len(lines[2]), line
        size, *words = line.split()
        assert len(words) == len(columns), line
        rows[int(size)] = words
    return Table(title[1], columns, rows)
