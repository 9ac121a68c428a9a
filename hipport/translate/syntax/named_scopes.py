"""Namespaces and classes by name: where code is inside one, or sees its names without qualification."""

from __future__ import annotations

from collections.abc import Iterator, Set

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.syntax.brackets import matching_close, skip_blanks
from hipport.translate.syntax.unit import Node, Unit

USING_STD = re.compile(r"\busing\s+namespace\s+(?:::\s*)?std\s*;")
NAMED_SCOPES = frozenset({"namespace_definition", "class_specifier", "struct_specifier", "union_specifier"})
_OPENING = frozenset({"namespace", "class", "struct", "union"})
_CLASS = re.compile(r"\b(?:class|struct|union)\b")
_LAST_WORD = re.compile(r"([A-Za-z_]\w*)\s*\Z")
_BODY = re.compile(r"\s*(?:(?:const|noexcept|override|final|try|&{1,2})\s*)*(?:->[^;{}]*|:[^:;{}][^;{}]*)?\{")
"""Matches what stands between a function's parameters and the end of the brace that opens its body."""


def scope_name(scope: Node) -> str:
    """Return the last name of a namespace or class, given its node or that of its members; empty if it has none."""
    owner = scope.parent if scope.type == "field_declaration_list" else scope
    name = owner.child_by_field_name("name") if owner is not None and owner.type in NAMED_SCOPES else None
    if name is not None and name.type == "template_type":
        name = name.child_by_field_name("name")
    words = _LAST_WORD.search((name.text or b"").decode("latin-1")) if name is not None else None
    return words[1] if words is not None else ""


def is_in_class(unit: Unit, offset: int) -> bool | None:
    """Return whether the innermost braces around a place are those of a class, by the text, which needs no tree.

    None: that cannot be told, because a brace is not matched or stands in a macro.
    """
    around = unit.braces.around(Span(offset, offset + 1))
    if not unit.is_balanced or (around is not None and unit.directive_at(around.start) is not None):
        return None
    if around is None:
        return False
    start = max(unit.code.rfind(end, 0, around.start) for end in ";{}")
    return _CLASS.search(unit.code, start + 1, around.start) is not None


def owner_of(unit: Unit, node: Node | None) -> str:
    """Return the name of the innermost namespace or class with a name around a node; empty at file scope."""
    while node is not None:
        if node.type in NAMED_SCOPES and (name := scope_name(node)):
            return name
        node = unit.parent(node)
    return ""


def namespace_path(unit: Unit, offset: int) -> str | None:
    """Return the path of the namespace around a place; None inside a class, or a namespace without a name."""
    parts: list[str] = []
    node: Node | None = unit.node_at(Span(offset, offset + 1))
    while node is not None:
        if node.type in ("field_declaration_list", "compound_statement"):
            return None
        if node.type == "namespace_definition":
            name = node.child_by_field_name("name")
            if name is None or name.text is None:
                return None
            parts.insert(0, "".join(name.text.decode().split()))
        node = unit.parent(node)
    return "::".join(parts)


def regions(unit: Unit, owner: str, name: str) -> Iterator[Span]:
    """Yield where an unqualified `name` means the one that a namespace or class called `owner` declares.

    That is inside it and inside classes derived from it, in its functions, and behind `using` for it.
    """
    if owner not in unit.words:
        return
    inside: dict[str, tuple[Span, ...]] = unit.notes.setdefault("regions", {})
    if owner not in inside:
        inside[owner] = (*_bodies(unit, owner), *_functions(unit, owner))
    yield from inside[owner]
    using = re.build(rf"using\s+(?:namespace\s+(?:\w*\s*::\s*)*{owner}|(?:\w*\s*::\s*)*{owner}\s*::\s*{name})\s*;")
    for match in _at(unit, {"using"}, using):
        around = unit.braces.around(Span(match.start(), match.end()))
        yield Span(match.start(), around.end if around is not None else len(unit.code))


def _bodies(unit: Unit, owner: str) -> Iterator[Span]:
    namespace = rf"namespace\s+(?:\w+\s*::\s*)*{owner}\b[\w\s:]*"
    type_of = rf"(?:class|struct|union)\b[^;{{}}()]*\b{owner}\b[^;{{}}()]*"
    for match in _at(unit, _OPENING, re.build(rf"(?:{namespace}|{type_of})\{{")):
        close = matching_close(unit.code, match.end() - 1)
        if close is not None:
            yield Span(match.end() - 1, close + 1)


def _functions(unit: Unit, owner: str) -> Iterator[Span]:
    member = re.build(rf"{owner}\s*(?:<[^;{{}}()]*>)?\s*::\s*(?:~?\w+|operator\W+)\s*\(")
    for match in _at(unit, {owner}, member):
        parameters = matching_close(unit.code, match.end() - 1)
        body = _BODY.match(unit.code, parameters + 1) if parameters is not None else None
        close = matching_close(unit.code, body.end() - 1) if body is not None else None
        if close is not None:
            yield Span(match.end() - 1, close + 1)


def _at(unit: Unit, words: Set[str], pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern that begins with one of the words, as searching for it in all the code would."""
    end = 0
    for _, offset in unit.occurrences(words):
        match = pattern.match(unit.code, offset) if offset >= end else None
        if match is not None:
            end = match.end()
            yield match


_USING = re.compile(r"\busing\s+(?:::\s*)?\Z")


def is_brought_in(code: str, name: str, offset: int) -> bool:
    """Return whether this is the name in `using ::cudaStream_t;`."""
    after = skip_blanks(code, offset + len(name))
    return code[after : after + 1] == ";" and _USING.search(code, max(0, offset - 64), offset) is not None
