"""Includes that parts of a file need: files included in braces, in a list or by a macro, which get none themselves."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.files.facts import Kind
from hipport.files.inclusion import operands
from hipport.source import Edit
from hipport.translate.inclusion import RUNTIME, is_in_code
from hipport.translate.passes import insertion
from hipport.translate.passes.runtime_include import missing_runtime
from hipport.translate.syntax.includes import includes
from hipport.translate.work import Work


def run(work: Work) -> Iterator[Edit]:
    """Include the headers that the translations of a file's parts need."""
    headers = {*operands(Kind.NEEDS, work.told(Kind.NEEDS))}
    if missing_runtime(work) is not None:
        headers.discard(RUNTIME)
    if headers:
        places = [line.span.start for line in includes(work.unit) if is_in_code(work.unit, line)]
        yield from insertion.include(work, headers, min(places, default=len(work.unit.code)))
