"""Video instructions: on the four bytes or two half words of a register, and on one part of each register."""

from __future__ import annotations

import re

from hipport.translate.ptx.emitter import Emitter
from hipport.translate.ptx.output import Unsupported
from hipport.translate.ptx.rules import rule, special_rule
from hipport.translate.ptx.tree import Instruction, Operand, Part

HEADER = "video.h"
_TYPES = r"\.(?P<r>[us]32)\.(?P<t>[us]32)\.(?P<q>[us]32)"
_OPERATIONS = "add|sub|absdiff|min|max|avrg"
_THEN = r"(?:\.(?P<then>add|min|max))?"
_CPP = {"u": "uint32_t", "s": "int32_t"}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_WHOLE = "w"


def _scalar(emitter: Emitter, instruction: Instruction, match: re.Match[str]) -> None:
    """`d.part = a.part OP b.part`: the result is saturated, then combined with `c` or put into a part of it."""
    groups = match.groupdict()
    target, first, second, *third = instruction.operands
    result = f"{groups['r']}32" if groups.get("r") else "u32"
    text = _operation(emitter, groups, first, second)
    place = target.part if isinstance(target, Part) else _WHOLE
    if groups.get("sat"):
        text = f"@saturate_part<{_CPP[result[0]]}, '{place[0]}'>({text})"
    text = _combined(emitter, groups.get("then"), place, text, result, third)
    whole = target.operand if isinstance(target, Part) else target
    emitter.write(whole, result, f"{_CPP[result[0]]}({emitter.helper(text, HEADER)})")


def _operation(emitter: Emitter, groups: dict[str, str | None], first: Operand, second: Operand) -> str:
    a, b = (_part(emitter, operand, groups[kind] or "u") for operand, kind in ((first, "t"), (second, "q")))
    compared = _COMPARISONS.get(groups.get("cmp") or "")
    if compared:
        return f"int64_t({a} {compared} {b})"
    if groups.get("shift"):
        return f"@video_{groups['shift']}({a}, @shift_{groups['mode']}({b}))"
    return f"@wide_{groups['op']}({a}, {b})"


def _part(emitter: Emitter, operand: Operand, sign: str) -> str:
    """Return a part of a register, or all of it, with its sign, as 64 bits."""
    part = operand.part if isinstance(operand, Part) else _WHOLE
    whole = emitter.read(operand.operand if isinstance(operand, Part) else operand, "b32")
    return f"@video_part<{_CPP[sign]}, '{part[0]}', {part[1:] or 0}>({whole})"


def _combined(emitter: Emitter, then: str | None, place: str, text: str, result: str, third: list[Operand]) -> str:
    if then and third and place == _WHOLE:
        return f"@then_{then}<{_CPP[result[0]]}>({text}, {emitter.read(third[0], 'b32')})"
    if place != _WHOLE and third and not then:
        return f"@merge_part<'{place[0]}', {place[1:]}>({text}, {emitter.read(third[0], 'b32')})"
    if then or third or place != _WHOLE:
        raise Unsupported("this combination of parts")
    return text


def _multiply_add(emitter: Emitter, instruction: Instruction, match: re.Match[str]) -> None:
    target, first, second, third = instruction.operands
    if isinstance(target, Part):
        raise Unsupported("a part of the result")
    a, b = (_part(emitter, operand, match[kind]) for operand, kind in ((first, "t"), (second, "q")))
    signed = "s" in (match["t"], match["q"])
    flags = f"{str(signed).lower()}, {match['scale'] or 0}, {int(bool(match['po']))}, {str(bool(match['sat'])).lower()}"
    text = emitter.helper(f"@video_mad<{flags}>({a}, {b}, {emitter.read(third, 'b32')})", HEADER)
    emitter.write(target, f"{match['r']}32", f"{_CPP[match['r']]}({text})")


_SCALAR = r"\.(?P<r>[us])32\.(?P<t>[us])32\.(?P<q>[us])32"

RULES = (
    rule(
        rf"v(?P<op>{_OPERATIONS})(?P<n>[24]){_TYPES}", "b32 = b32 b32 b32", "@v{op}{n}<{r}, {t}, {q}>({a}, {b})", HEADER
    ),
    rule(
        rf"v(?P<op>{_OPERATIONS})(?P<n>[24]){_TYPES}\.sat",
        "b32 = b32 b32 b32",
        "@v{op}{n}_sat<{r}, {t}, {q}>({a}, {b})",
        HEADER,
    ),
    rule(
        rf"v(?P<op>{_OPERATIONS})(?P<n>[24]){_TYPES}\.add",
        "b32 = b32 b32 b32",
        "@v{op}{n}_add<{r}, {t}, {q}>({a}, {b}, {c})",
        HEADER,
    ),
    special_rule(rf"v(?P<op>add|sub|absdiff|min|max){_SCALAR}(?P<sat>\.sat)?{_THEN}", _scalar, range(3, 5)),
    special_rule(
        rf"v(?P<shift>shl|shr){_SCALAR[: _SCALAR.rindex('[us]')]}u)32(?P<sat>\.sat)?\.(?P<mode>clamp|wrap){_THEN}",
        _scalar,
        range(3, 5),
    ),
    special_rule(
        rf"vset\.(?P<t>[us])32\.(?P<q>[us])32\.(?P<cmp>{'|'.join(_COMPARISONS)}){_THEN}", _scalar, range(3, 5)
    ),
    special_rule(rf"vmad{_SCALAR}(?P<po>\.po)?(?P<sat>\.sat)?(?:\.shr(?P<scale>7|15))?", _multiply_add, 4),
)
