"""`(unsigned char)x`, `out[i] = 255 * x`: conversions of floating-point numbers whose results out of range differ.

NVIDIA's GPUs convert to the nearest integer of 32 or 64 bits, and cut it to 8 or 16. For AMD GPUs the result is
undefined: negative numbers become large `unsigned char`, and 64 bits have unrelated halves. Conversions to 32 bits, and
to 16 by way of them, are the same in hardware, so only those of constants are replaced, which the compiler converts.
Of half and bfloat16 numbers CUDA's classes give the nearest integer of 8 bits, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span, Wrap
from hipport.translate.dataflow import numbers
from hipport.translate.dataflow.function import bare, first_child, text_of
from hipport.translate.dataflow.numbers import Number
from hipport.translate.passes import insertion
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.calls import in_device_code
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = (
    frozenset({"__global__", "__device__"}),
    frozenset({"float", "double", "float2", "float3", "float4", "double2", "double3", "double4"})
    | frozenset({"half", "__half", "__nv_bfloat16", "nv_bfloat16"})
    | frozenset({f"__float2{kind}_r{mode}" for kind in ("int", "uint") for mode in "dnuz"}),
)
_HEADER = "hipport/compat/to_integer.h"
_NAME = "hipport::compat::to_integer"
_OPERAND = "hipport::compat::for_integer"
_INTEGER = (
    r"(?:(?:unsigned|signed|char|short|int|long)\b\s*)+|uchar|ushort|uint|ulong|u?int(?:8|16|32|64)_t|size_t|ptrdiff_t"
)
_SMALL_OR_LARGE = frozenset(
    {
        *("char", "long", "uchar", "ulong", "int8_t", "uint8_t", "int64_t", "uint64_t", "size_t"),
        *(f"{kind}{count}" for kind in ("char", "uchar", "longlong", "ulonglong", "ulong") for count in (1, 2, 3, 4)),
    }
)
_BEHIND = re.compile(r"[^;{]{1,400}")
_CAST = re.compile(rf"\(\s*(?:std\s*::\s*)?(?:{_INTEGER})\s*\)\s*[\w(+.-]")
_STATIC = re.compile(rf"\bstatic_cast\s*<\s*(?:const\s+)?(?:std\s*::\s*)?(?:{_INTEGER})\s*>\s*\(")
_CONSTRUCTED = re.compile(rf"(?<![\w.(])(?:{_INTEGER})\(")
_WORD = re.compile(r"[A-Za-z_]\w*")
_COMPOUND = frozenset({"+=", "-=", "*=", "/="})
_INTRINSIC = re.compile(r"__float2(u?)int_r([dnuz])(?=\()")
_ROUNDED = {"d": "floorf", "n": "rintf", "u": "ceilf", "z": ""}
_LIMITED = re.compile(r"clamp|saturate|(?=.*min)(?=.*max)", re.DOTALL)
_CONVERTS = re.compile(rf"make_u?(?:char|long)|__float2|static_cast\b|[( ]*(?:{_INTEGER})[) ]*\Z")
"""Matches the names of functions and casts that may convert to integers."""
_MAKES = re.compile(r"make_(u?(?:char|long|longlong))[1-4]\Z")
_LITERAL = re.compile(r"([+-]?)\s*((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[fFlL]?")


def run(work: Work) -> Iterator[Edit]:
    """Call `to_integer` for such conversions in device code, as far as the file shows the types."""
    if is_hip(work):
        return
    edits = [edit for found in (_casts, _calls, _implicit, _returned) for edit in found(work)]
    if edits:
        yield from edits
        yield from insertion.include(work, {_HEADER}, min(edit.start for edit in edits))


def _made_names(work: Work) -> list[str]:
    """Return the names that `typedef` and `using` make in the file for integers."""
    return [name for name, kind in numbers.made_names(work.flow).items() if _is_integer(kind)]


def _is_integer(number: Number | None) -> bool:
    return number is not None and number.kind in "iu" and number.bits > 1


def _differs(work: Work, wanted: Number | None, value: Node | None, *, is_cast: bool = True) -> bool:
    """Return whether a conversion of a value to a type of integers may have another result on AMD GPUs."""
    if value is None or wanted is None or not _is_integer(wanted):
        return False
    given = numbers.of_expression(work.flow, value)
    if given is None or given.kind not in "fh" or not in_device_code(work.unit, _span(value), or_host=True):
        return False
    if numbers.is_constant(value) or numbers.is_beyond(bare(value)):
        text = text_of(bare(value))
        return (is_cast or _LITERAL.fullmatch(text) is not None) and not _fits(text, wanted)
    bits = (8, 16, 64) if given.kind == "h" else (8, 64)
    return wanted.bits in bits and _LIMITED.search(text_of(value)) is None


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
    if _CAST.search(work.unit.code) is None and not _made_names(work):
        return
    for node in work.unit.all_of("cast_expression"):
        kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
        if value is None or work.unit.directive_at(node.start_byte) is not None:
            continue
        name = text_of(kind).strip()
        if _differs(work, numbers.named(work.flow, name), value):
            yield Replace(node.start_byte, value.start_byte, "")
            yield _wrapped(value, name)


def _calls(work: Work) -> Iterator[Replace | Wrap]:
    """Yield edits of `static_cast<T>(x)`, `T(x)`, `(uchar)(x)`, `make_uchar4(x, ...)` and `__float2int_rn(5e9f)`."""
    unit, made_names = work.unit, frozenset(_made_names(work))
    named = any(word in made_names or word.startswith(("make_", "__float2")) for word in unit.words)
    is_cast = "static_cast" in unit.words and _STATIC.search(unit.code)
    if not (named or is_cast or _CAST.search(unit.code) or _CONSTRUCTED.search(unit.code)):
        return
    for node in unit.all_of("call_expression"):
        called, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        name = text_of(called).strip()
        if called is None or arguments is None or not (_CONVERTS.match(name) or name.strip("() ") in made_names):
            continue
        if unit.directive_at(node.start_byte) is not None:
            continue
        values = [each for each in arguments.named_children if each.type != "comment"]
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
    is_integer = re.fullmatch(_INTEGER, kind) or _is_integer(numbers.made_names(work.flow).get(kind))
    if is_integer and _differs(work, numbers.named(work.flow, kind), value):
        yield Replace(called.start_byte, called.end_byte, f"{_NAME}<{kind}>")


def _implicit(work: Work) -> Iterator[Wrap]:
    """Yield edits of values that initialize, are assigned to, or added to, integers of 8 or 64 bits."""
    unit = work.unit
    names = _declared(work)
    if not names:
        return
    for node in unit.all_of("assignment_expression", "init_declarator"):
        target, value = _sides(node)
        if value is None or target is None or _base(target) not in names or unit.directive_at(node.start_byte):
            continue
        wanted, kind = _target(work, node, target)
        if text_of(node.child_by_field_name("operator")) in _COMPOUND:
            if kind and _is_floating(work, value):
                yield Wrap(value.start_byte, value.end_byte, *_around(value, _OPERAND))
        elif kind and _differs(work, wanted, value, is_cast=False):
            yield _wrapped(value, kind)


def _declared(work: Work) -> set[str]:
    """Return the words behind types of 8 and 64 bits: all variables of such a type are among them."""
    made = {name for name in _made_names(work) if _is_8_or_64(numbers.named(work.flow, name))}
    found: set[str] = set()
    end = 0
    for name, offset in work.unit.occurrences(_SMALL_OR_LARGE | made):
        behind = _BEHIND.match(work.unit.code, offset + len(name)) if offset >= end else None
        if behind is not None:
            end = behind.end()
            found.update(_WORD.findall(behind[0]))
    return found


def _is_8_or_64(number: Number | None) -> bool:
    return number is not None and number.kind in "iu" and number.bits in (8, 64)


def _is_floating(work: Work, value: Node) -> bool:
    """Return whether a value in device code is a floating-point number."""
    given = numbers.of_expression(work.flow, value)
    return given is not None and given.kind == "f" and in_device_code(work.unit, _span(value), or_host=True)


def _returned(work: Work) -> Iterator[Wrap]:
    """Yield edits of values that functions return as integers of 8 or 64 bits."""
    unit = work.unit
    for function in work.flow.device_functions:
        wanted = numbers.named(work.flow, _result(function.node))
        if wanted is None or not _is_8_or_64(wanted):
            continue
        for node in function.of_type("return_statement"):
            value, inner = first_child(node), unit.enclosing(_span(node), "lambda_expression")
            is_own = inner is None or inner.start_byte < function.node.start_byte
            if value is not None and is_own and _differs(work, wanted, value, is_cast=False):
                yield _wrapped(value, _spelled(wanted))


def _result(definition: Node) -> str:
    """Return the type of a function's results, in front of its name or behind it; "" for pointers and references."""
    kind, declarator = definition.child_by_field_name("type"), definition.child_by_field_name("declarator")
    if declarator is None or declarator.type != "function_declarator":
        return ""
    trailing = next((child for child in declarator.named_children if child.type == "trailing_return_type"), None)
    return text_of(trailing).removeprefix("->") if trailing is not None else text_of(kind)


