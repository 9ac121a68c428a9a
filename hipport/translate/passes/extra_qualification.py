"""Members declared with the name of their own class: `class Shape { int Shape::area(); };`.

nvcc's front end warns and Visual C++ takes it. Clang does not.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span
from hipport.translate.syntax.named_scopes import is_in_class, scope_name
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

_MEMBER = re.compile(
    r"(?<![\w:])((?:[A-Za-z_]\w*\s*::\s*)*([A-Za-z_]\w*)\s*::\s*)(?:~\s*)?[A-Za-z_]\w*\s*\((?!\s*[*&])"
)
"""Matches a qualified name in front of parameters; `Shape::Type (*member)()` is a pointer."""
_CLASSES = ("class_specifier", "struct_specifier")
_NAMED = re.compile(r"\b(?:class|struct)\s+(?:\w+\s+){0,3}?(\w+)\s*(?:<[^<>{};]*>\s*)?(?:[:{]|final\b)")
_BODY = "field_declaration_list"
_OTHER = frozenset({"compound_statement", "field_initializer_list", "friend_declaration", "parameter_list"})
_VALUE = re.compile(r"=|\b(?:friend|using|typedef|return)\b")


def edits(work: Work) -> Iterator[Edit]:
    """Remove the class's name in front of the members that its body declares."""
    unit = work.unit
    named = {*_NAMED.findall(unit.code)}
    for match in _MEMBER.finditer(unit.code) if named else ():
        if match[2] not in named or is_in_class(unit, match.start()) is False:
            continue
        owner = _class_of(unit, match.start())
        if owner is None or platform_at(unit, match.start()) is Platform.NVIDIA:
            continue
        start = max(unit.code.rfind(end, 0, match.start()) for end in ";{}")
        if _is_own(unit, owner, match[1]) and not _VALUE.search(unit.code, start + 1, match.start()):
            yield Replace(match.start(), match.end(1), "")


def _class_of(unit: Unit, offset: int) -> Node | None:
    """Return the class whose body declares what stands at an offset, outside of functions."""
    node: Node | None = unit.node_at(Span(offset, offset + 1))
    while node is not None and node.type != _BODY:
        if node.type in _OTHER:
            return None
        node = unit.parent(node)
    owner = unit.parent(node) if node is not None else None
    return owner if owner is not None and owner.type in _CLASSES else None


def _is_own(unit: Unit, node: Node, path: str) -> bool:
    """Return whether a path is the class's name, maybe with namespaces or classes around it."""
    own: list[str] = []
    around: Node | None = node
    while around is not None:
        if around.type in (*_CLASSES, "namespace_definition"):
            own.insert(0, scope_name(around))
        around = unit.parent(around)
    parts = re.findall(r"\w+", path)
    return own[-len(parts) :] == parts
