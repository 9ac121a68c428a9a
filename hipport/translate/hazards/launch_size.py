"""HP211, HP212, HP213: launches with more shared memory, threads or blocks than HIP allows."""

from __future__ import annotations

import math
from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.dataflow.constants import evaluate
from hipport.translate.dataflow.function import Variable, text_of
from hipport.translate.hazards import wavefront
from hipport.translate.hazards.shared_size import too_much
from hipport.translate.syntax.brackets import split_arguments
from hipport.translate.syntax.calls import Launch, launches
from hipport.translate.work import Work

WORDS = frozenset({"__global__"})
_THREADS = 1024
_GRID = 1 << 32
_DIM3 = re.compile(r"dim3\s*[({]|\{")

_LANES = "warpSize"
_MEMBER = re.compile(r"[A-Za-z_][\w\[\]]*(?:\.|->)warpSize\b")
_ASKED = re.compile(
    r"&\s*(\w+)\s*,\s*(?:cudaDevAttrWarpSize|hipDeviceAttributeWarpSize)\b"
    r"|\b(\w+)\s*=\s*[A-Za-z_][\w\[\]]*(?:\.|->)warpSize\s*;"
)
"""Matches host variables that are assigned the device's warp size."""
_WARP_SIZE = re.compile(r"[wW]arpSize")
_WINDOW = 100
"""How far before and after that word to look, in characters."""

Extent = tuple["int | None", ...]


def run(work: Work) -> Iterator[Diagnostic]:
    """Report launches whose constant configuration exceeds the limits."""
    asked = _asked(work.unit.code)
    with_lanes = "arpSize" in work.unit.code and not wavefront.only_32(work)
    for launch in launches(work.unit):
        if isinstance(launch, Launch) and len(launch.configuration) >= 2:
            grid, block = (_extent(work, span) for span in launch.configuration[:2])
            yield from _block(work, launch.configuration[1], block)
            if with_lanes:
                yield from _block_of_warps(work, launch.configuration[1], asked)
            yield from _grid(work, launch.configuration[0], grid, block)
            for dynamic in launch.configuration[2:3]:
                yield from too_much(work, dynamic, "this launch requests")


def _block(work: Work, span: Span, block: Extent) -> Iterator[Diagnostic]:
    threads = 1
    for size in block:
        threads *= size or 1
    if threads > _THREADS:
        message = f"a block of {threads} threads exceeds the limit of {_THREADS}: the launch fails, as in CUDA"
        yield work.report(span, "HP212", Severity.WARNING, message, "Launch smaller blocks.")


def _asked(code: str) -> frozenset[str]:
    """Return the host variables that are assigned the device's warp size."""
    windows = (code[max(0, each.start() - _WINDOW) : each.end() + _WINDOW] for each in _WARP_SIZE.finditer(code))
    return frozenset(name for window in windows for match in _ASKED.finditer(window) for name in match.groups() if name)


def _block_of_warps(work: Work, span: Span, asked: frozenset[str]) -> Iterator[Diagnostic]:
    """Report blocks with a number of warps that fits at 32 threads per warp, but not at 64."""
    narrow, wide = (_threads(work, span, lanes, asked) for lanes in (32, 64))
    if narrow is not None and wide is not None and narrow <= _THREADS < wide:
        message = f"with a warpSize of 64, this block has {wide} threads, which exceeds the limit of {_THREADS}"
        advice = "Compute the number of warps per block from a number of threads."
        yield work.report(span, "HP212", wavefront.severity(work), message, advice)


def _threads(work: Work, span: Span, lanes: int, asked: frozenset[str]) -> int | None:
    """Return a block's number of threads for a given number of lanes; None if unknown."""
    code = work.unit.code
    function = work.flow.function_at(span.start)

    def lookup(name: str) -> int | None:
        variable = function.variable(name, span.start) if function is not None else None
        if name == _LANES or (name in asked and (variable is None or not _other_values(work, variable))):
            return lanes
        return work.flow.constants.value(name) if variable is None else None

    match = _DIM3.match(code, span.start, span.end)
    parts = split_arguments(code, match.end(), span.end - 1) if match is not None else [span]
    sizes = [evaluate(_MEMBER.sub(_LANES, code[part.start : part.end]), lookup) for part in parts]
    return None if None in sizes else math.prod(size for size in sizes if size is not None)


def _other_values(work: Work, variable: Variable) -> bool:
    """Return whether a variable has a constant value: `int warp_size = 32;`."""
    values = (evaluate(text_of(value), work.flow.constants.value) for value in variable.values)
    return any(value for value in values)


def _grid(work: Work, span: Span, grid: Extent, block: Extent) -> Iterator[Diagnostic]:
    for axis, blocks, threads in zip("xyz", grid, block, strict=False):
        if blocks is not None and blocks * (threads or 1) >= _GRID:
            message = f"{blocks} blocks of {threads or 'several'} threads in {axis}: HIP counts threads in 32 bits"
            advice = "Launch fewer blocks and process several elements per thread, or use another dimension."
            yield work.report(span, "HP213", Severity.ERROR, message, advice)


def _extent(work: Work, span: Span) -> Extent:
    """Return the three sizes of a dimension, None where unknown."""
    code = work.unit.code
    match = _DIM3.match(code, span.start, span.end)
    if match is None:
        return (work.flow.constants.text(span), 1, 1)
    parts = [work.flow.constants.text(part) for part in split_arguments(code, match.end(), span.end - 1)]
    return tuple((*parts, 1, 1, 1)[:3])
