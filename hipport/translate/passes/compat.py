"""Includes of hipport's own headers for names that the chosen HIP release lacks."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic
from hipport.files.facts import Kind
from hipport.source import Edit
from hipport.translate.own_names import HOST_MATH
from hipport.translate.passes import averages, c_sources, host_math, insertion, mixed_types, overloads, vector_types
from hipport.translate.passes.variants import variant
from hipport.translate.references import Reference
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.work import Work

_OF_GROUPS = frozenset({"invoke_one", "invoke_one_broadcast", "block_tile_memory"})
"""Names that are too generic to be CUDA's outside the namespace."""
_REPLACED = frozenset({"hipport/compat/cudnn.h", "hipport/compat/cudnn/rnn.h"})
"""Headers that declare all of a CUDA header: a file that uses the names includes it already, often in an `#ifdef`."""


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Include the headers that declare the names in use."""
    needed = [each for each in work.references.found if each.entry.support and _needs(work, each)]
    yield from c_sources.lacking(work, needed)
    uses = [(each.entry.support, each.span.start) for each in needed if not c_sources.lacks(work, each)]
    uses += [(header, each.span.start) for each in work.references.found if (header := _of_call(work, each))]
    support = work.context.tables.names["min"].support if mixed_types.NAMES & work.told(Kind.NAME) else ""
    uses += [(support, offset) for offset in mixed_types.beside_coordinates(work)] if support else []
    if uses:
        yield from insertion.include(work, {header for header, _ in uses}, min(offset for _, offset in uses))


def _of_call(work: Work, reference: Reference) -> str:
    """Return the header that a call needs because of its arguments; empty if it needs none."""
    if not any(change.header for change in reference.entry.args):
        return ""
    change = variant(work, reference)
    return change.header if change is not None else ""


def _of_host_or_float(work: Work, reference: Reference) -> bool:
    return host_math.may_be_hosts(work, reference) or (
        not reference.entry.name.endswith("f") and overloads.may_be_single(work, reference)
    )


def _needs(work: Work, reference: Reference) -> bool:
    """Return whether a reference needs its support header; `#ifdef NAME` and `#undef NAME` do not."""
    if reference.entry.support in _REPLACED:
        return False
    if reference.entry.name in mixed_types.NAMES and not mixed_types.may_mix(work, reference):
        return False
    if reference.entry.name in vector_types.NAMES and not vector_types.may_be_vector(work, reference):
        return False
    if reference.entry.support in HOST_MATH and not _of_host_or_float(work, reference):
        return False
    if averages.of_halves(work, reference) or not overloads.may_be_needed(work, reference):
        return False
    if reference.entry.name in _OF_GROUPS and "cooperative_groups" not in work.visible_words:
        return False
    line = work.unit.directive_at(reference.span.start)
    return line is None or line.kind is DirectiveKind.DEFINE
