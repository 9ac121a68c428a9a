"""`typename` in front of dependent types that make values: `T::storage()`, which nvcc takes for a type on its own.

C++20 does not make `typename` optional there: Clang parses a call, and rejects it when the template is used.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span
from hipport.translate.syntax.templates import template_parameters
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

WORDS = (frozenset({"template"}), frozenset({"typename"}))
_TYPE = re.compile(r"\btypename\s+([A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)+)")
_BEFORE = re.compile(r"(?:\b(?:typename|template|using|class|struct|enum)\s|::|\.|->|\w)\s*\Z")
_EXPRESSION = re.compile(r"\b(?:return|else|case|throw|co_return|co_yield|and|or|not)\s*\Z")
_LISTS = frozenset({"field_initializer", "base_class_clause"})
"""Where only types are named, without `typename`."""
_LOOK_BACK = 80


def run(work: Work) -> Iterator[Edit]:
    """Insert it where the file says `typename` in front of the same name elsewhere."""
    unit = work.unit
    code = unit.shadow.main
    types = {"".join(match[1].split()) for match in _TYPE.finditer(code)} if "::" in code else set()
    for name in sorted(types):
        parts = r"\s*::\s*".join(name.split("::"))
        for match in re.compile(rf"\b{parts}\s*\(").finditer(code):
            if _is_value(code, match.start()) and _depends(unit, match.start(), name.partition("::")[0]):
                yield Replace(match.start(), match.start(), "typename ")


def _is_value(code: str, start: int) -> bool:
    """Return whether an expression may begin here."""
    first = max(0, start - _LOOK_BACK)
    return _BEFORE.search(code, first, start) is None or _EXPRESSION.search(code, first, start) is not None


def _depends(unit: Unit, start: int, first: str) -> bool:
    """Return whether the first name is a template parameter here, and no base or member is named."""
    node = unit.node_at(Span(start, start + len(first)))
    around = node
    while around is not None and around.type not in ("function_definition", "template_declaration"):
        if around.type in _LISTS:
            return False
        around = unit.parent(around)
    return first in template_parameters(unit, node)
