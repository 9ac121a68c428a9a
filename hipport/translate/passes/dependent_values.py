"""`typename` in front of dependent types in expressions, which nvcc takes for types on its own: `T::storage()`.

C++20 does not make `typename` optional there: Clang parses a call or a value, and rejects it when the template is
used. That a member is a type is seen from `typename` in front of a member of that name elsewhere, here or in an
included file.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.files.facts import Fact, Kind, question
from hipport.source import Edit, Replace, Span
from hipport.translate.syntax.brackets import callee_start, skip_blanks, template_close
from hipport.translate.syntax.templates import dependent_names, template_parameters
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

WORDS = (frozenset({"template"}),)
_TYPENAME = re.compile(r"\btypename\b")
_PART = re.compile(r"\s*(?:::\s*)?(?:template\s+)?([A-Za-z_]\w*)")
_SCOPE = re.compile(r"\s*::")
_CALLED = re.compile(r"::\s*(?P<name>[A-Za-z_]\w*)\s*(?P<open>\()")
_MEASURED = tuple(
    re.compile(rf"\b{word}\s*\(\s*(?P<type>[A-Za-z_:][^;(){{}}]*::\s*(?P<name>[A-Za-z_]\w*))\s*\)")
    for word in ("sizeof", "alignof", "__alignof(?:__)?")
)
_BEFORE = re.compile(r"(?:\b(?:typename|template|using|class|struct|enum|new)\s|::|\.|->|\w)\s*\Z")
_EXPRESSION = re.compile(r"\b(?:return|else|case|throw|co_return|co_yield|and|or|not)\s*\Z")
_WORD = re.compile(r"[A-Za-z_]\w*")
_LISTS = frozenset({"field_initializer", "base_class_clause"})
"""Where only types are named, without `typename`."""
_LOOK_BACK = 80


def run(work: Work) -> Iterator[Edit]:
    """Insert it where the file or one that it includes says `typename` in front of a member of the same name."""
    unit = work.unit
    types = {fact.subject for fact in work.facts(Kind.TYPENAME)} | {*_types(unit.shadow.main)}
    dependent = dependent_names(unit.shadow.main) if types else frozenset()
    for name, start, end in _values(unit.shadow.main) if dependent else ():
        if name in types and _depends(unit, Span(start, end), dependent):
            yield Replace(start, start, "typename ")


def facts(work: Work) -> Iterator[str]:
    """Yield the names of members in front of which the file says `typename`."""
    if "typename" in work.unit.words:
        yield from {str(Fact(Kind.TYPENAME, name)) for name in _types(work.unit.code)}


def asked(work: Work) -> Iterator[str]:
    """Yield questions about the members that the file calls or measures."""
    yield from {question(Kind.TYPENAME, name) for name, _, _ in _values(work.unit.shadow.main)}


def _types(code: str) -> Iterator[str]:
    """Yield the last names behind `typename`."""
    for match in _TYPENAME.finditer(code):
        part, name, scoped = _PART.match(code, match.end()), "", False
        while part is not None:
            name, end = part[1], part.end()
            opening = skip_blanks(code, end)
            close = template_close(code, opening, len(code)) if code[opening : opening + 1] == "<" else None
            end = close + 1 if close is not None else end
            part = _PART.match(code, end) if _SCOPE.match(code, end) else None
            scoped = scoped or part is not None
        if scoped:
            yield name


def _values(code: str) -> Iterator[tuple[str, int, int]]:
    """Yield the last name and the range of each qualified name in front of parentheses, or in `sizeof`."""
    for match in _CALLED.finditer(code):
        start = callee_start(code, match.start("open"))
        if start is not None and _is_value(code, start):
            yield match["name"], start, match.end("name")
    for match in (each for pattern in _MEASURED for each in pattern.finditer(code)):
        yield match["name"], match.start("type"), match.end("type")


def _is_value(code: str, start: int) -> bool:
    """Return whether an expression may begin here."""
    first = max(0, start - _LOOK_BACK)
    return _BEFORE.search(code, first, start) is None or _EXPRESSION.search(code, first, start) is not None


def _depends(unit: Unit, name: Span, dependent: frozenset[str]) -> bool:
    """Return whether the scope of a qualified name has dependent names, and it is no base or constructor."""
    code = unit.shadow.main
    text = code[name.start : name.end]
    scope = text[: text.rindex("::")].rstrip()
    own = re.build(rf"\b{text[text.rindex('::') + 2 :].strip()}\s*(?:<.*>)?\Z")
    if "." in text or "->" in text or _TYPENAME.search(text) or "(" in text or own.search(scope):
        return False
    node = unit.node_at(Span(name.start, name.start + 1))
    around: Node | None = node
    while around is not None and around.type not in ("function_definition", "template_declaration"):
        if around.type in _LISTS:
            return False
        around = unit.parent(around)
    return not dependent.isdisjoint(_WORD.findall(scope)) and bool(template_parameters(unit, node))
