"""Renaming of CUDA names to HIP names; names without a counterpart are left unchanged and reported."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.counts import count_of
from hipport.diagnostics import Diagnostic, Severity
from hipport.mappings.entry import ArgChange, Kind
from hipport.source import Edit, Replace, Span
from hipport.translate.passes import (
    averages,
    c_sources,
    cross_lane,
    cub_warps,
    feature_tests,
    hip_branches,
    shown_versions,
)
from hipport.translate.passes.variants import variant
from hipport.translate.references import Reference
from hipport.translate.syntax.compiled import OF_LACKING_HEADERS, test_of
from hipport.translate.syntax.labels import case_label
from hipport.translate.syntax.lexer import Branch, DirectiveKind
from hipport.translate.work import Work


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Rewrite every reference by the tables."""
    doubled = _doubled_cases(work)
    for reference in work.references.found:
        entry, span = reference.entry, reference.span
        if _is_handled(work, reference):
            continue
        if (dropped := _dropped(work, reference)) is not None:
            yield dropped
            continue
        if entry.hip is None:
            yield from _without_counterpart(work, reference)
            continue
        change = variant(work, reference)
        if change is not None and change.op == "refuse":
            yield _refused(work, reference, change)
            continue
        hip = change.text if change is not None else entry.hip.name
        if span.start in doubled:
            yield from _doubled(work, reference, doubled[span.start], hip)
        elif hip != entry.name:
            yield _renamed(work, reference, hip)
        if entry.note and entry.name not in cross_lane.JUDGED:
            yield work.report(span, "HP108", Severity.NOTE, f"{entry.name}: {entry.note}")


def _without_counterpart(work: Work, reference: Reference) -> Iterator[Edit | Diagnostic]:
    entry, span = reference.entry, reference.span
    label = case_label(work.unit, span) if entry.kind is Kind.ENUMERATOR and not entry.ordinary else None
    if label is not None:
        yield from _left_out(work, reference, label)
    elif not entry.ordinary and not _is_definition_line(work, span) and not _chooses_pragma(work, reference):
        yield missing(work, reference)


def _doubled_cases(work: Work) -> dict[int, Span]:
    """Return the labels of cases for whose value a `switch` has a case above, by the places of their names.

    They are two values in CUDA and one in HIP, so the second case never occurs.
    """
    unit = work.unit
    if "switch" not in unit.words:
        return {}
    same: dict[str, list[Reference]] = defaultdict(list)
    for reference in work.references.found:
        if reference.entry.kind is Kind.ENUMERATOR and reference.entry.hip is not None:
            same[reference.entry.hip.name].append(reference)
    doubled: dict[int, Span] = {}
    for references in same.values():
        if len({reference.entry.name for reference in references}) > 1:
            above: dict[int, list[Branch]] = defaultdict(list)
            for span in sorted((reference.span for reference in references), key=lambda span: span.start):
                label, switch = case_label(unit, span), unit.enclosing(span, "switch_statement")
                if label is not None and switch is not None:
                    path = unit.branch_at(span.start)
                    if any(path[: len(other)] == other for other in above[switch.start_byte]):
                        doubled[span.start] = label
                    above[switch.start_byte].append(path)
    return doubled


def _doubled(work: Work, reference: Reference, label: Span, hip: str) -> Iterator[Edit | Diagnostic]:
    name = reference.entry.name
    yield Replace(label.start, label.end, f"/* case {name}: {hip} above */")
    message = f"the case of {name} is removed: in HIP it is {hip}, which has a case already"
    yield work.report(reference.span, "HP101", Severity.NOTE, message)


def _is_handled(work: Work, reference: Reference) -> bool:
    """Return whether another pass translates a reference, or HIP's function of the name is right for its arguments."""
    taken = cross_lane.takes_over(work, reference) or cub_warps.takes_over(work, reference)
    taken = taken or hip_branches.handles(work, reference) or c_sources.refuses(work, reference)
    taken = taken or feature_tests.handles(work, reference) or averages.of_halves(work, reference)
    return taken or shown_versions.handles(work, reference)


_OF_PRAGMAS = frozenset({"__NVCC_DIAG_PRAGMA_SUPPORT__"})
"""Macros whose tests choose between spellings of nvcc's pragmas about messages, which other compilers ignore."""


