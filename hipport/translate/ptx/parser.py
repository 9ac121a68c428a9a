"""Parser for the PTX in `asm` statements."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

from hipport import lazy_re as re
from hipport.translate.ptx.tree import (
    Address,
    Argument,
    Block,
    Declaration,
    Guard,
    Instruction,
    Integer,
    Item,
    Label,
    Negated,
    Operand,
    Pair,
    Part,
    PtxSyntaxError,
    Real,
    Register,
    Special,
    Vector,
)
from hipport.translate.syntax.conditions import integer

_TOKEN = re.compile(
    r"""
      (?P<blank>\s+|//[^\n]*|/\*[\s\S]*?\*/)
    | (?P<argument>%\d+|%\[\w+\])
    | (?P<special>%%?[A-Za-z_$][\w$]*(?:\.[xyzw]\b)?)
    | (?P<real>0[fF][0-9a-fA-F]{8}\b|0[dD][0-9a-fA-F]{16}\b|\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)
    | (?P<integer>0[xX][0-9a-fA-F]+U?|0[bB][01]+U?|\d+U?)
    | (?P<word>[A-Za-z_$][\w$]*(?:%=)?[\w$]*)
    | (?P<dotted>\.\s*[A-Za-z0-9_]+(?:::[A-Za-z0-9_]+)*)
    | (?P<mark>[{}\[\](),;:@!|+\-<>=])
    | (?P<escaped>%[{}|])
    """,
    re.VERBOSE,
)
_SPECIAL_WORDS = frozenset({"WARP_SZ"})
_PARTS = frozenset({".b0", ".b1", ".b2", ".b3", ".h0", ".h1"})
_MOST_REGISTERS = 64
_DEEPEST = 32

Token = tuple[str, str]


def parse(text: str, argument: Callable[[str], int]) -> Block:
    """Parse the text of an `asm` statement.

    `argument` maps `%0` or `%[name]` to the number of an operand and raises `PtxSyntaxError` if there is none.
    """
    return _Parser(list(_tokens(text)), argument).block(end=None)


def _tokens(text: str) -> Iterator[Token]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise PtxSyntaxError(f"'{text[position : position + 16].strip()}' is not understood")
        position = match.end()
        kind = match.lastgroup or ""
        if kind == "escaped":
            yield "mark", match[0][1:]
        elif kind != "blank":
            yield kind, match[0]


class _Parser:
    """Recursive descent over the tokens, with one method per grammar rule."""

    def __init__(self, tokens: list[Token], argument: Callable[[str], int]) -> None:
        self._tokens = tokens
        self._next = 0
        self._argument = argument
        self._declared: set[str] = set()
        self._depth = 0

    def block(self, end: str | None) -> Block:
        """Parse items up to the closing brace, or to the end of the text."""
        items: list[Item] = []
        while self._peek() != end:
            items += self._item()
        return Block(tuple(items))

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise PtxSyntaxError("it is nested too deeply")

    def _item(self) -> Iterator[Item]:
        kind, token = self._take()
        if token == "{":
            self._deeper()
            yield self.block("}")
            self._depth -= 1
            self._expect("}")
        elif token == ".reg" or token.replace(" ", "") == ".reg":
            yield self._declaration()
        elif token == ";":
            return
        elif kind == "word" and self._peek() == ":":
            self._take()
            yield Label(token)
        elif token == "@":
            yield self._guarded()
        elif kind == "word":
            yield self._instruction(token, None)
        else:
            raise PtxSyntaxError(f"'{token}' instead of an instruction")

    def _declaration(self) -> Declaration:
        kinds = []
        while self._kind() == "dotted":
            kinds.append(self._take()[1].lstrip(". \t"))
        if not kinds:
            raise PtxSyntaxError("a register is declared without a type")
        if len(kinds) > 1:
            raise PtxSyntaxError("vector registers are not supported")
        names: list[str] = []
        while True:
            names += self._declared_names()
            if self._peek() != ",":
                break
            self._take()
        self._expect(";")
        self._declared.update(names)
        return Declaration(kinds[0], tuple(names))

    def _declared_names(self) -> list[str]:
        """Parse `a`, or `a<4>` for a0 to a3."""
        kind, token = self._take()
        if kind not in ("word", "special"):
            raise PtxSyntaxError(f"'{token}' instead of a register name")
        name = token.lstrip("%")
        if self._peek() != "<":
            return [name]
        self._take()
        count = self._take()[1]
        self._expect(">")
        number = integer(count.lstrip("0") or "0")
        if number is None or not 0 <= number <= _MOST_REGISTERS:
            raise PtxSyntaxError(f"{count} registers are declared at once")
        return [f"{name}{index}" for index in range(number)]

    def _guarded(self) -> Instruction:
        negated = self._peek() == "!"
        if negated:
            self._take()
        guard = Guard(self._primary(), negated)
        kind, token = self._take()
        if kind != "word":
            raise PtxSyntaxError(f"'{token}' instead of an instruction after a predicate")
        return self._instruction(token, guard)

    def _instruction(self, name: str, guard: Guard | None) -> Instruction:
        while self._kind() == "dotted":
            name += re.sub(r"\s", "", self._take()[1])
        operands: list[Operand] = []
        while self._peek() not in (";", "}", None):
            if operands:
                self._expect(",")
            operands.append(self._operand())
        if self._peek() == ";":
            self._take()
        return Instruction(name, tuple(operands), guard)

    def _operand(self) -> Operand:
        first = self._primary()
        if self._peek() == "|":
            self._take()
            return Pair(first, self._primary())
        if self._peek() in _PARTS and isinstance(first, Argument | Register):
            return Part(first, self._take()[1].lstrip("."))
        return first

    def _primary(self) -> Operand:
        kind, token = self._take()
        if kind == "mark":
            self._deeper()
            operand = self._marked(token)
            self._depth -= 1
            return operand
        if kind == "argument":
            return Argument(self._argument(token))
        if kind == "integer":
            return Integer(token.rstrip("U"))
        if kind == "real":
            return _real(token)
        if kind == "special":
            name = token.lstrip("%")
            return Register(name) if name in self._declared else Special(name)
        if kind == "word":
            return Special(token) if token in _SPECIAL_WORDS else Register(token)
        raise PtxSyntaxError(f"'{token}' instead of an operand")

    def _marked(self, mark: str) -> Operand:
        if mark == "{":
            return Vector(self._list("}"))
        if mark == "[":
            return self._address()
        if mark == "!":
            return Negated(self._primary())
        if mark == "-":
            inner = self._primary()
            if isinstance(inner, Integer):
                return Integer(f"-{inner.text}")
            if isinstance(inner, Real):
                return Real(-inner.value)
        raise PtxSyntaxError(f"'{mark}' instead of an operand")

    def _list(self, end: str) -> tuple[Operand, ...]:
        items = [self._operand()]
        while self._peek() == ",":
            self._take()
            items.append(self._operand())
        self._expect(end)
        return tuple(items)

    def _address(self) -> Address:
        base = self._primary()
        offset: Operand | None = None
        if self._peek() in ("+", "-"):
            sign = self._take()[1]
            offset = self._primary()
            if sign == "-":
                offset = self._marked_negative(offset)
        if self._peek() == ",":
            raise PtxSyntaxError("coordinates of a tensor or texture are not supported")
        self._expect("]")
        return Address(base, offset)

    def _marked_negative(self, operand: Operand) -> Operand:
        if not isinstance(operand, Integer):
            raise PtxSyntaxError("only a number can be subtracted from an address")
        return Integer(operand.text[1:] if operand.text.startswith("-") else f"-{operand.text}")

    def _peek(self) -> str | None:
        return self._tokens[self._next][1] if self._next < len(self._tokens) else None

    def _kind(self) -> str | None:
        return self._tokens[self._next][0] if self._next < len(self._tokens) else None

    def _take(self) -> Token:
        if self._next >= len(self._tokens):
            raise PtxSyntaxError("it ends in the middle of an instruction")
        self._next += 1
        return self._tokens[self._next - 1]

    def _expect(self, token: str) -> None:
        if self._peek() != token:
            found = self._peek()
            raise PtxSyntaxError(f"'{token}' is missing" + (f" before '{found}'" if found else " at the end"))
        self._take()


def _real(token: str) -> Real:
    if token[:2] in ("0f", "0F"):
        bits = int(token[2:], 16)
        return Real(struct.unpack("<f", struct.pack("<I", bits))[0], bits, 32)
    if token[:2] in ("0d", "0D"):
        bits = int(token[2:], 16)
        return Real(struct.unpack("<d", struct.pack("<Q", bits))[0], bits, 64)
    return Real(float(token))
