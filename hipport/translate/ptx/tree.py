"""Syntax tree of a block of PTX."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Argument:
    """An operand of the `asm` statement: `%0` or `%[name]`, by its number."""

    number: int


@dataclass(frozen=True, slots=True)
class Register:
    """A register that the block declares, or `_`, which discards a result."""

    name: str


@dataclass(frozen=True, slots=True)
class Special:
    """A special register or a predefined constant, without its `%`: `laneid`, `tid.x`, `WARP_SZ`."""

    name: str


@dataclass(frozen=True, slots=True)
class Integer:
    """An integer as spelled, without PTX's suffix `U`."""

    text: str

    @property
    def value(self) -> int:
        digits = self.text.lstrip("-")
        octal = len(digits) > 1 and digits.isdigit() and digits[0] == "0"
        number = int(digits, 8 if octal else 0)
        return -number if self.text.startswith("-") else number


@dataclass(frozen=True, slots=True)
class Real:
    """A floating-point constant: its value and, for `0f...` and `0d...`, the bits as spelled."""

    value: float
    bits: int | None = None
    width: int = 64


@dataclass(frozen=True, slots=True)
class Vector:
    """A vector: `{a, b}`."""

    items: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """`d|p`: a result and its predicate."""

    first: Operand
    second: Operand


@dataclass(frozen=True, slots=True)
class Negated:
    """A negated predicate: `!p`."""

    operand: Operand


@dataclass(frozen=True, slots=True)
class Address:
    """`[base + offset]`; either part may be missing."""

    base: Operand | None
    offset: Operand | None = None


Operand = Argument | Register | Special | Integer | Real | Vector | Pair | Negated | Address


@dataclass(frozen=True, slots=True)
class Guard:
    """The predicate of an instruction: `@p` or `@!p`."""

    operand: Operand
    negated: bool


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction. `name` is the opcode with all its modifiers: `ld.global.v4.f32`."""

    name: str
    operands: tuple[Operand, ...]
    guard: Guard | None = None

    @property
    def opcode(self) -> str:
        """The name up to the first dot."""
        return self.name.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Declaration:
    """`.reg .b32 a, b;` declares two registers of type `b32`."""

    type: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Label:
    """A label: `again:`."""

    name: str


@dataclass(frozen=True, slots=True)
class Block:
    """A block `{ ... }`, or the whole text."""

    items: tuple[Item, ...]


Item = Declaration | Label | Instruction | Block


class PtxSyntaxError(Exception):
    """The text is not PTX that the parser supports; the message names the cause."""
