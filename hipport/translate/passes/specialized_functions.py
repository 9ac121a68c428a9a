"""Specializations of function templates for other sides (host, device) than their template.

nvcc takes `template<> __host__ __device__ float f(float)` for a template that is `__device__`, and instantiations
without `__device__`. To HIP's compilers `__host__` and `__device__` are part of a signature, and the template is "not
found". So a template and its specializations in a file get the words of all of them, and instantiations those of the
template, or its macro. A specialization that gets a side becomes `inline`: its body may be valid on the other side
only, and clang checks inline functions where they are used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.brackets import matching_close, skip_blanks, split_arguments, template_close
from hipport.translate.syntax.declarations import after_parameters
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.side_words import mentions_sides
from hipport.translate.syntax.unit import Unit
from hipport.translate.syntax.words import SIDE_MACRO
from hipport.translate.work import Work

_TEMPLATE = re.compile(r"template(?<!\wtemplate)(?<!extern template)(?P<angle>\s*<)?(?!\s*\w*\s*::)")
_HEAD = re.compile(r"(?P<front>[\w\s:<>,*&\[\]]*?(?:[\s*&>\]]|::(?=\w+\s*<)))(?P<name>[A-Za-z_]\w*)\s*(?P<open>[<(])")
_SIDES = ("__host__", "__device__")
_HOST = frozenset({"__host__"})
_SIDE = re.compile(r"\b__(?:host|device)__\b")
_UNKNOWN = re.compile(r"\b(?:__global__|requires|friend|(?=\w*[A-Z]{2})[A-Z_][A-Z0-9_]*)\b")
"""Matches words that decide about sides in another way: macros may be `__host__ __device__`."""
_INLINE = re.compile(r"\b(?:inline|__inline__|__forceinline__|constexpr|consteval|static)\b")
_OTHERWISE = re.compile(r"\b(?:__global__|requires|friend)\b")
_WORD = re.compile(r"[A-Za-z_]\w*")
WORDS = (frozenset({"template"}),)


class DeclaredTemplate(Struct, frozen=True):
    """A function template, a specialization (`template<>`) or an instantiation (`template float f(float);`)."""

    kind: str
    name: str
    front: Span
    """The range between `template<...>` and the name."""
    key: tuple[int, int, str]
    """The offset of the enclosing braces, the number of parameters, the name."""
    has_body: bool

    def written(self, unit: Unit) -> frozenset[str]:
        """Return `__host__` and `__device__` as far as they are in the declaration."""
        return frozenset(_SIDE.findall(unit.code, self.front.start, self.front.end))

    def sides(self, unit: Unit) -> frozenset[str]:
        """Return the words for the sides that the function is for: without any, it is for the host."""
        return self.written(unit) or _HOST


def run(work: Work) -> Iterator[Edit]:
    """Insert the words that a template, its specializations and its instantiations lack."""
    unit = work.unit
    if is_hip(work) or not mentions_sides(unit):
        return
    families: dict[tuple[int, int, str], list[DeclaredTemplate]] = {}
    for each in templates(unit):
        families.setdefault(each.key, []).append(each)
    for family in families.values():
        yield from _aligned(unit, family)


def sides_of_templates(unit: Unit) -> dict[str, set[tuple[str, ...]]]:
    """Return the words and macros for sides that the function templates of a file are written with, by their names."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for each in templates(unit):
        if each.kind == "template":
            found.setdefault(each.name, set()).add(_words_for_sides(unit, each))
    return found


def _aligned(unit: Unit, family: list[DeclaredTemplate]) -> Iterator[Edit]:
    """Yield the edits for the templates of one name; templates that differ among themselves are overloads."""
    of_templates = {each.sides(unit) for each in family if each.kind == "template"}
    if len(of_templates) != 1 or len(family) < 2:
        return
    if is_unclear(unit, family):
        yield from _given_macro(unit, family)
        return
    wanted = next(iter(of_templates)).union(*(each.sides(unit) for each in family if each.kind == "specialization"))
    for each in family:
        missing = wanted - each.written(unit)
        if wanted != each.sides(unit):
            yield from _completed(unit, each, missing)


def _given_macro(unit: Unit, family: Iterable[DeclaredTemplate]) -> Iterator[Edit]:
    """Yield the edits that give the template's words and macros for sides to instantiations without any."""
    heads = {_words_for_sides(unit, each) for each in family if each.kind == "template"}
    words = next(iter(heads)) if len(heads) == 1 else ()
    for each in family if words else ():
        front = each.front
        if each.kind == "instantiation" and not _words_for_sides(unit, each) and not is_unclear(unit, [each]):
            yield Replace(front.start, front.start, "".join(f"{word} " for word in words))


