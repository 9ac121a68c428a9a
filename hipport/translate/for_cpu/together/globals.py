"""Shared variables of a kernel, and names outside of kernels that are no constants."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.for_cpu.shared_memory import WORD, declaration_after, name_of
from hipport.translate.for_cpu.together.syntax import Refused, text_of
from hipport.translate.syntax.unit import Node, Unit

_NO_CONSTANT = re.compile(r"threadIdx|blockIdx|blockDim|gridDim|hip(?:Thread|Block|Grid)|[A-Za-z_]\w*\s*\(")
_DEVICE_VARIABLES = ("__constant__", "__device__", "__managed__")


def shared_variables(unit: Unit, span: Span) -> dict[int, frozenset[str]]:
    """Return the names in each declaration of shared memory in a range, by its start.

    Raises `Refused` if one cannot be parsed.
    """
    found: dict[int, frozenset[str]] = {}
    for word in unit.shadow.device_words:
        if unit.code[word.start : word.end] == WORD and span.start <= word.start < span.end:
            declaration = declaration_after(unit, word)
            if declaration is None:
                raise Refused
            names = [name_of(one) for one in declaration.children_by_field_name("declarator")]
            found[declaration.start_byte] = frozenset(map(text_of, names))
    return found


def varying(unit: Unit) -> frozenset[str]:
    """Return the macros and variables of a unit that are no constants, as far as can be seen."""
    macros = (name for name, spans in unit.macros.items() if _varies(unit, spans))
    return frozenset((*macros, *_device_variables(unit)))


def _varies(unit: Unit, spans: list[Span]) -> bool:
    return any(_NO_CONSTANT.search(unit.code, span.start, span.end) for span in spans)


def _device_variables(unit: Unit) -> Iterator[str]:
    for word in unit.shadow.device_words:
        if unit.code[word.start : word.end] in _DEVICE_VARIABLES:
            declaration = declaration_after(unit, word)
            if declaration is not None and "constexpr" not in map(text_of, declaration.children):
                yield from (text_of(name_of(one)) for one in declaration.children_by_field_name("declarator"))


def declared_names(unit: Unit) -> frozenset[str]:
    """Return the variables, parameters and enumerators that a unit declares anywhere, and its macros for constants."""
    kinds = ("init_declarator", "parameter_declaration", "optional_parameter_declaration", "declaration", "enumerator")
    names = {_innermost(one) for node in unit.all_of(*kinds) for one in _declarators(node)}
    return frozenset(names | (unit.macros.keys() - varying(unit)))


def _declarators(node: Node) -> list[Node]:
    if node.type in ("init_declarator", "enumerator"):
        return [node]
    return node.children_by_field_name("declarator")


def _innermost(node: Node) -> str:
    found: Node | None = node
    while found is not None and found.type != "identifier":
        found = found.child_by_field_name("declarator") or found.child_by_field_name("name")
    return text_of(found)
