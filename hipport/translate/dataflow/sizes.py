"""Parameters of functions and templates that are the number of lanes in a warp: `template <int W>`, `int width`."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.dataflow.cross_lane import SHUFFLES, SHUFFLES_SYNC
from hipport.translate.dataflow.function import Function, first_child, parameter_nodes, text_of, walk
from hipport.translate.dataflow.lanes import Lanes, Warps, shuffle_step, shuffle_width
from hipport.translate.syntax.brackets import matching_close, skip_blanks, split_arguments, template_close
from hipport.translate.syntax.unit import Node

_HALVING = re.compile(r"([A-Za-z_]\w*)\s*(?:/\s*2|>>\s*1)\s*\)?\Z")
_WRITTEN = re.compile(r"([tcp])(\d+)(?:d(32|0))?\Z")


class SizeParameter(Struct, frozen=True):
    """A parameter: `kind` is "t" of a function template, "c" of a class template, "p" of a function.

    `default`: the lanes that its default value stands for.
    """

    kind: str
    index: int
    default: Lanes | None = None

    def __str__(self) -> str:
        default = {None: "", Lanes.LOGICAL_32: "d32", Lanes.WAVEFRONT: "d0"}[self.default]
        return f"{self.kind}{self.index}{default}"


def read_size(text: str) -> SizeParameter | None:
    """Return the parameter that `str` has written."""
    match = _WRITTEN.match(text)
    if match is None:
        return None
    default = {"32": Lanes.LOGICAL_32, "0": Lanes.WAVEFRONT}.get(match[3])
    return SizeParameter(match[1], int(match[2]), default)


def size_parameters(warps: Warps, function: Function) -> Iterator[SizeParameter]:
    """Yield the parameters of a function that its shuffles take for the number of lanes in a warp."""
    names = set(_sizes(warps, function))
    for kind, parameters in (("p", parameter_nodes(function.node)), *_template_parameters(warps, function)):
        for index, node in enumerate(parameters):
            declarator = node.child_by_field_name("declarator")
            if declarator is not None and text_of(declarator) in names:
                default = node.child_by_field_name("default_value")
                yield SizeParameter(kind, index, lanes_of(warps, default, function) if default is not None else None)


def lanes_of(warps: Warps, node: Node | None, function: Function) -> Lanes | None:
    """Return the lanes that a value stands for: 32 or `warpSize`."""
    if warps.flow.constant(node, function) == 32:
        return Lanes.LOGICAL_32
    return Lanes.WAVEFRONT if warps.is_wave_size(node, function) else None


def _sizes(warps: Warps, function: Function) -> Iterator[str]:
    """Yield the names of variables that are widths, bounds of steps, or twice the first step of shuffles."""
    for call in warps.calls(function, SHUFFLES | SHUFFLES_SYNC):
        step = shuffle_step(call)
        yield text_of(shuffle_width(call))
        if step is None:
            continue
        condition = warps.loop_condition(step, function)
        if condition is not None and text_of(first_child(condition)) in text_of(step):
            yield text_of(condition.child_by_field_name("right"))
        variable = function.variable(text_of(step), step.start_byte)
        for value in (step, *(variable.values if variable is not None else ())):
            halving = _HALVING.search(text_of(value))
            if halving is not None:
                yield halving[1]


def _template_parameters(warps: Warps, function: Function) -> Iterator[tuple[str, list[Node]]]:
    kind, node = "t", warps.flow.unit.parent(function.node)
    while node is not None:
        if node.type in ("struct_specifier", "class_specifier"):
            kind = "c"
        elif node.type == "template_declaration":
            parameters = node.child_by_field_name("parameters")
            yield kind, parameters.named_children if parameters is not None else []
        node = warps.flow.unit.parent(node)


def size_given(warps: Warps, caller: Function, place: Span, owner: str, size: SizeParameter) -> Lanes | None:
    """Return the lanes that a call at the name `place` gives for a parameter, or those of its default."""
    code = warps.flow.unit.code
    start = place.end
    if size.kind == "c":
        found = list(re.finditer(rf"\b{re.escape(owner)}\s*(?=<)", code[caller.span.start : place.end + 1]))
        if not owner or not found:
            return size.default
        start = caller.span.start + found[-1].end()
    opening = skip_blanks(code, start)
    close = template_close(code, opening, len(code)) if code[opening : opening + 1] == "<" else None
    if size.kind == "p":
        opening = skip_blanks(code, close + 1 if close is not None else opening)
        close = matching_close(code, opening) if code[opening : opening + 1] == "(" else None
    given = split_arguments(code, opening + 1, close) if close is not None else ()
    if size.index >= len(given):
        return size.default
    return lanes_of(warps, _value_at(warps, given[size.index]), caller)


def _value_at(warps: Warps, span: Span) -> Node | None:
    node = warps.flow.unit.node_at(span)
    return next((each for each in walk(node) if each.start_byte >= span.start), None) if node is not None else None