def _words_for_sides(unit: Unit, declared: DeclaredTemplate) -> tuple[str, ...]:
    front = declared.front
    if _OTHERWISE.search(unit.code, front.start, front.end):
        return ()
    found = [*_SIDE.finditer(unit.code, front.start, front.end)]
    found += SIDE_MACRO.finditer(unit.code, front.start, front.end)
    return tuple(match[0] for match in sorted(found, key=lambda match: match.start()))


def is_unclear(unit: Unit, family: Iterable[DeclaredTemplate]) -> bool:
    """Return whether a declaration has words that decide about its sides in another way, such as macros."""
    return any(
        word not in _parameters_of(unit, each)
        for each in family
        for word in _UNKNOWN.findall(unit.code, each.front.start, each.front.end)
    )


def _parameters_of(unit: Unit, declared: DeclaredTemplate) -> frozenset[str]:
    """Return the words between `template` and the declaration: a parameter may be in capitals, as macros are."""
    head = unit.code.rfind("template", 0, declared.front.start)
    return frozenset(_WORD.findall(unit.code, head, declared.front.start))


def _completed(unit: Unit, declared: DeclaredTemplate, missing: frozenset[str]) -> Iterator[Replace]:
    """Yield the edits that add words to a declaration, next to its own word for a side if it has one."""
    front = declared.front
    own = _SIDE.search(unit.code, front.start, front.end)
    start, end = (own.start(), own.end()) if own is not None else (front.start, front.start)
    if must_become_inline(unit, declared):
        yield Replace(start, start, "inline ")
    if missing == {"__device__"} and own is not None:
        yield Replace(end, end, " __device__")
    else:
        yield Replace(start, start, "".join(f"{word} " for word in _SIDES if word in missing))


def must_become_inline(unit: Unit, declared: DeclaredTemplate) -> bool:
    """Return whether what gets a side is a specialization with a body that is not inline."""
    front = declared.front
    is_inline = _INLINE.search(unit.code, front.start, front.end) is not None
    return declared.kind == "specialization" and declared.has_body and not is_inline


def templates(unit: Unit) -> Iterator[DeclaredTemplate]:
    """Yield the function templates, specializations and instantiations that HIP's compilers see, in file order."""
    for match in _TEMPLATE.finditer(unit.code):
        if unit.directive_at(match.start()) is None and platform_at(unit, match.start()) is not Platform.NVIDIA:
            found = _read(unit, match)
            if found is not None:
                yield found


def _read(unit: Unit, match: re.Match[str]) -> DeclaredTemplate | None:
    """Return the declaration that begins with a `template`, if it is one of a function with a plain name."""
    code, kind, start = unit.code, "instantiation", match.end()
    if match["angle"]:
        close = template_close(code, match.end() - 1, len(code))
        if close is None:
            return None
        kind = "template" if code[match.end() : close].strip() else "specialization"
        start = close + 1
    while code[start : start + 1].isspace():
        start += 1
    head = _HEAD.match(code, start)
    opening = _parameters(code, head) if head is not None else None
    while head is not None and opening is None and head["open"] == "<":  # `typename std::Traits<T>::Type f(T)`
        close = template_close(code, head.start("open"), len(code))
        head = _HEAD.match(code, close + 1) if close is not None else None
        opening = _parameters(code, head) if head is not None else None
    if head is None or opening is None or head["front"].endswith("::"):  # a member, or in a namespace
        return None
    return _of_function(unit, kind, head["name"], Span(start, head.start("name")), opening)


def _parameters(code: str, head: re.Match[str]) -> int | None:
    """Return the offset of the parenthesis that opens the parameters, behind template arguments."""
    if head["open"] == "(":
        return head.start("open")
    close = template_close(code, head.start("open"), len(code))
    behind = skip_blanks(code, close + 1) if close is not None else len(code)
    return behind if code.startswith("(", behind) else None


def _of_function(unit: Unit, kind: str, name: str, front: Span, opening: int) -> DeclaredTemplate | None:
    close = matching_close(unit.code, opening)
    end = after_parameters(unit.code, close + 1) if close is not None else None
    if close is None or end is None or unit.has_directive(Span(front.start, end)):
        return None
    around = unit.braces.around(Span(front.start, front.start + 1))
    count = len(split_arguments(unit.code, opening + 1, close))
    key = (around.start if around is not None else -1, count, name)
    return DeclaredTemplate(kind, name, front, key, unit.code[end] == "{")
