"""Estimate roughly what is left to do in a file, for sorting; not a promise."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from msgspec import Struct

from hipport.diagnostics import Diagnostic, Severity
from hipport.report.kinds import kind

MINUTES = {Severity.ERROR: 30.0, Severity.WARNING: 10.0, Severity.NOTE: 0.0}
"""Minutes for the first finding of a kind in a file: to understand, fix and test it."""
REPEATED = 0.15
"""Fraction of these for each further finding of the same kind."""


class Estimate(Struct, frozen=True):
    """The work left in one file: `minutes`, and the number of findings by severity."""

    path: str
    minutes: float
    counts: Mapping[Severity, int]


def estimates(diagnostics: Iterable[Diagnostic]) -> list[Estimate]:
    """Return one estimate for each file with findings, most work first."""
    files: dict[str, list[Diagnostic]] = defaultdict(list)
    for diagnostic in diagnostics:
        files[diagnostic.path].append(diagnostic)
    found = [Estimate(path, minutes(of), Counter(one.severity for one in of)) for path, of in files.items()]
    return sorted(found, key=lambda file: (-file.minutes, file.path))


def minutes(diagnostics: Iterable[Diagnostic]) -> float:
    """Return the estimate for the findings of one file, in minutes."""
    kinds = Counter(map(kind, diagnostics))
    return sum(MINUTES[what.severity] * (1 + REPEATED * (count - 1)) for what, count in kinds.items())


def spelled(value: float) -> str:
    """Return the time as `25 min` or `3.5 h`."""
    return f"{value:.0f} min" if value < 90 else f"{value / 60:.1f} h"
