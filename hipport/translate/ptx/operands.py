"""Operands of an `asm` statement as C++ expressions."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from hipport import lazy_re as re
from hipport.translate.ptx.scope import Declared, declared
from hipport.translate.ptx.statement import AsmOperand, AsmStatement
from hipport.translate.ptx.tree import PtxSyntaxError
from hipport.translate.ptx.types import exact_type
from hipport.translate.ptx.value import Value
from hipport.translate.syntax.unit import Unit

REGISTER_TYPES = {"h": "b16", "r": "b32", "l": "b64", "f": "f32", "d": "f64"}
"""The PTX type of a register by constraint letter."""

_OUTPUT = re.compile(r"[=+]&?([hrlfd])")
_INPUT = re.compile(r"&?([hrlfdn])")
_TIED = re.compile(r"[0-9]{1,4}")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*")
_CASTS = re.compile(r"\b(?:reinterpret|static|const)_cast\s*<[^()]*>\s*\(")
_EFFECT = re.compile(r"[\w>\]]\s*\(|\+\+|--|(?<![=!<>])=(?!=)")
_CAST_IN_FRONT = re.compile(r"\((?:const\s+)?(?:unsigned\s+)?[\w:]+(?:\s*\*+)?\)")


class BoundOperand(Struct, frozen=True):
    """One operand.

    `type` is the PTX type of its register; "n" for a constant. `tied`: the output whose register an input shares.
    `local`: a variable of the function that nothing else can change in between. `pure`: reading it twice has no side
    effects.
    """

    text: str
    type: str
    output: bool
    read_first: bool
    tied: int | None
    value: Value
    declared: Declared | None
    local: bool
    pure: bool

    @property
    def constant(self) -> bool:
        return self.type == "n" or self.value.literal


def bind(unit: Unit, statement: AsmStatement) -> tuple[BoundOperand, ...]:
    """Return all operands of a statement; raises `PtxSyntaxError` for a constraint that nvcc rejects."""
    outputs = [_letter(operand, _OUTPUT, "an output is none of =h, =r, =l, =f, =d") for operand in statement.outputs]
    letters = [*outputs, *(_letter_of_input(operand, outputs) for operand in statement.inputs)]
    return tuple(
        _bound(unit, statement, operand, letter) for operand, letter in zip(statement.operands, letters, strict=True)
    )


def _letter_of_input(operand: AsmOperand, outputs: Sequence[str]) -> str:
    """Return the letter of an input, or of the output that it is tied to."""
    if not _TIED.fullmatch(operand.constraint):
        return _letter(operand, _INPUT, "an input is none of h, r, l, f, d, n")
    if int(operand.constraint) >= len(outputs):
        raise PtxSyntaxError(f'the constraint "{operand.constraint}" is the number of no output')
    return outputs[int(operand.constraint)]


def _letter(operand: AsmOperand, pattern: re.Pattern[str], wanted: str) -> str:
    match = pattern.fullmatch(operand.constraint)
    if match is None:
        raise PtxSyntaxError(f'the constraint "{operand.constraint}" of {wanted}')
    return match[1]


def _bound(unit: Unit, statement: AsmStatement, operand: AsmOperand, letter: str) -> BoundOperand:
    text = unit.original(operand.expression)
    known = declared(unit, operand.expression) if _IDENTIFIER.fullmatch(text) and not statement.in_macro else None
    local = known is not None and not known.reference and not known.array
    if statement.in_macro and not _NUMBER.fullmatch(text):
        text = f"({text})"
    return BoundOperand(
        text=text,
        type=REGISTER_TYPES.get(letter, "n"),
        output=operand.constraint[:1] in "=+",
        read_first=operand.constraint.startswith("+"),
        tied=int(operand.constraint) if _TIED.fullmatch(operand.constraint) else None,
        value=_value(text, letter, known),
        declared=known,
        local=local,
        pure=not statement.in_macro and _is_pure(text),
    )


def _is_pure(text: str) -> bool:
    return _EFFECT.search(_CAST_IN_FRONT.sub("", _CASTS.sub("(", text))) is None


def _value(text: str, letter: str, known: Declared | None) -> Value:
    if letter == "n" or _NUMBER.fullmatch(text):
        literal = _NUMBER.fullmatch(text) is not None
        return Value(text.rstrip("uUlL") if literal else text, "int", 0 if letter == "n" else 32, None, literal)
    width = {"h": 16, "r": 32, "l": 64, "f": 32, "d": 64}[letter]
    plain = known is not None and not known.pointer and not known.array
    exact = exact_type(known.type) if known is not None and plain else None
    if letter in "fd":
        return Value(text, "float", width, "float" if letter == "f" else "double")
    kind = "pointer" if letter == "l" and exact is None else "int"
    return Value(text, kind, width, exact)
