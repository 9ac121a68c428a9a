"""Moves, selections and comparisons."""

from __future__ import annotations

import re

from hipport.translate.ptx.emitter import Emitter
from hipport.translate.ptx.output import Unsupported
from hipport.translate.ptx.rules import rule, special_rule
from hipport.translate.ptx.tree import Instruction, Operand, Pair, Vector
from hipport.translate.ptx.types import CPP, width_of

_ANY = "(?P<t>[bus](?:16|32|64)|f(?:32|64)|pred)"
_PARTS = {16: "u16", 32: "u32", 64: "u64", 8: "u8"}
_OPERATORS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_UNSIGNED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
_OPPOSITE = {"ltu": ">=", "leu": ">", "gtu": "<=", "geu": "<"}
_COMBINED = {"and": "&&", "or": "||", "xor": "!="}
_COMPARISON = (
    r"\.(?P<compare>eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan)"
    r"(?:\.(?P<combine>and|or|xor))?(?P<ftz>\.ftz)?"
)
_COMPARED = r"\.(?P<t>[bus](?:16|32|64)|f(?:16|32|64)|bf16)"


def _mov(emitter: Emitter, instruction: Instruction, match: re.Match[str]) -> None:
    target, source = instruction.operands
    if isinstance(target, Vector):
        _unpack(emitter, target.items, source, match["t"])
    elif isinstance(source, Vector):
        _pack(emitter, target, source.items, match["t"])
    else:
        emitter.write(target, match["t"], emitter.read(source, match["t"], exact=True))


def _part(count: int, ptx: str) -> str:
    width = width_of(ptx) // count
    if width not in _PARTS:
        raise Unsupported("a vector of this many elements")
    return _PARTS[width]


def _unpack(emitter: Emitter, targets: tuple[Operand, ...], source: Operand, ptx: str) -> None:
    part = _part(len(targets), ptx)
    whole = f"u{width_of(ptx)}"
    text = emitter.read(source, whole, exact=True)
    if not text.isidentifier():
        text = emitter.temporary("whole", CPP[whole], text)
    for number, target in enumerate(targets):
        shifted = f"{text} >> {number * width_of(part)}" if number else text
        emitter.write(target, part, f"{CPP[part]}({shifted})")


def _pack(emitter: Emitter, target: Operand, sources: tuple[Operand, ...], ptx: str) -> None:
    part, whole = _part(len(sources), ptx), f"u{width_of(ptx)}"
    pieces = []
    for number, source in enumerate(sources):
        text = emitter.read(source, part, exact=True)
        wide = f"{CPP[whole]}({text})"
        pieces.append(f"({wide} << {number * width_of(part)})" if number else wide)
    emitter.write(target, whole, " | ".join(pieces))


def _compared(emitter: Emitter, match: re.Match[str], operands: tuple[Operand, ...]) -> str:
    """Return the comparison as a C++ expression without operators of lower precedence than a comparison."""
    compare = match["compare"]
    ptx = match["t"]
    left, right = (_operand(emitter, operand, ptx, compare, match["ftz"]) for operand in operands)
    if ptx[0] in "bus" and ptx != "bf16":
        return f"{left} {_OPERATORS[_UNSIGNED.get(compare, compare)]} {right}"
    if compare in _OPPOSITE:
        return f"!({left} {_OPPOSITE[compare]} {right})"
    if compare in ("ne", "equ", "num", "nan"):
        return emitter.helper(f"@compare_{compare}({left}, {right})", "float.h")
    return f"{left} {_OPERATORS['ne' if compare == 'neu' else compare]} {right}"


def _operand(emitter: Emitter, operand: Operand, ptx: str, compare: str, ftz: str | None) -> str:
    if ptx in ("f16", "bf16"):
        return emitter.helper(f"@{ptx}_to_f32({emitter.read(operand, ptx)})", "half.h")
    if compare in _UNSIGNED:
        ptx = f"u{width_of(ptx)}"
    text = emitter.read(operand, ptx, exact=True)
    return emitter.helper(f"@ftz({text})", "float.h") if ftz else text


def _combined(emitter: Emitter, match: re.Match[str], test: str, operands: tuple[Operand, ...]) -> str:
    if match["combine"] is None:
        return test
    return f"({test}) {_COMBINED[match['combine']]} {emitter.read(operands[0], 'pred', exact=True)}"


def _setp(emitter: Emitter, instruction: Instruction, match: re.Match[str]) -> None:
    target, left, right, *rest = _checked(instruction, match)
    test = _compared(emitter, match, (left, right))
    if isinstance(target, Pair):
        name = emitter.temporary("test", "bool", test)
        emitter.write(target.first, "pred", _combined(emitter, match, name, tuple(rest)))
        emitter.write(target.second, "pred", _combined(emitter, match, f"!{name}", tuple(rest)))
    else:
        emitter.write(target, "pred", _combined(emitter, match, test, tuple(rest)))


def _set(emitter: Emitter, instruction: Instruction, match: re.Match[str]) -> None:
    target, left, right, *rest = _checked(instruction, match)
    test = _combined(emitter, match, _compared(emitter, match, (left, right)), tuple(rest))
    result = match["result"]
    yes, no = ("1.0f", "0.0f") if result == "f32" else ("0xffffffffu", "0u")
    emitter.write(target, result, f"({test}) ? {yes} : {no}")


def _checked(instruction: Instruction, match: re.Match[str]) -> tuple[Operand, ...]:
    if len(instruction.operands) != (4 if match["combine"] else 3):
        raise Unsupported("this number of operands")
    return instruction.operands


RULES = (
    special_rule(rf"mov\.{_ANY}", _mov, 2),
    rule(rf"selp\.{_ANY}", "t = t t pred", "{c!} ? {a!} : {b!}"),
    rule(r"slct\.(?P<t>[bus](?:32|64)|f32|f64)\.s32", "t = t t s32", "{c!} >= 0 ? {a!} : {b!}"),
    rule(r"slct\.(?P<t>[bus](?:32|64)|f32|f64)\.f32", "t = t t f32", "{c!} >= 0 ? {a!} : {b!}"),
    rule(r"slct\.ftz\.(?P<t>[bus](?:32|64)|f32|f64)\.f32", "t = t t f32", "@ftz({c!}) >= 0 ? {a!} : {b!}", "float.h"),
    special_rule(rf"setp{_COMPARISON}{_COMPARED}", _setp, range(3, 5)),
    special_rule(rf"set{_COMPARISON}\.(?P<result>[us]32|f32){_COMPARED}", _set, range(3, 5)),
)
