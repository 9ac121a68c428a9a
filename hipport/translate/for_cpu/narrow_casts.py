"""Casts of floating-point values to integers of 8 and 16 bits go by way of 32 bits: `(unsigned char)300.f` is 44.

GPUs convert to 32 bits, where values out of range become the nearest one and NaN 0, and cut the result. The compiler's
flag for conversions that saturate would make it 255. Other functions keep theirs: their files need not include HIP's
headers.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span, Wrap
from hipport.translate.syntax.calls import in_device_code
from hipport.translate.syntax.unit import Node, Unit

_SMALL = r"(?:(?:(?:un)?signed\s+)?char|(?:unsigned\s+)?short(?:\s+int)?|u?char|ushort|(?:std\s*::\s*)?u?int(?:8|16)_t)"
_TYPE = re.compile(_SMALL)
_CAST = re.compile(rf"\(\s*{_SMALL}\s*\)\s*(?=[\w(+-])")
_STATIC = re.compile(rf"\bstatic_cast\s*(?=<\s*{_SMALL}\s*>)")
_CONSTRUCTED = re.compile(r"(?<![\w.])(?:char|short|uchar|ushort|u?int(?:8|16)_t)\s*\(")
_NARROW = "::hipport::cpu::narrow"


def run(unit: Unit) -> Iterator[Edit]:
    """Rewrite the casts of device functions outside of macros, those to floats' own width and to pointers left out."""
    for match in _STATIC.finditer(unit.code):
        if unit.directive_at(match.start()) is None and in_device_code(unit, Span(*match.span()), or_host=True):
            yield Replace(match.start(), match.end(), _NARROW)
    if _CONSTRUCTED.search(unit.code) is not None:
        yield from _constructed(unit)
    if _CAST.search(unit.code) is None:
        return
    for node in unit.all_of("cast_expression"):
        kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
        name = unit.code[kind.start_byte : kind.end_byte].strip() if kind is not None else ""
        if value is None or not _TYPE.fullmatch(name):
            continue
        if not in_device_code(unit, Span(node.start_byte, node.end_byte), or_host=True):
            continue
        if value.type not in ("number_literal", "char_literal"):
            yield Replace(node.start_byte, value.start_byte, " ")
            yield Wrap(value.start_byte, value.end_byte, f"{_NARROW}<{name}>(", ")")


def _constructed(unit: Unit) -> Iterator[Replace]:
    """Rewrite `short(x)`."""
    for node in unit.all_of("call_expression"):
        called, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if called is None or arguments is None or arguments.named_child_count != 1:
            continue
        name = unit.code[called.start_byte : called.end_byte]
        place = Span(node.start_byte, node.end_byte)
        if not _TYPE.fullmatch(name) or unit.directive_at(place.start) is not None:
            continue
        if in_device_code(unit, place, or_host=True) and not _is_declaration(unit, node):
            yield Replace(called.start_byte, called.end_byte, f"{_NARROW}<{name}>")


def _is_declaration(unit: Unit, node: Node) -> bool:
    """Return whether what looks like a call begins a statement: `uchar (*row)[5] = rows;` declares a variable."""
    around = unit.parent(node)
    while around is not None and around.start_byte == node.start_byte and around.type != "expression_statement":
        around = unit.parent(around)
    return around is not None and around.type in ("expression_statement", "for_statement", "init_statement")
