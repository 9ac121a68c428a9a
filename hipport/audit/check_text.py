"""Render the result of a check as text lines and as data for JSON."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from hipport.audit.check import AuditResult, Miss
from hipport.counts import count_of


def lines(result: AuditResult) -> Iterator[str]:
    """Yield a summary, followed by every problem."""
    excused = len(result.misses) - len(result.open)
    found = sum(result.found.values())
    yield (
        f"{result.source}: {count_of(found, 'name')} found, {len(result.open):,} missing, {excused:,} missing for "
        "known reasons, "
        f"{sum(result.unjudged.values()):,} without headers to check"
    )
    for library, misses in _by_library(result.open).items():
        yield f"  missing in {library}:"
        yield from (f"    {_claim(miss)}" for miss in misses)
    for one in result.idle:
        yield f"  accepted.yaml:{one.line}: no longer needed: {', '.join(one.names.patterns)} ({one.reason})"
    for library, (now, floor) in sorted(result.fallen.items()):
        yield f"  {library}: {count_of(now, 'name')} found, fewer than the recorded {floor:,}"


def reasons(result: AuditResult) -> Iterator[str]:
    """Yield the accepted misses, grouped by reason."""
    by_reason: dict[str, list[str]] = defaultdict(list)
    for miss in result.misses:
        if miss.reason:
            by_reason[miss.reason].append(miss.claim.name)
    for reason, names in by_reason.items():
        yield f"  {reason}:"
        yield f"    {', '.join(sorted(names))}"


def _by_library(misses: Iterable[Miss]) -> dict[str, list[Miss]]:
    found: dict[str, list[Miss]] = defaultdict(list)
    for miss in misses:
        found[miss.claim.library].append(miss)
    return dict(sorted(found.items()))


def _claim(miss: Miss) -> str:
    claim = miss.claim
    return claim.name if claim.name == claim.cuda else f"{claim.name} (for {claim.cuda})"


def data(result: AuditResult) -> dict[str, Any]:
    """Return the result as data for JSON."""
    return {
        "source": result.source,
        "release": result.release,
        "passed": result.passed,
        "found": dict(sorted(result.found.items())),
        "unjudged": dict(sorted(result.unjudged.items())),
        "missing": [_miss(miss) for miss in result.misses],
        "idle": [{"line": one.line, "names": list(one.names.patterns), "reason": one.reason} for one in result.idle],
        "fallen": {library: {"found": now, "floor": floor} for library, (now, floor) in result.fallen.items()},
    }


def _miss(miss: Miss) -> dict[str, str | None]:
    claim = miss.claim
    return {"library": claim.library, "cuda": claim.cuda, "name": claim.name, "accepted": miss.reason or None}
