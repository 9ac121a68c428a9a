"""Lane masks: where ballots are stored, and where their bits are counted."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hipport.source import Span
from hipport.translate.dataflow.flow import Flow
from hipport.translate.dataflow.function import Function, Variable, first_child, text_of
from hipport.translate.dataflow.origins import MASK_OPERATORS, ballots
from hipport.translate.syntax.unit import Node


class Counted(Struct, frozen=True):
    """A call such as `__popc(mask)` of a value that comes from ballots.

    `safe`: counting all 64 bits gives the intended result, because no signed 32-bit variable is in between. `direct`:
    there is no variable in between at all. `wide`: the argument has 64 bits.
    """

    function: str
    name: Span
    call: Node
    argument: Node
    inside: Function
    ballots: tuple[Node, ...]
    safe: bool
    direct: bool
    wide: bool


def is_narrow(flow: Flow, variable: Variable) -> bool:
    """Return whether a variable has 32 bits or fewer."""
    return not variable.pointer and flow.types.is_narrow(variable.type)


def counted_ballots(flow: Flow, names: frozenset[str]) -> Iterator[Counted]:
    """Yield the calls to these functions on lane masks."""
    known = flow.notes["counted ballots"]
    for function in flow.functions(names):
        for name, call in function.named_calls:
            if name in names:
                if call.id not in known:
                    known[call.id] = _counted(flow, function, name, call)
                if (counted := known[call.id]) is not None:
                    yield counted


def _counted(flow: Flow, function: Function, name: str, call: Node) -> Counted | None:
    callee, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    argument = first_child(arguments)
    found = tuple(ballots(flow, argument, function))
    if not found or argument is None or callee is None:
        return None
    variables = flow.variables(argument, function, MASK_OPERATORS)
    through = [variable for variable in variables if _holds_ballot(flow, function, variable)]
    safe = not any(flow.types.is_signed(variable.type) for variable in through)
    wide = not (through or _has_unknown(flow, argument, function)) or _is_wide(flow, argument, function)
    span = Span(callee.start_byte, callee.end_byte)
    return Counted(name, span, call, argument, function, found, safe, not through, wide)


def _is_wide(flow: Flow, argument: Node, function: Function) -> bool:
    """Return whether an argument is a variable of 64 bits."""
    name = text_of(argument)
    variable = function.variable(name, argument.start_byte) if argument.type == "identifier" else None
    return variable is not None and flow.types.is_wide(variable.type)


def _has_unknown(flow: Flow, argument: Node, function: Function) -> bool:
    """Return whether parameters are in a value: those of a template may have 32 bits."""
    return any(variable.parameter for variable in flow.variables(argument, function, MASK_OPERATORS))


def _holds_ballot(flow: Flow, function: Function, variable: Variable) -> bool:
    return any(ballots(flow, value, function) for value in variable.values)
