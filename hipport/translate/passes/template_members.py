"""`template` in front of member templates of dependent objects and types, which clang requires and nvcc does not.

In front of a call without template arguments clang rejects the word, which nvcc takes: `T::template run(x)`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span
from hipport.translate.syntax.brackets import (
    callee_start,
    matching_close,
    skip_blanks,
    skip_blanks_back,
    split_arguments,
    template_close,
)
from hipport.translate.syntax.dependence import Dependence
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

_MEMBER = re.compile(r"(?:::|\.|->)\s*(?P<name>operator\s*(?:\(\s*\)|\[\s*\])|[A-Za-z_]\w*)(?P<gap>\s*)<(?![<=])")
_WITHOUT_ARGUMENTS = re.compile(r"(template(?<!\wtemplate)\s+)(?!operator\b)[A-Za-z_]\w*\s*\(")
_LONGEST = 2000
"""The longest list of template arguments to look for, in characters."""
_LOOKED_BACK = 40
_TYPENAME = re.compile(r"\btypename\s+\Z")
_TYPE = re.compile(r"(?:[*&]|\b(?:void|bool|char|short|int|long|float|double|signed|unsigned|auto))\s*\Z")
_STATEMENT = re.compile(r"[;{}]\s*\Z")
_CLASSES = frozenset({"class_specifier", "struct_specifier", "union_specifier", "enum_specifier"})
_DECLARED = frozenset({"function_definition", "declaration", "field_declaration"})
_VALUES = frozenset(
    {"compound_statement", "template_argument_list", "init_declarator", "field_initializer_list", "decltype"}
)
WORDS = (frozenset({"template", "auto"}),)


def run(work: Work) -> Iterator[Edit]:
    """Insert `template` where a name behind a dependent object or type needs it, and remove it in front of calls."""
    unit = work.unit
    for match in _WITHOUT_ARGUMENTS.finditer(unit.code):
        if unit.code.endswith(("::", ".", "->"), 0, skip_blanks_back(unit.code, match.start())):
            yield Replace(match.start(1), match.end(1), "")
    dependence = Dependence(unit)
    for match in _MEMBER.finditer(unit.shadow.main):
        name = match.start("name")
        first = _receiver(unit.shadow.main, match)
        if (
            first is None
            or _is_of_std(unit.shadow.main, first, match)
            or not dependence.may_depend(Span(first, match.start()))
            or not _is_template(unit.shadow.main, first, match)
        ):
            continue
        node = unit.node_at(Span(name, match.end("name")))
        if node is not None and _is_used(unit, node) and dependence.depends(node, Span(first, match.start())):
            yield Replace(name, name, "template ")


def _receiver(code: str, match: re.Match[str]) -> int | None:
    """Return where the object or type in front of a member begins; None if there is none, as in `= ::f<3>()`."""
    return callee_start(code, skip_blanks_back(code, match.start()))


def _is_of_std(code: str, first: int, match: re.Match[str]) -> bool:
    """Return whether a name is the library's own: `std` depends on nothing, and is in front of most names."""
    return code[first : match.start()].strip(": \t\r\n") == "std"


def _is_template(code: str, first: int, match: re.Match[str]) -> bool:
    """Return whether `name<...>` cannot be meant as a comparison, which `a.b < c > (d)` is."""
    opening = match.end() - 1
    close = template_close(code, opening, min(len(code), opening + _LONGEST))
    if close is None:
        return False
    after = skip_blanks(code, close + 1)
    if code.startswith("::", after) or _TYPENAME.search(code, max(0, first - _LOOKED_BACK), first):
        return True
    end = matching_close(code, after) if code[after : after + 1] == "(" else None
    if end is None:
        return False
    called = len(split_arguments(code, after + 1, end)) != 1 or _is_statement(code, first, end + 1)
    types = any(_TYPE.search(code, each.start, each.end) for each in split_arguments(code, opening + 1, close))
    return called or types or (not match["gap"] and after == close + 1)


def _is_statement(code: str, start: int, end: int) -> bool:
    """Return whether an expression is a whole statement, whose value nobody uses."""
    return code.startswith(";", skip_blanks(code, end)) and bool(
        _STATEMENT.search(code, max(0, start - _LOOKED_BACK), start)
    )


def _is_used(unit: Unit, node: Node) -> bool:
    """Return whether a name is used in code or in a type, and is not part of what is declared or specialized."""
    parent = unit.parent(node)
    while parent is not None and parent.type not in _VALUES:
        if parent.type in _CLASSES and unit.field(node) == "name":
            return False
        if parent.type in _DECLARED and unit.field(node) == "declarator":
            return False
        node, parent = parent, unit.parent(parent)
    return True
