"""HP117: functions and members of cooperative groups that HIP's do not have."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Kind
from hipport.source import Span
from hipport.translate.passes import free_functions
from hipport.translate.passes.shuffled_types import SHUFFLES
from hipport.translate.syntax.calls import call_of
from hipport.translate.syntax.definitions import is_declared_at
from hipport.translate.work import Work

_NAMESPACE = "cooperative_groups"
WORDS = frozenset({_NAMESPACE})
_MISSING = {
    "barrier_arrive": "Use sync(), which arrives and waits.",
    "barrier_wait": "Use sync(), which arrives and waits.",
}
_MEMBER = re.compile(r"(?:\.|->)\s*\Z")


def run(work: Work) -> Iterator[Diagnostic]:
    """Report what HIP's groups lack, and shuffles of structs by objects that may be groups."""
    for name, offset in work.unit.occurrences(frozenset(_MISSING) - work.told(Kind.NAME)):
        if work.unit.directive_at(offset) is None and not is_declared_at(work.unit, name, offset):
            message = f"HIP's cooperative groups have no {name}"
            yield work.report(Span(offset, offset + len(name)), "HP117", Severity.ERROR, message, _MISSING[name])
    yield from _shuffles(work)


def _shuffles(work: Work) -> Iterator[Diagnostic]:
    supplied = free_functions.rewritten(work)
    places = [place for place in work.unit.occurrences(SHUFFLES) if place not in supplied]
    types = work.aggregates if places else None
    for name, offset in places:
        span = Span(offset, offset + len(name))
        if types is None or not _MEMBER.search(work.unit.code, max(0, offset - 20), offset):
            continue
        call = call_of(work.unit, span)
        node = work.unit.node_at(call.arguments[0]) if call is not None and call.arguments else None
        kind = types.of(node)
        if kind.name:
            message = f"{name} of HIP's groups takes numbers only, not {kind.name}"
            yield work.report(
                span,
                "HP117",
                Severity.ERROR,
                message,
                "Shuffle each member of its own, or declare the group in this file.",
            )
