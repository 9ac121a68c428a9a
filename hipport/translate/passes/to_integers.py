"""`(unsigned char)x`, `out[i] = 255 * x`: conversions of floating-point numbers whose results out of range differ.

NVIDIA's GPUs convert to the nearest integer of 32 or 64 bits, and cut it to 8 or 16. For AMD GPUs the result is
undefined: negative numbers become large `unsigned char`, and 64 bits have unrelated halves. Conversions to 32 bits, and
to 16 by way of them, are the same in hardware, so only those of constants are replaced, which the compiler converts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span, Wrap
from hipport.translate.dataflow import numbers
from hipport.translate.dataflow.function import bare, text_of
from hipport.translate.dataflow.numbers import Number
from hipport.translate.passes import insertion
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.calls import in_device_code
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = (
    frozenset({"__global__", "__device__"}),
    frozenset({"float", "double", "float2", "float3", "float4", "double2", "double3", "double4"})
    | frozenset({f"__float2{kind}_r{mode}" for kind in ("int", "uint") for mode in "dnuz"}),
)
_HEADER = "hipport/compat/to_integer.h"
_NAME = "hipport::compat::to_integer"
_INTEGER = (
    r"(?:(?:unsigned|signed|char|short|int|long)\b\s*)+|uchar|ushort|uint|ulong|u?int(?:8|16|32|64)_t|size_t|ptrdiff_t"
)
_SMALL_OR_LARGE = (
    r"(?:\bchar|\blong|\buchar[1-4]?|\bchar[1-4]|\bu?int(?:8|64)_t|\bsize_t|\bu?longlong[1-4]|\bulong[1-4]?)\b"
)
_CAST = re.compile(rf"\(\s*(?:std\s*::\s*)?(?:{_INTEGER})\s*\)\s*[\w(+.-]")
_STATIC = re.compile(rf"\bstatic_cast\s*<\s*(?:const\s+)?(?:std\s*::\s*)?(?:{_INTEGER})\s*>\s*\(")
_CONSTRUCTED = re.compile(rf"(?<![\w.(])(?:{_INTEGER})\(")
_DECLARED = re.compile(
    rf"{_SMALL_OR_LARGE}(?:\s|[*&]|\b(?:long|unsigned|int|const)\b|\b__restrict(?:__)?\b)*\b([A-Za-z_]\w*)"
)
_INTRINSIC = re.compile(r"__float2(u?)int_r([dnuz])(?=\()")
_ROUNDED = {"d": "floorf", "n": "rintf", "u": "ceilf", "z": ""}
_LIMITED = re.compile(r"clamp|saturate|(?=.*min)(?=.*max)", re.DOTALL)
_MAKES = re.compile(r"make_(u?(?:char|long|longlong))[1-4]\Z")
_LITERAL = re.compile(r"([+-]?)\s*((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[fFlL]?")


def run(work: Work) -> Iterator[Edit]:
    """Call `to_integer` for such conversions in device code, as far as the file shows the types."""
    if is_hip(work):
        return
    edits = [edit for found in (_casts, _calls, _implicit) for edit in found(work)]
    if edits:
        yield from edits
        yield from insertion.include(work, {_HEADER}, min(edit.start for edit in edits))


def _differs(work: Work, wanted: Number | None, value: Node | None, *, is_cast: bool = True) -> bool:
    """Return whether a conversion of a value to a type of integers may have another result on AMD GPUs."""
    if wanted is None or value is None or wanted.kind == "f" or wanted.bits == 1:
        return False
    given = numbers.of_expression(work.flow, value)
    if given is None or given.kind != "f" or not in_device_code(work.unit, _span(value), or_host=True):
        return False
    if numbers.is_constant(value) or numbers.is_beyond(bare(value)):
        return is_cast and not _fits(text_of(bare(value)), wanted)
    return wanted.bits in (8, 64) and _LIMITED.search(text_of(value)) is None


def _fits(text: str, wanted: Number) -> bool:
    """Return whether a literal is a number in the range of a type, so that its conversion is defined."""
    match = _LITERAL.fullmatch(text)
    if match is None:
        return False
    value = math.trunc(float(match[1] + match[2]))
    low, high = (-(1 << wanted.bits - 1), 1 << wanted.bits - 1) if wanted.kind == "i" else (0, 1 << wanted.bits)
    return low <= value < high


def _casts(work: Work) -> Iterator[Replace | Wrap]:
    """Yield edits of `(T)x`."""
    if _CAST.search(work.unit.code) is None:
        return
    for node in work.unit.all_of("cast_expression"):
        kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
        if value is None or work.unit.directive_at(node.start_byte) is not None:
            continue
        name = text_of(kind).strip()
        if _differs(work, numbers.number(name), value):
            yield Replace(node.start_byte, value.start_byte, "")
            yield _wrapped(value, name)


def _calls(work: Work) -> Iterator[Replace | Wrap]:
    """Yield edits of `static_cast<T>(x)`, `T(x)`, `(uchar)(x)`, `make_uchar4(x, ...)` and `__float2int_rn(5e9f)`."""
    unit = work.unit
    if not (_STATIC.search(unit.code) or _CONSTRUCTED.search(unit.code) or _CAST.search(unit.code)) and not any(
        word.startswith(("make_", "__float2")) for word in unit.words
    ):
        return
    for node in unit.all_of("call_expression"):
        called, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if called is None or arguments is None or unit.directive_at(node.start_byte) is not None:
            continue
        values = [each for each in arguments.named_children if each.type != "comment"]
        name = text_of(called).strip()
        if (made := _MAKES.match(name)) is not None:
            kind = _element(made[1])
            yield from (_wrapped(each, kind) for each in values if _differs(work, numbers.number(kind), each))
        elif len(values) == 1:
            yield from _converted(work, called, name, values[0])


def _converted(work: Work, called: Node, name: str, value: Node) -> Iterator[Replace]:
    """Yield the edit of a call with one argument that converts it to an integer."""
    intrinsic = _INTRINSIC.match(name + "(")
    if intrinsic is not None:
        kind, rounded = ("unsigned" if intrinsic[1] else "int"), _ROUNDED[intrinsic[2]]
        if (numbers.is_constant(value) or numbers.is_beyond(value)) and _differs(work, numbers.number(kind), value):
            yield Replace(called.start_byte, called.end_byte, f"{_NAME}<{kind}>")
            if rounded:
                yield Replace(value.start_byte, value.end_byte, f"{rounded}({text_of(value)})")
        return
    static = re.fullmatch(r"static_cast\s*<(.*)>", name)
    kind = (static[1] if static is not None else name).strip("() ")
    if re.fullmatch(_INTEGER, kind) and _differs(work, numbers.number(kind), value):
        yield Replace(called.start_byte, called.end_byte, f"{_NAME}<{kind}>")


def _implicit(work: Work) -> Iterator[Wrap]:
    """Yield edits of values that initialize, or are assigned to, integers of 8 or 64 bits."""
    unit = work.unit
    names = {match[1] for match in _DECLARED.finditer(unit.code)}
    if not names:
        return
    for node in unit.all_of("assignment_expression", "init_declarator"):
        target, value = _sides(node)
        if value is None or target is None or _base(target) not in names or unit.directive_at(node.start_byte):
            continue
        wanted, kind = _target(work, node, target)
        if kind and _differs(work, wanted, value, is_cast=False):
            yield _wrapped(value, kind)


def _sides(node: Node) -> tuple[Node | None, Node | None]:
    """Return what is assigned to or declared, and the value."""
    if node.type == "init_declarator":
        declarator, value = node.child_by_field_name("declarator"), node.child_by_field_name("value")
        plain = declarator is not None and declarator.type == "identifier"
        listed = value is None or value.type in ("argument_list", "initializer_list")
        return (declarator, value) if plain and not listed else (None, None)
    operator = text_of(node.child_by_field_name("operator"))
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    return (left, right) if operator == "=" else (None, None)


def _base(target: Node) -> str:
    """Return the name at the beginning of `v`, `v[i]`, `*v` and `v[i].x`."""
    match = re.match(r"[\s*(]*([A-Za-z_]\w*)", text_of(target))
    return match[1] if match is not None else ""


def _target(work: Work, node: Node, target: Node) -> tuple[Number | None, str]:
    """Return the type of what is assigned to, and a name for it."""
    if node.type == "init_declarator":
        declaration = work.unit.parent(node)
        wanted = numbers.number(text_of(declaration.child_by_field_name("type"))) if declaration is not None else None
    else:
        wanted = numbers.of_expression(work.flow, target)
    return wanted, _SPELLED.get((wanted.kind, wanted.bits), "") if wanted is not None else ""


_SPELLED = {("i", 8): "signed char", ("u", 8): "unsigned char", ("i", 64): "long long", ("u", 64): "unsigned long long"}


def _element(vector: str) -> str:
    """Return the type of the components of a vector, without its length."""
    name = {"long": "long", "longlong": "long long", "char": "signed char"}
    return name.get(vector) or f"unsigned {name.get(vector[1:], vector[1:]).removeprefix('signed ')}"


def _wrapped(value: Node, kind: str) -> Wrap:
    opening, closing = ("", "") if value.type == "parenthesized_expression" else ("(", ")")
    return Wrap(value.start_byte, value.end_byte, f"{_NAME}<{kind}>{opening}", closing)


def _span(node: Node) -> Span:
    return Span(node.start_byte, node.end_byte)