def _chooses_pragma(work: Work, reference: Reference) -> bool:
    line = work.unit.directive_at(reference.span.start)
    return reference.entry.name in _OF_PRAGMAS and line is not None and line.kind is DirectiveKind.CONDITION


def _is_definition_line(work: Work, span: Span) -> bool:
    """Return whether this is the name in `#define NAME` or `#undef NAME`, harmless unless it is tested."""
    line = work.unit.directive_at(span.start)
    if line is None or line.kind is DirectiveKind.CONDITION:
        return False
    return line.kind is not DirectiveKind.DEFINE or span.start < line.body.start


_QUALIFIES = re.compile(r"\s*::\s*(?=([A-Za-z_]\w*))")


def _dropped(work: Work, reference: Reference) -> Replace | None:
    """Return the edit that removes a name which HIP does without.

    `cudaError_t::` is left out before an enumerator that hipport's own headers have, since that is outside of the type.
    """
    if reference.entry.drop:
        return work.unit.without_word(reference.span)
    match = _QUALIFIES.match(work.unit.code, reference.span.end)
    entry = work.context.tables.names.get(match[1]) if match is not None else None
    if match is None or entry is None or not entry.support or entry.kind is not Kind.ENUMERATOR:
        return None
    return Replace(reference.span.start, match.end(), "")


_TAG = re.compile(r"\b(?:struct|union|enum)\s+\Z")


def _renamed(work: Work, reference: Reference, hip: str) -> Edit:
    """Return the new name; behind `struct`, the tag of a typedef, or the typedef without `struct` if it is not known.

    The tag is right in headers that declare the type only by using it, too.
    """
    span, tag = reference.span, reference.entry.tag
    match = None if tag is None else _TAG.search(work.unit.code, max(0, span.start - 256), span.start)
    if match is None:
        return Replace(span.start, span.end, hip)
    return Replace(span.start, span.end, tag) if tag else Replace(match.start(), span.end, hip)


def _refused(work: Work, reference: Reference, change: ArgChange) -> Diagnostic:
    arguments = count_of(change.arity or 0, "argument")
    message = f"{reference.entry.name} with {arguments} has no counterpart in HIP: {change.text}"
    return work.report(reference.span, "HP101", Severity.ERROR, message, reference.entry.alternative)


def _left_out(work: Work, reference: Reference, label: Span) -> Iterator[Edit | Diagnostic]:
    """Remove the `case` label of a value that HIP lacks: the case never occurs, so the meaning is unchanged."""
    name = reference.entry.name
    yield Replace(label.start, label.end, f"/* case {name}: not in HIP */")
    message = f"the case of {name} is removed: {reference.entry.reason or 'HIP has no such value'}"
    yield work.report(reference.span, "HP101", Severity.NOTE, message)


def missing(work: Work, reference: Reference) -> Diagnostic:
    """Report a missing name: a macro tested in an `#if` only selects a branch, anything else will not compile."""
    entry = reference.entry
    line = work.unit.directive_at(reference.span.start)
    asked = entry.kind is Kind.MACRO and line is not None and line.kind is DirectiveKind.CONDITION
    lack = f"is not in CUDA {work.context.tables.releases.cuda}" if entry.absent else "has no counterpart in HIP"
    message = f"{entry.name} {lack}"
    if entry.reason:
        message += f": {entry.reason}"
    severity = Severity.WARNING if asked else Severity.ERROR
    if asked and entry.name in OF_LACKING_HEADERS:
        message += "; no header of ROCm defines it"
        severity = Severity.NOTE
    elif macro := _lacking_around(work, reference.span.start):
        message += f"; no header of ROCm defines {macro}, so that this code is left out"
        severity = Severity.NOTE
    return work.report(reference.span, "HP101", severity, message, entry.alternative)


def _lacking_around(work: Work, offset: int) -> str:
    """Return the macro of a header that ROCm lacks, if a condition around asks for one; or ""."""
    tests = (test_of(work.unit, *branch) for branch in work.unit.branch_at(offset))
    return next((macro for macro in tests if macro in OF_LACKING_HEADERS), "")
