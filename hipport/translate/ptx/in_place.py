"""Selection of the operands of an `asm` statement that can be read and written in place, without a copy.

PTX reads all inputs before the first instruction and writes all results after the last. C++ that accesses the operands
in place is equivalent only if no early write can change a later read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hipport import lazy_re as re
from hipport.translate.ptx.operands import BoundOperand
from hipport.translate.ptx.output import Event

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


def in_place(operands: Sequence[BoundOperand], events: Sequence[Event]) -> Iterator[int]:
    """Yield the numbers of those operands; `events` are the accesses to all operands, in order."""
    inputs = {
        number for number, operand in enumerate(operands) if not operand.output and _input(number, operand, events)
    }
    yield from inputs
    for number, operand in enumerate(operands):
        if operand.output and _output(number, operands, events, inputs):
            yield number


def _input(number: int, operand: BoundOperand, events: Sequence[Event]) -> bool:
    """Return whether this is a constant, a local variable, or an expression read before anything changes."""
    if operand.constant or operand.local:
        return True
    places = [at for at, event in enumerate(events) if event.number == number]
    changed = next((at for at, event in enumerate(events) if event.what != "read"), len(events))
    return all(at < changed for at in places) and (len(places) <= 1 or operand.pure)


def _output(number: int, operands: Sequence[BoundOperand], events: Sequence[Event], inputs: set[int]) -> bool:
    """Return whether nothing is read after this output's first write that the write may have changed."""
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
