"""HP204: warps of 32 lanes and warps of `warpSize` lanes in one function."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.dataflow.cross_lane import REDUCTIONS, SHUFFLES, SHUFFLES_SYNC
from hipport.translate.dataflow.function import Function, called, first_child, text_of
from hipport.translate.dataflow.lanes import Lanes, shuffle_step, shuffle_width
from hipport.translate.hazards import wavefront
from hipport.translate.hazards.shared_by_lane import is_lane
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = frozenset({"warpSize"})
_PTX_LANES = re.compile(r"%(?:laneid|lanemask_|warpid)|\b(?:shfl|vote|match)\.")
"""Matches lane-dependent inline PTX: its warps have 32 lanes, and the translation keeps that."""
_LAST = frozenset({"==", "!=", "<", ">="})
_ADVICE = "Use 32 everywhere for logical warps of 32 lanes, or warpSize everywhere for whole wavefronts."


def run(work: Work) -> Iterator[Diagnostic]:
    """Report functions that assume warps of 32 lanes at one place, and of the hardware's size at another."""
    if wavefront.only_32(work):
        return
    for function in wavefront.device_functions(work, work.warps.wave_names):
        wave = next(work.warps.wave_size_places(function), None)
        fixed = next(_fixed(work, function), None) if wave is not None else None
        if wave is not None and fixed is not None:
            yield _report(work, fixed, wave)


def _fixed(work: Work, function: Function) -> Iterator[Span]:
    """Yield where a function assumes 32 lanes."""
    for node in function.nodes:
        name = called(node) if node.type == "call_expression" else ""
        if name in SHUFFLES | SHUFFLES_SYNC:
            if _is_32_wide(work, function, node) or _wraps_at_32(work, function, node):
                yield wavefront.span(node)
        elif name in REDUCTIONS or _is_ptx_of_lanes(work, node) or _is_tile_of_32(work, function, node):
            yield wavefront.span(node)
    if any(True for _ in work.warps.exchanges(function)):
        yield from (wavefront.span(split) for split in work.warps.splits(function))
        yield from (wavefront.span(node) for node in function.nodes if _is_last_lane(work, function, node))


def _is_32_wide(work: Work, function: Function, call: Node) -> bool:
    width = shuffle_width(call)
    if width is not None:
        return work.flow.constant(width, function) == 32 or (
            work.warps.is_wave_size(width, function) and work.warps.steps_over_32(call, function)
        )
    return work.warps.at(call, call.start_byte) is Lanes.LOGICAL_32


def _wraps_at_32(work: Work, function: Function, call: Node) -> bool:
    """Return whether a shuffle reads a constant lane from 32 on, which is lane % 32 in CUDA."""
    lane = shuffle_step(call) if called(call) in ("__shfl", "__shfl_sync") else None
    if lane is None or shuffle_width(call) is not None:
        return False
    number = work.flow.constant(lane, function)
    return number >= 32 if number is not None else _counts_to_32(work, function, lane)


def _counts_to_32(work: Work, function: Function, lane: Node) -> bool:
    """Return whether a lane is computed with 32 lanes in mind: `31 - lane`, `lane + 33`, `lane - 32`, `lane ^ 31`."""
    for leaf in (lane, *work.flow.leaves(lane, function, set())):
        if leaf.type != "binary_expression":
            continue
        operator = text_of(leaf.child_by_field_name("operator"))
        left, right = (leaf.child_by_field_name(side) for side in ("left", "right"))
        first, second = work.flow.constant(left, function), work.flow.constant(right, function)
        if operator == "-" and (first == 31 or (second is not None and second >= 32)):
            return True
        if operator == "+" and max(first or 0, second or 0) >= 32:
            return True
        if operator == "^" and 31 in (first, second):
            return True
    return False


def _is_last_lane(work: Work, function: Function, node: Node) -> bool:
    """Return whether a lane below `warpSize` is compared with the last one of 32: `lane == 31`."""
    operator = text_of(node.child_by_field_name("operator")) if node.type == "binary_expression" else ""
    if operator not in _LAST:
        return False
    sides = [node.child_by_field_name(side) for side in ("left", "right")]
    if 31 not in [work.flow.constant(side, function) for side in sides]:
        return False
    return any(is_lane(work, leaf, function) for side in sides for leaf in work.flow.leaves(side, function, set()))


def _is_ptx_of_lanes(work: Work, node: Node) -> bool:
    if node.type != "gnu_asm_expression":
        return False
    return _PTX_LANES.search(work.unit.original(wavefront.span(node))) is not None


def _is_tile_of_32(work: Work, function: Function, node: Node) -> bool:
    if node.type != "template_function" or text_of(node.child_by_field_name("name")) != "tiled_partition":
        return False
    arguments = node.child_by_field_name("arguments")
    first = first_child(arguments)
    return work.flow.constant(first, function) == 32


def _report(work: Work, fixed: Span, wave: Span) -> Diagnostic:
    line, _ = work.unit.source.position(wave.start)
    message = f"a warp has 32 lanes here, but warpSize lanes in line {line}: they differ on wavefronts of 64"
    return work.report(fixed, "HP204", Severity.WARNING, message, _ADVICE)
