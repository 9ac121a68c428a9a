"""Syntax tree of a block of PTX."""

from __future__ import annotations

from msgspec import Struct


class Argument(Struct, frozen=True):
    """An operand of the `asm` statement: `%0` or `%[name]`, by its number."""

    number: int


class Register(Struct, frozen=True):
    """A register that the block declares, or `_`, which discards a result."""

    name: str


class Special(Struct, frozen=True):
    """A special register or a predefined constant, without its `%`: `laneid`, `tid.x`, `WARP_SZ`."""

    name: str


class Integer(Struct, frozen=True):
    """An integer as spelled, without PTX's suffix `U`."""

    text: str

    @property
    def value(self) -> int:
        digits = self.text.lstrip("-")
        octal = len(digits) > 1 and digits.isdigit() and digits[0] == "0"
        number = int(digits, 8 if octal else 0)
        return -number if self.text.startswith("-") else number


class Real(Struct, frozen=True):
    """A floating-point constant: its value and, for `0f...` and `0d...`, the bits as spelled."""

    value: float
    bits: int | None = None
    width: int = 64


class Vector(Struct, frozen=True):
    """A vector: `{a, b}`."""

    items: tuple[Operand, ...]


class Pair(Struct, frozen=True):
    """`d|p`: a result and its predicate."""

    first: Operand
    second: Operand


class Negated(Struct, frozen=True):
    """A negated predicate: `!p`."""

    operand: Operand


class Part(Struct, frozen=True):
    """A byte or half word of a register, for video instructions: `a.b0` to `a.b3`, `a.h0`, `a.h1`."""

    operand: Operand
    part: str


class Address(Struct, frozen=True):
    """`[base + offset]`; either part may be missing."""

    base: Operand | None
    offset: Operand | None = None


Operand = Argument | Register | Special | Integer | Real | Vector | Pair | Negated | Part | Address


class Guard(Struct, frozen=True):
    """The predicate of an instruction: `@p` or `@!p`."""

    operand: Operand
    negated: bool


class Instruction(Struct, frozen=True):
    """One instruction. `name` is the opcode with all its modifiers: `ld.global.v4.f32`."""

    name: str
    operands: tuple[Operand, ...]
    guard: Guard | None = None

    @property
    def opcode(self) -> str:
        """The name up to the first dot."""
        return self.name.partition(".")[0]


class Declaration(Struct, frozen=True):
    """`.reg .b32 a, b;` declares two registers of type `b32`."""

    type: str
    names: tuple[str, ...]


class Label(Struct, frozen=True):
    """A label: `again:`."""

    name: str


class Block(Struct, frozen=True):
    """A block `{ ... }`, or the whole text."""

    items: tuple[Item, ...]


Item = Declaration | Label | Instruction | Block


class PtxSyntaxError(Exception):
    """The text is not PTX that the parser supports; the message names the cause."""
