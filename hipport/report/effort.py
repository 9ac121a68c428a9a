"""A rough estimate of what is left to do in a file, to sort by: not a promise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from hipport.diagnostics import Diagnostic, Severity

MINUTES = {Severity.ERROR: 30.0, Severity.WARNING: 10.0, Severity.NOTE: 0.0}
"""For the first finding of a kind in a file: to understand it, mend it and try it."""
REPEATED = 0.15
"""The share of that for each further one of the same kind."""


def minutes(diagnostics: Iterable[Diagnostic]) -> float:
    """The estimate for the findings of one file, in minutes."""
    kinds = Counter((found.severity, found.code, found.message) for found in diagnostics)
    return sum(MINUTES[severity] * (1 + REPEATED * (count - 1)) for (severity, _, _), count in kinds.items())


def spelled(value: float) -> str:
    """`25 min` or `3.5 h`."""
    return f"{value:.0f} min" if value < 90 else f"{value / 60:.1f} h"
