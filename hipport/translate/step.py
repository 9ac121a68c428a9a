"""Passes and checks as steps of a translation, which need not be run again where they would say the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct

from hipport.diagnostics import Diagnostic
from hipport.files.facts import Kind
from hipport.source import Edit
from hipport.translate.work import Work

Step = Callable[[Work], Iterator[Edit | Diagnostic]]


class Said(Struct, frozen=True):
    """The edits and diagnostics of a step for a file, and the kinds of facts of other files that it asked for."""

    results: tuple[Edit | Diagnostic, ...]
    heard: frozenset[Kind]


def run(steps: Iterable[Step], work: Work, before: Mapping[Step, Said]) -> dict[Step, Said]:
    """Run steps; `before` is what they said when nothing was told, of the same file with the same references.

    What a step says depends on the file, its references and the facts that it asks for. So where nobody tells any of
    these kinds, it says the same again.
    """
    return {step: _said(step, work, before.get(step)) for step in steps}


def _said(step: Step, work: Work, before: Said | None) -> Said:
    if before is not None and before.heard.isdisjoint(work.kinds_told):
        return before
    work.heard.clear()
    results = tuple(step(work))
    return Said(results, frozenset(work.heard))
