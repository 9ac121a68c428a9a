"""Members of specializations without `template<>`: `Matrix<4>::Matrix(float x) {}`, `int Cache<float>::size = 4;`.

Visual C++ takes them, and nvcc with it. Clang asks for `template<>`, unless `Matrix<4>` is itself specialized.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_TEMPLATE = re.compile(r"\btemplate\s*<[^;{}()]{0,400}?>\s*(?:class|struct)\s+(?:[A-Z_]+\s+)?([A-Za-z_]\w*)\s*(<)?")
_MEMBER = re.compile(
    r"(?<![\w:])([A-Za-z_]\w*)\s*(<[^;{}()]{1,120}?>)\s*::\s*(?:operator\b[^;{}()]*(?:\(\s*\))?|~?\s*[A-Za-z_]\w*)\s*([(={;[])"
)
_SPECIFIERS = re.compile(r"[\w\s:<>,*&]*")
_OTHER = re.compile(r"\b(?:template|typedef|using|friend|return|extern|case|new|delete|throw|else|goto)\b")
_AROUND = frozenset({"translation_unit", "namespace_definition", "declaration_list", "linkage_specification"})
_INSIDE = frozenset(
    """identifier type_identifier namespace_identifier template_type template_function qualified_identifier
    operator_cast operator_name destructor_name function_declarator reference_declarator pointer_declarator
    init_declarator
    type_descriptor template_argument_list ERROR""".split()  # noqa: SIM905
)
"""Nodes between a declared name and its declaration."""
_OWN = frozenset({"function_definition", "declaration"})


def edits(work: Work) -> Iterator[Edit]:
    """Insert `template<>` in front of the members of specializations that are defined at namespace scope."""
    unit = work.unit
    primary, specialized = _templates(unit)
    for match in _MEMBER.finditer(unit.code) if primary else ():
        if match[1] not in primary or _squeezed(match[1] + match[2]) in specialized:
            continue
        start = _start(unit, match.start())
        front = unit.code[start : match.start()]
        if not _SPECIFIERS.fullmatch(front) or _OTHER.search(front) or (match[3] != "(" and not front.strip()):
            continue
        if platform_at(unit, match.start()) is not Platform.NVIDIA and _at_namespace_scope(unit, match.start()):
            yield Replace(start, start, "template<> ")


def _templates(unit: Unit) -> tuple[set[str], set[str]]:
    """Return the class templates that the file defines, and the specializations of them."""
    primary, specialized = set(), set()
    for match in _TEMPLATE.finditer(unit.code):
        if match[2] is None:
            primary.add(match[1])
        else:
            specialized.add(_squeezed(unit.code[match.start(1) : _end_of_arguments(unit, match.end(1))]))
    return primary, specialized


def _end_of_arguments(unit: Unit, offset: int) -> int:
    """Return the offset behind the template arguments of a class's head."""
    end = min((at for at in (unit.code.find(mark, offset) for mark in "{;") if at >= 0), default=len(unit.code))
    return unit.code.rfind(">", offset, end) + 1


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _start(unit: Unit, offset: int) -> int:
    """Return where the declaration begins whose declarator stands at an offset, behind lines of the preprocessor."""
    start = max(unit.code.rfind(end, 0, offset) for end in ";{}") + 1
    line = max((each.span.end for each in unit.directives if start <= each.span.end <= offset), default=start)
    blank = re.match(r"\s*", unit.code[line:offset])
    return line + (blank.end() if blank is not None else 0)


def _at_namespace_scope(unit: Unit, offset: int) -> bool:
    """Return whether what stands at an offset is part of a declaration outside of classes, functions and templates."""
    if unit.directive_at(offset) is not None:
        return False
    node = unit.node_at(Span(offset, offset + 1))
    while node is not None and node.type in _INSIDE:
        node = unit.parent(node)
    if node is not None and node.type in _OWN:
        node = unit.parent(node)
    while node is not None and node.type in _AROUND:
        node = unit.parent(node)
    return node is None