def _sides(node: Node) -> tuple[Node | None, Node | None]:
    """Return what is assigned to or declared, and the value."""
    if node.type == "init_declarator":
        declarator, value = node.child_by_field_name("declarator"), node.child_by_field_name("value")
        if value is not None and value.type == "argument_list" and value.named_child_count == 1:
            value = first_child(value)
        plain = declarator is not None and declarator.type == "identifier"
        listed = value is None or value.type in ("argument_list", "initializer_list")
        return (declarator, value) if plain and not listed else (None, None)
    operator = text_of(node.child_by_field_name("operator"))
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    return (left, right) if operator in ("=", *_COMPOUND) else (None, None)


def _base(target: Node) -> str:
    """Return the name at the beginning of `v`, `v[i]`, `*v` and `v[i].x`."""
    match = re.match(r"[\s*(]*([A-Za-z_]\w*)", text_of(target))
    return match[1] if match is not None else ""


def _target(work: Work, node: Node, target: Node) -> tuple[Number | None, str]:
    """Return the type of what is assigned to, and a name for it."""
    if node.type == "init_declarator":
        declaration = work.unit.parent(node)
        kind = declaration.child_by_field_name("type") if declaration is not None else None
        wanted = numbers.named(work.flow, text_of(kind))
    else:
        wanted = numbers.of_expression(work.flow, target)
    return wanted, _spelled(wanted) if wanted is not None else ""


def _spelled(number: Number) -> str:
    """Return a name of a type of 8 or 64 bits; "" for others."""
    return _SPELLED.get((number.kind, number.bits), "")


_SPELLED = {("i", 8): "signed char", ("u", 8): "unsigned char", ("i", 64): "long long", ("u", 64): "unsigned long long"}


def _element(vector: str) -> str:
    """Return the type of the components of a vector, without its length."""
    name = {"long": "long", "longlong": "long long", "char": "signed char"}
    return name.get(vector) or f"unsigned {name.get(vector[1:], vector[1:]).removeprefix('signed ')}"


def _wrapped(value: Node, kind: str) -> Wrap:
    return Wrap(value.start_byte, value.end_byte, *_around(value, f"{_NAME}<{kind}>"))


def _around(value: Node, function: str) -> tuple[str, str]:
    """Return what makes a value the argument of a function."""
    return (function, "") if value.type == "parenthesized_expression" else (function + "(", ")")


def _span(node: Node) -> Span:
    return Span(node.start_byte, node.end_byte)
