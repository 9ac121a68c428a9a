"""The stored predictions (docs/data/amd-prediction.json)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docs" / "data" / "amd-prediction.json"
_LAUNCHES = {"decode": 6, "prompt": 6, "native": 8}
"""Kernels of a token, and of a prompt: four products, the attention, and the head or the norms; two in two formats."""


@dataclass(frozen=True, slots=True)
class Row:
    """A launch of a model on a machine. `bounds`, `waits` and `seconds` are of one launch of `times`."""

    machine: str
    model: str
    kind: str
    """"decode" for a token, "native" for one with weights of a Q4_K_M file, "prompt" for a prompt of 512 tokens."""
    name: str
    kernel: str
    times: int
    seconds: float
    waits: float
    bounds: Mapping[str, float]
    bound: str
    reached: float
    waves: int
    instructions: int
    faster: float
    slower: float
    """Seconds with half and with twice the latency of memory."""

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.machine, self.model, self.kind, self.name

    @property
    def total(self) -> float:
        """Seconds of all launches."""
        return self.seconds * self.times


@dataclass(frozen=True, slots=True)
class Results:
    """All launches."""

    rows: tuple[Row, ...]

    def of(self, machine: str, model: str, kind: str) -> list[Row]:
        """Return the launches of a token or a prompt; none unless all have been predicted."""
        found = [row for row in self.rows if (row.machine, row.model, row.kind) == (machine, model, kind)]
        return found if len(found) == _LAUNCHES[kind] else []


def read(path: Path = FILE) -> Results:
    """Read the stored predictions."""
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return Results(tuple(Row(**row) for row in data["rows"]))


def write(results: Results, path: Path = FILE) -> None:
    """Write predictions, one launch per line."""
    rows = ",\n".join(f"  {json.dumps(_rounded(asdict(row)))}" for row in results.rows)
    path.write_text(f'{{"rows": [\n{rows}\n]}}\n', encoding="utf-8")


def _rounded(values: Any) -> Any:
    if isinstance(values, float):
        return float(f"{values:.4g}")
    if isinstance(values, Mapping):
        return {name: _rounded(value) for name, value in values.items()}
    return values


def total(rows: Iterable[Row]) -> float:
    """Return the seconds of launches one after the other."""
    return sum(row.total for row in rows)
