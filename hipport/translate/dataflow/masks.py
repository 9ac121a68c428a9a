"""Lane masks: where ballots are stored, and where their bits are counted."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hipport.source import Span
from hipport.translate.dataflow.flow import Flow, called
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
    for function in flow.functions(names):
        held: dict[Span, bool] = {}
        for call in function.calls:
            callee, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
            if callee is None or arguments is None or called(call) not in names:
                continue
            argument = first_child(arguments)
            found = tuple(ballots(flow, argument, function))
            if found and argument is not None:
                name = Span(callee.start_byte, callee.end_byte)
                through = [
                    variable
                    for variable in flow.variables(argument, function, MASK_OPERATORS)
                    if _holds_ballot(flow, function, variable, held)
                ]
                safe = not any(flow.types.is_signed(variable.type) for variable in through)
                wide = not (through or _has_unknown(flow, argument, function)) or _is_wide(flow, argument, function)
                yield Counted(called(call), name, call, argument, function, found, safe, not through, wide)


def _is_wide(flow: Flow, argument: Node, function: Function) -> bool:
    """Return whether an argument is a variable of 64 bits."""
    name = text_of(argument)
    variable = function.variable(name, argument.start_byte) if argument.type == "identifier" else None
    return variable is not None and flow.types.is_wide(variable.type)


def _has_unknown(flow: Flow, argument: Node, function: Function) -> bool:
    """Return whether parameters are in a value: those of a template may have 32 bits."""
    return any(variable.parameter for variable in flow.variables(argument, function, MASK_OPERATORS))


def _holds_ballot(flow: Flow, function: Function, variable: Variable, known: dict[Span, bool]) -> bool:
    if variable.place not in known:
        known[variable.place] = any(True for value in variable.values for _ in ballots(flow, value, function))
    return known[variable.place]
