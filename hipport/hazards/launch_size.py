"""HP211, HP212, HP213: launches with more shared memory, threads or blocks than HIP has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.hazards.shared_size import too_much
from hipport.passes.work import Work
from hipport.source import Span
from hipport.syntax.brackets import split_arguments
from hipport.syntax.calls import Launch, launches

WORDS = frozenset({"__global__"})
_THREADS = 1024
_GRID = 1 << 32
_DIM3 = re.compile(r"dim3\s*[({]|\{")

Extent = tuple["int | None", ...]


def run(work: Work) -> Iterator[Diagnostic]:
    """Report launches whose constants exceed the limits."""
    for launch in launches(work.unit):
        if isinstance(launch, Launch) and len(launch.configuration) >= 2:
            grid, block = (_extent(work, span) for span in launch.configuration[:2])
            yield from _block(work, launch.configuration[1], block)
            yield from _grid(work, launch.configuration[0], grid, block)
            for dynamic in launch.configuration[2:3]:
                yield from too_much(work, dynamic, "this launch asks for")


def _block(work: Work, span: Span, block: Extent) -> Iterator[Diagnostic]:
    threads = 1
    for size in block:
        threads *= size or 1
    if threads > _THREADS:
        message = f"a block of {threads} threads: the limit is {_THREADS}, as in CUDA"
        yield work.report(span, "HP212", Severity.ERROR, message, "Launch smaller blocks.")


def _grid(work: Work, span: Span, grid: Extent, block: Extent) -> Iterator[Diagnostic]:
    for axis, blocks, threads in zip("xyz", grid, block, strict=False):
        if blocks is not None and blocks * (threads or 1) >= _GRID:
            message = f"{blocks} blocks of {threads or 'several'} threads in {axis}: HIP counts threads in 32 bits"
            advice = "Launch fewer blocks and let each thread do several elements, or use another dimension."
            yield work.report(span, "HP213", Severity.ERROR, message, advice)


def _extent(work: Work, span: Span) -> Extent:
    """The three sizes of a dimension, None where not known."""
    code = work.unit.code
    match = _DIM3.match(code, span.start, span.end)
    if match is None:
        return (work.flow.constants.text(span), 1, 1)
    parts = [work.flow.constants.text(part) for part in split_arguments(code, match.end(), span.end - 1)]
    return tuple((*parts, 1, 1, 1)[:3])
