"""Which operands of an `asm` statement can be read and written where they are, without a copy.

PTX takes all inputs before the first instruction and hands out all results after the last. C++ that reads and writes
the operands in place does the same only where no early write can change what is read later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hipport.ptx.operands import BoundOperand
from hipport.ptx.output import Event

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


def in_place(operands: Sequence[BoundOperand], events: Sequence[Event]) -> Iterator[int]:
    """The numbers of those operands; `events` is what happens to all operands, in order."""
    inputs = {
        number for number, operand in enumerate(operands) if not operand.output and _input(number, operand, events)
    }
    yield from inputs
    for number, operand in enumerate(operands):
        if operand.output and _output(number, operands, events, inputs):
            yield number


def _input(number: int, operand: BoundOperand, events: Sequence[Event]) -> bool:
    """A constant, a local variable, or an expression that is read before anything changes."""
    if operand.constant or operand.local:
        return True
    places = [at for at, event in enumerate(events) if event.number == number]
    changed = next((at for at, event in enumerate(events) if event.what != "read"), len(events))
    return all(at < changed for at in places) and (len(places) <= 1 or operand.pure)


def _output(number: int, operands: Sequence[BoundOperand], events: Sequence[Event], inputs: set[int]) -> bool:
    """An output after whose first write nothing is read that the write may have changed."""
    operand = operands[number]
    places = [at for at, event in enumerate(events) if event.number == number]
    first = next((at for at in places if events[at].what == "write"), None)
    if first is None:
        return _input(number, operand, events)
    if (len(places) > 1 and not operand.pure) or any(other.tied == number for other in operands):
        return False
    later = [event for event in events[first + 1 :] if event.number not in (number, -1)]
    return all(_unharmed(event, operand, operands[event.number], inputs) for event in later)


def _unharmed(event: Event, written: BoundOperand, other: BoundOperand, inputs: set[int]) -> bool:
    if other.constant or (not other.output and event.number not in inputs):
        return True
    if other.output and event.what == "write":
        return written.text not in _IDENTIFIER.findall(other.text)
    return other.local and written.local and other.text != written.text
