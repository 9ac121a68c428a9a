"""HP116: a source that is not complete, so that what is behind the gap may be missed."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.syntax.balance import missing
from hipport.translate.syntax.prologue import guard_branch
from hipport.translate.work import Work


def run(work: Work) -> Iterator[Diagnostic]:
    """Report the first comment, string, bracket or condition without an end or a beginning."""
    found = missing(work.unit)
    if found is not None:
        line, _ = work.unit.source.position(found.offset)
        message = (
            f"did not parse from line {line} (a {found.what} without its counterpart); constructs there may be missed"
        )
        conditional = work.unit.branch_at(found.offset) != guard_branch(work.unit)
        advice = "Correct the source: no compiler accepts it" + (" where its condition holds." if conditional else ".")
        severity = Severity.WARNING if conditional else Severity.ERROR
        if not _has_cuda(work):
            severity = Severity.NOTE
        yield work.report(Span(found.offset, found.offset + 1), "HP116", severity, message, advice)


def _has_cuda(work: Work) -> bool:
    """Return whether anything in the file is CUDA that may be missed: trees have broken files that nobody compiles."""
    unit = work.unit
    by_name = unit.source.name.lower().endswith((".cu", ".cuh"))
    return by_name or bool(work.references.used or unit.launches or unit.shadow.device_words)
