"""Output of a statement's translation while it is written, and the exception for unsupported instructions."""

from __future__ import annotations

from msgspec import Struct, field


class Unsupported(Exception):
    """An instruction that has no translation.

    `reason` names the unsupported part, "" for the whole instruction; `instruction` is its full name.
    """

    def __init__(self, reason: str = "", instruction: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.instruction = instruction


class Variable(Struct):
    """A variable of the translation: a register that the block declares, or the copy of an operand."""

    name: str
    type: str
    writes: int = 0
    line: Line | None = None


class Line(Struct):
    """A line of the translation; with `variable`, its declaration, and `text` is the initial value."""

    text: str
    variable: Variable | None = None
    depth: int = 0


class Event(Struct, frozen=True):
    """An access to operand `number` in instruction `at`: "read", "write", or "effect" on memory."""

    what: str
    number: int
    at: int


class Output(Struct):
    """The translation: lines, headers, caveats, and the accesses to operands in order."""

    lines: list[Line] = field(default_factory=list)
    headers: set[str] = field(default_factory=set)
    caveats: list[str] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
