"""The stored table: statistics of the kernels' code when it was last written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.amd_code.units import ROOT, TARGETS, Row

FILE = ROOT / "docs" / "data" / "amd-code.json"


@dataclass(frozen=True, slots=True)
class Table:
    """The compilers by target, and the rows."""

    compilers: dict[str, str]
    rows: tuple[Row, ...]

    def by_key(self) -> dict[tuple[str, str, str], Row]:
        """Return the rows by key."""
        return {row.key: row for row in self.rows}

    def updated(self, other: Table, sources: Sequence[str]) -> Table:
        """Return the table with another one's rows of some sources, in the order of targets and sources."""
        kept = [row for row in self.rows if row.source not in sources]
        order = {target: i for i, target in enumerate(TARGETS)}
        rows = sorted((*kept, *other.rows), key=lambda row: (order[row.target], row.source))
        return Table(self.compilers | other.compilers, tuple(rows))


def read(path: Path = FILE) -> Table:
    """Read the stored table."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return Table(data["compilers"], tuple(Row.of_json(record) for record in data["rows"]))


def write(table: Table, path: Path = FILE) -> None:
    """Write a table, one row per line."""
    rows = ",\n".join(f"  {json.dumps(row.to_json())}" for row in table.rows)
    compilers = json.dumps(table.compilers)
    path.write_text(f'{{"compilers": {compilers},\n "rows": [\n{rows}\n]}}\n', encoding="utf-8")
