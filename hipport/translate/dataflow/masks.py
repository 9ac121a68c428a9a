"""Lane masks: where ballots are stored, and where their bits are counted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hipport.source import Span
from hipport.translate.dataflow.flow import Flow, called
from hipport.translate.dataflow.function import Function, Variable, first_child
from hipport.translate.dataflow.origins import MASK_OPERATORS, ballots
from hipport.translate.syntax.unit import Node

_WIDE = re.compile(r"\b(?:long|u?int64_t|size_t|uint64|ull|auto)\b")
_NARROW = re.compile(r"\b(?:int|unsigned|u?int32_t|uint|short|char|u?int16_t|u?int8_t|uint32)\b")
_SIGNED = re.compile(r"(?:signed\s+)?(?:int|short|char|int32_t|int16_t|int8_t)(?:\s+int)?\Z")


@dataclass(frozen=True, slots=True)
class Counted:
    """A call such as `__popc(mask)` of a value that comes from ballots.

    `safe`: counting all 64 bits gives the intended result, because no signed 32-bit variable is in between. `direct`:
    there is no variable in between at all.
    """

    function: str
    name: Span
    call: Node
    inside: Function
    ballots: tuple[Node, ...]
    safe: bool
    direct: bool


def is_narrow(variable: Variable) -> bool:
    """Return whether a variable has 32 bits or fewer."""
    return not variable.pointer and not _WIDE.search(variable.type) and _NARROW.search(variable.type) is not None


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
                safe = not any(_SIGNED.match(variable.type) for variable in through)
                yield Counted(called(call), name, call, function, found, safe, not through)


def _holds_ballot(flow: Flow, function: Function, variable: Variable, known: dict[Span, bool]) -> bool:
    if variable.place not in known:
        known[variable.place] = any(True for value in variable.values for _ in ballots(flow, value, function))
    return known[variable.place]
