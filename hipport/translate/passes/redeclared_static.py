"""Function templates that a declaration without `static` comes before: nvcc takes them, Clang rejects the `static`.

`template <bool> int copy();` of a header and `template <bool> static int copy() { ... }` of a file that includes it are
one function with the linkage of the first declaration, so that the definition loses the word.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.files.facts import Fact, Kind, question
from hipport.source import Edit, Replace, Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.function_families import Found, functions, name_of, owner_of, signature_of
from hipport.translate.syntax.brackets import matching_open
from hipport.translate.syntax.named_scopes import is_in_class
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

WORDS = (frozenset({"template"}), frozenset({"static"}))
_STATIC = re.compile(r"\bstatic\b\s*")
_LOOKED_BACK = 400
"""Characters in front of the braces of a constraint."""
_CLASSES = frozenset({"struct_specifier", "class_specifier", "union_specifier"})
_DECLARED = re.compile(r"\btemplate\s*<[^;{}()]*>[^;{}()=]*\b[A-Za-z_]\w*\s*\([^;{}]*\)\s*;")


def run(work: Work) -> Iterator[Edit]:
    """Remove the `static` of definitions behind such declarations."""
    if is_hip(work) or not _may_define(work.unit):
        return
    told = {(fact.subject, fact.value) for fact in work.facts(Kind.EXTERNAL)}
    for name, group in functions(work.unit).items():
        known = {_signature(work.unit, found) for found in _external(work.unit, group)}
        known |= {signature for subject, signature in told if subject == name}
        for found in group if known else ():
            static = _static(work.unit, found) if found.is_definition else None
            if static is not None and _signature(work.unit, found) in known:
                yield Replace(static.start, static.end, "")


def facts(work: Work) -> Iterator[str]:
    """Yield the function templates that the file declares without `static`."""
    if is_hip(work) or "template" not in work.unit.words or _DECLARED.search(work.unit.code) is None:
        return
    for name, group in functions(work.unit).items():
        yield from (
            str(Fact(Kind.EXTERNAL, name, _signature(work.unit, found))) for found in _external(work.unit, group)
        )


def asked(work: Work) -> Iterator[str]:
    """Yield the function templates that the file defines with `static`."""
    if all(not work.unit.words.isdisjoint(words) for words in WORDS) and _may_define(work.unit):
        for name, group in functions(work.unit).items():
            if any(found.is_definition and _static(work.unit, found) is not None for found in group):
                yield question(Kind.EXTERNAL, name)


def _may_define(unit: Unit) -> bool:
    """Return whether a file may define a function template with `static` outside of classes, by the text.

    Few files do; the others need no tree.
    """
    start = 0
    for _, offset in unit.occurrences(frozenset({"static"})):
        start = max(start, *(unit.code.rfind(end, start, offset) + 1 for end in ";{}"))
        if _is_templates(unit, start, offset) and not is_in_class(unit, offset):
            return True
    return False


def _is_templates(unit: Unit, start: int, offset: int) -> bool:
    """Return whether text behind the end of a statement or block may go on with, or be, the head of a template.

    Braces may be in its parameters, `decltype(T{})`, or in a constraint, `requires (T t) { t.size(); }`.
    """
    in_front = unit.code[start:offset]
    if "template" in in_front or in_front.lstrip().startswith((")", ">", ",")):
        return True
    opening = matching_open(unit.code, start - 1) if "requires" in unit.words else None
    return opening is not None and "requires" in unit.code[max(0, opening - _LOOKED_BACK) : opening]


def _external(unit: Unit, group: list[Found]) -> Iterator[Found]:
    """Yield the declarations of templates in no class that have no `static` and no body."""
    for found in group:
        if not found.is_definition and _is_free_template(unit, found):
            head = _head(unit, found)
            if head is not None and _STATIC.search(unit.code, head.start, head.end) is None:
                yield found


def _static(unit: Unit, found: Found) -> Span | None:
    head = _head(unit, found) if _is_free_template(unit, found) else None
    match = _STATIC.search(unit.code, head.start, head.end) if head is not None else None
    return Span(match.start(), match.end()) if match is not None else None


def _head(unit: Unit, found: Found) -> Span | None:
    """Return the specifiers of a declaration: behind `template <...>` and in front of the name."""
    owner, name = owner_of(unit, found.node), name_of(unit, found.node)
    if owner is None or name is None or platform_at(unit, name.start) is Platform.NVIDIA:
        return None
    return Span(owner.start_byte, name.start)


def _is_free_template(unit: Unit, found: Found) -> bool:
    owner = owner_of(unit, found.node)
    around = unit.parent(owner) if owner is not None else None
    if around is None or around.type != "template_declaration":
        return False
    while around is not None and around.type not in _CLASSES:
        around = unit.parent(around)
    return around is None


def _signature(unit: Unit, found: Found) -> str:
    owner = owner_of(unit, found.node)
    return ",".join(signature_of(unit, found.node, owner)).replace(";", "") if owner is not None else ""
