"""Pointers to rows whose length is a variable: `double (*rows)[n] = (double (*)[n]) data;` in host code.

nvcc takes them as GCC does. Clang takes the types of two such declarators for different ones in C++, even if both are
spelled alike, and converts between them only by a cast to the type of the variable itself: `(decltype(rows)) data`.
"""

from __future__ import annotations

from collections.abc import Iterator
from re import Match

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.dataflow.function import Function, text_of
from hipport.translate.inclusion import is_c_source
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

_ROWS = re.compile(
    r"[;{}]\s*(?:(?:const|static)\s+)*[A-Za-z_][\w:]*(?:\s+\w+)*\s*"
    r"(?P<declarator>\(\s*\*\s*(?:const\s+)?(?P<name>[A-Za-z_]\w*)\s*\)\s*(?P<bounds>(?:\[[^][;{}]*\]\s*)+))(?=[=,;])"
)
"""Matches the first declarator of a statement, a pointer to arrays. The tree has `double (*rows)[n]` as a call."""
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_CONSTANT = re.compile(r"\b(?:const|constexpr)\b")
_NULL = frozenset({"nullptr", "NULL", "0"})
_CASTS = ("reinterpret_cast", "static_cast")


def edits(work: Work) -> Iterator[Edit]:
    """Cast what such variables are initialized with, and what is assigned to them, to their own types."""
    if is_c_source(work.unit):
        return
    for match in _ROWS.finditer(work.unit.code):
        function = work.flow.function_at(match.start("name"))
        if (
            function is None
            or not _is_variable(function, match)
            or platform_at(work.unit, match.end()) is Platform.NVIDIA
        ):
            continue
        for value in _values(function, match):
            if text_of(value) not in _NULL:
                yield from _cast(match["name"], value)


def _is_variable(function: Function, rows: Match[str]) -> bool:
    """Return whether a variable of the function decides one of the bounds."""
    names = [(name[0], rows.start("bounds") + name.start()) for name in _NAME.finditer(rows["bounds"])]
    bounds = (function.variable(name, offset) for name, offset in names)
    return any(bound is not None and not _CONSTANT.search(bound.text) for bound in bounds)


def _values(function: Function, rows: Match[str]) -> Iterator[Node]:
    """Yield the initializer and what the block around the declaration assigns to the variable."""
    scope = _block(function, rows.start("name"))
    for node in function.of_type("assignment_expression", "init_declarator"):
        target = node.child_by_field_name("left" if node.type == "assignment_expression" else "declarator")
        value = node.child_by_field_name("right" if node.type == "assignment_expression" else "value")
        if target is None or value is None or not rows.start() <= node.start_byte < scope.end_byte:
            continue
        declared = rows.start("declarator") <= target.end_byte <= rows.end("declarator")
        if declared or (target.type == "identifier" and text_of(target) == rows["name"]):
            yield value


def _block(function: Function, offset: int) -> Node:
    """Return the innermost block around an offset, or the function's body."""
    around = [node for node in function.of_type("compound_statement") if node.start_byte <= offset < node.end_byte]
    return around[-1] if around else function.body


def _cast(name: str, value: Node) -> Iterator[Edit]:
    """Yield the edits that give a value the type of the variable; a cast to rows is replaced."""
    if value.type == "conditional_expression":
        for arm in map(value.child_by_field_name, ("consequence", "alternative")):
            if arm is not None:
                yield from _cast(name, arm)
        return
    kind = f"(decltype({name}))"
    operand = value.child_by_field_name("value" if value.type == "cast_expression" else "arguments")
    if operand is not None and (value.type == "cast_expression" or text_of(value).startswith(_CASTS)):
        written = text_of(value)[: operand.start_byte - value.start_byte].rstrip()
        yield Replace(value.start_byte, value.start_byte + len(written.encode()), kind)
    else:
        yield Replace(value.start_byte, value.start_byte, f"{kind}(")
        yield Replace(value.end_byte, value.end_byte, ")")
