"""Explicit instantiations of class templates outside of their namespace: `using namespace app; template class C<int>;`.

nvcc's front end and GCC take them. To Clang an unqualified name has to be instantiated in its own namespace, while a
qualified one may be in any around it. So the name gets its namespace, which may be that of an included file's template.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.files.facts import Fact, Kind, question
from hipport.source import Edit, Replace
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.brackets import template_open
from hipport.translate.syntax.named_scopes import namespace_path
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_ATTRIBUTES = r"(?:(?:[A-Z_]\w*|__attribute__\s*\(\([^()]*(?:\([^()]*\))?\)\)|\[\[[^][]*\]\])\s+)*"
_INSTANTIATED = re.compile(rf"\btemplate\s+(?:class|struct|union)\s+{_ATTRIBUTES}(?P<name>[A-Za-z_]\w*)\s*<")
_CLASS = re.compile(
    rf">\s*(?:class|struct|union)\s+(?:alignas\s*\([^()]*\)\s*)?{_ATTRIBUTES}(?P<name>(?!final\b)[A-Za-z_]\w*)\s*(?:final\s*)?[:;{{]"
)
"""Matches the declaration of a class template behind its parameters, without specializations."""
WORDS = (frozenset({"template"}), frozenset({"class", "struct", "union"}))


def run(work: Work) -> Iterator[Edit]:
    """Insert the namespace of a template that is instantiated in another one."""
    unit = work.unit
    places = [] if is_hip(work) else [*_instantiations(unit)]
    homes: dict[str, set[str]] = {}
    for name, path in (*_templates(unit),) if places else ():
        homes.setdefault(name, set()).add(path)
    for fact in work.facts(Kind.HOME) if places else ():
        homes.setdefault(fact.subject, set()).add(fact.value)
    for match in places:
        around, found = namespace_path(unit, match.start()), homes.get(match["name"], set())
        home = next(iter(found)) if len(found) == 1 else ""
        if home and home != around and f"{home}::".startswith(f"{around}::" if around else ""):
            yield Replace(match.start("name"), match.start("name"), f"{home}::")


def facts(work: Work) -> Iterator[str]:
    """Yield the class templates of the file, with their namespaces."""
    yield from (str(Fact(Kind.HOME, name, path)) for name, path in _templates(work.unit))


def asked(work: Work) -> Iterator[str]:
    """Yield questions about the class templates that the file instantiates by plain names."""
    yield from (question(Kind.HOME, match["name"]) for match in _instantiations(work.unit))


def _instantiations(unit: Unit) -> Iterator[re.Match[str]]:
    for match in _INSTANTIATED.finditer(unit.code):
        if unit.directive_at(match.start()) is None and platform_at(unit, match.start()) is not Platform.NVIDIA:
            yield match


def _templates(unit: Unit) -> Iterator[tuple[str, str]]:
    """Yield the class templates of a file, and the path of each one's namespace."""
    for match in _CLASS.finditer(unit.code) if "namespace" in unit.words else ():
        opening = template_open(unit.code, match.start())
        if opening is None or not unit.code[max(0, opening - 16) : opening].rstrip().endswith("template"):
            continue
        path = namespace_path(unit, match.start())
        if path is not None:
            yield match["name"], path
