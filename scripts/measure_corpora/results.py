"""Results of measuring: the units of trees, their outcomes and errors."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FAILURES = {"fails reported", "fails unreported"}
QUOTED = re.compile(r"'([^']+)'")


@dataclass(frozen=True)
class Error:
    """One error of the compiler, and the code of the finding that is about it, if any."""

    path: str
    line: int
    message: str
    finding: str = ""


@dataclass(frozen=True)
class Unit:
    """The outcome of one unit and its errors."""

    unit: str
    outcome: str
    errors: list[Error] = field(default_factory=list)


@dataclass(frozen=True)
class Measured:
    """The results for one tree."""

    tree: str
    units: int
    conversion: float
    parse: float
    results: list[Unit]

    def count(self, outcome: str) -> int:
        """Return how many units have an outcome."""
        return sum(unit.outcome == outcome for unit in self.results)

    def errors(self, *, reported: bool) -> int:
        """Return how many different errors the units that fail have; errors about the same names count once."""
        failing = [unit for unit in self.results if unit.outcome in FAILURES]
        told = {_about_names(error) for unit in failing for error in unit.errors if error.finding}
        silent = {_about_names(error) for unit in failing for error in unit.errors if not error.finding}
        return len(told if reported else silent - told)


def _about_names(error: Error) -> tuple[str, ...]:
    return tuple(QUOTED.findall(error.message)) or (error.message,)


def read(path: Path) -> list[Measured]:
    """Return the results in a JSON file."""
    trees = json.loads(path.read_text())
    return [Measured(**{**tree, "results": [_unit(row) for row in tree["results"]]}) for tree in trees]


def _unit(row: Mapping[str, Any]) -> Unit:
    return Unit(row["unit"], row["outcome"], [Error(**error) for error in row["errors"]])
