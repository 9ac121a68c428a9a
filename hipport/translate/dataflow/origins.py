"""Origins of values that depend on lanes: the thread index, `warpSize`, ballots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hipport import lazy_re as re
from hipport.translate.dataflow.across import arguments, callees, return_type, returns
from hipport.translate.dataflow.cross_lane import BALLOTS, COALESCED
from hipport.translate.dataflow.flow import ARITHMETIC, Flow, cast_type
from hipport.translate.dataflow.function import Function, Variable, called, text_of
from hipport.translate.syntax.unit import Node

MASK_OPERATORS = ARITHMETIC - {"%", "/", "*"}
"""Operators whose result is a lane mask if an operand is one."""

_THREAD = re.compile(r"threadIdx\s*\.\s*[xyz]\Z")
_BLOCK_SIZE = re.compile(r"(?:blockDim\s*\.\s*[xyz]|(?:\w+\.)+(?:size|num_threads|group_dim)\(\).*)\Z")
_SOURCES = BALLOTS | COALESCED
_GROUP_BALLOTS = frozenset({"ballot", "match_any", "match_all"})
_RANK = frozenset({"thread_rank"})


def is_thread_index(flow: Flow, node: Node | None, function: Function) -> bool:
    """Return whether an expression is a thread's index in its block or grid: `threadIdx.x` or a sum with it.

    `threadIdx.x * 4` and `threadIdx.x / 4` are not: lanes are not numbered that way.
    """
    if node is None:
        return False
    known = flow.notes["thread indices"]
    key = node.id, function.span.start
    if key not in known:
        known[key] = any(_is_thread(leaf, flow, function) for leaf in flow.leaves(node, function, {"+", "-"}))
    found: bool = known[key]
    return found


def _is_thread(leaf: Node, flow: Flow, function: Function) -> bool:
    if leaf.type == "field_expression":
        return _THREAD.match(text_of(leaf)) is not None
    if leaf.type == "call_expression":
        return called(leaf) in _RANK
    if leaf.type == "binary_expression":  # blockDim.x * (... + threadIdx.y)
        return _is_row(leaf, flow, function)
    return False


def _is_row(product: Node, flow: Flow, function: Function) -> bool:
    operator = product.child_by_field_name("operator")
    if operator is None or operator.type != "*" or len(product.named_children) != 2:
        return False
    first, second = product.named_children
    return any(
        _BLOCK_SIZE.match(text_of(size)) is not None and is_thread_index(flow, index, function)
        for size, index in ((first, second), (second, first))
    )


def uses_wave_size(flow: Flow, node: Node | None, function: Function, names: frozenset[str]) -> bool:
    """Return whether a value depends on `warpSize` or a macro (one of `names`) that expands to it."""
    return any(leaf.type == "identifier" and text_of(leaf) in names for leaf in flow.leaves(node, function, ARITHMETIC))


def ballots(flow: Flow, node: Node | None, function: Function) -> Sequence[Node]:
    """Return the calls whose lane masks a value is made of.

    Values are followed through the variables of the function, and through results and parameters of the file's
    functions that have 64 bits or an unknown type.
    """
    return _all_ballots(flow, node, function, wide=False)


def wide_ballots(flow: Flow, node: Node | None, function: Function) -> Sequence[Node]:
    """Return the calls whose lane masks reach a value without passing through a variable or a cast of 32 bits."""
    return _all_ballots(flow, node, function, wide=True)


def _all_ballots(flow: Flow, node: Node | None, function: Function, *, wide: bool) -> Sequence[Node]:
    known = flow.notes["ballots"]
    if node is None:
        return ()
    key = node.id, function.span.start, wide
    if key not in known:
        known[key] = tuple(_ballots(flow, node, function, wide, set()))
    found: Sequence[Node] = known[key]
    return found


def _ballots(flow: Flow, node: Node | None, function: Function, wide: bool, seen: set[int]) -> Iterator[Node]:
    if flow.unit.words.isdisjoint(_SOURCES) and not flow.told.ballots:
        return

    def ends(part: Node, variable: Variable | None) -> bool:
        return wide and flow.types.is_narrow(variable.type if variable is not None else cast_type(part))

    for leaf in flow.leaves(node, function, MASK_OPERATORS, ends):
        if leaf.type == "call_expression":
            if called(leaf) in BALLOTS or called(leaf) in flow.told.ballots or _is_group_ballot(leaf, function):
                yield leaf
            else:
                yield from _returned(flow, leaf, function, seen)
    for variable in flow.variables(node, function, MASK_OPERATORS, ends):
        if variable.parameter and not flow.types.is_narrow(variable.type) and variable.place.start not in seen:
            seen.add(variable.place.start)
            for given, caller in arguments(flow, function, variable):
                yield from _ballots(flow, given, caller, True, seen)


def _returned(flow: Flow, call: Node, function: Function, seen: set[int]) -> Iterator[Node]:
    for definition, owner in callees(flow, call, function):
        if definition.start_byte not in seen and not flow.types.is_narrow(return_type(definition)):
            seen.add(definition.start_byte)
            for value in returns(definition):
                yield from _ballots(flow, value, owner, True, seen)


def _is_group_ballot(call: Node, function: Function) -> bool:
    """Return whether a call is `active.ballot(p)` or the like on a `coalesced_group`.

    Such a group holds lanes of the whole wavefront; a tile has its own size.
    """
    callee = call.child_by_field_name("function")
    if callee is None or callee.type != "field_expression" or called(call) not in _GROUP_BALLOTS:
        return False
    return is_coalesced(callee.child_by_field_name("argument"), function)


def is_coalesced(group: Node | None, function: Function) -> bool:
    """Return whether an expression is a `coalesced_group`: `coalesced_threads()`, or a variable that holds one."""
    if group is not None and group.type == "call_expression":
        return called(group) == "coalesced_threads"
    variable = function.variable(text_of(group), group.start_byte) if group is not None else None
    if variable is None:
        return False
    made = any(part.type == "call_expression" and called(part) == "coalesced_threads" for part in variable.values)
    return made or variable.type.endswith("coalesced_group")
