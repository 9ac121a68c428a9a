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
from hipport.translate.syntax.unit import Unit

_SMALL = r"(?:(?:(?:un)?signed\s+)?char|(?:unsigned\s+)?short(?:\s+int)?|u?char|ushort|(?:std\s*::\s*)?u?int(?:8|16)_t)"
_TYPE = re.compile(_SMALL)
_CAST = re.compile(rf"\(\s*{_SMALL}\s*\)\s*(?=[\w(+-])")
_STATIC = re.compile(rf"\bstatic_cast\s*(?=<\s*{_SMALL}\s*>)")
_NARROW = "::hipport::cpu::narrow"


def run(unit: Unit) -> Iterator[Edit]:
    """Rewrite the casts of device functions outside of macros, those to floats' own width and to pointers left out."""
    for match in _STATIC.finditer(unit.code):
        if unit.directive_at(match.start()) is None and in_device_code(unit, Span(*match.span()), or_host=True):
            yield Replace(match.start(), match.end(), _NARROW)
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
