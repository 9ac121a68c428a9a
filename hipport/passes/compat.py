"""Headers of hipport's own, for names that the HIP of the chosen release lacks: included where such a name is used."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.passes import insertion, mixed_types
from hipport.passes.work import Work
from hipport.references import Reference
from hipport.source import Edit
from hipport.syntax.lexer import DirectiveKind


def run(work: Work) -> Iterator[Edit]:
    """Include the headers that declare what the file uses."""
    uses = [reference for reference in work.references.found if reference.entry.support and _needs(work, reference)]
    if uses:
        first = min(reference.span.start for reference in uses)
        yield from insertion.include(work, {reference.entry.support for reference in uses}, first)


def _needs(work: Work, reference: Reference) -> bool:
    """In `#ifdef NAME` and `#undef NAME` nothing is needed that declares the name."""
    if reference.entry.name in mixed_types.NAMES and not mixed_types.may_mix(work, reference):
        return False
    line = work.unit.directive_at(reference.span.start)
    return line is None or line.kind is DirectiveKind.DEFINE
