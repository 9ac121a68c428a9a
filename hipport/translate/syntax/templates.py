"""Template parameters: those in scope at a place, and names of a file that depend on them."""

from __future__ import annotations

from hipport import lazy_re as re
from hipport.translate.syntax.brackets import split_arguments
from hipport.translate.syntax.unit import Node, Unit

_PARAMETER = re.compile(r"\b(?:typename|class)\s+(?:\.{3}\s*)?([A-Za-z_]\w*)\s*(?=[,>=])")
_ALIAS = re.compile(r"\busing\s+([A-Za-z_]\w*)\s*=\s*([^;{}]+);")
_WORD = re.compile(r"[A-Za-z_]\w*")
_DECLARED = re.compile(r"([A-Za-z_]\w*)\s*(?:=|\Z)")


def template_parameters(unit: Unit, node: Node | None) -> frozenset[str]:
    """Return the names of the template parameters of all templates around a node."""
    found: set[str] = set()
    while node is not None:
        head = node.child_by_field_name("parameters") if node.type == "template_declaration" else None
        if head is not None:
            parts = split_arguments(unit.code, head.start_byte + 1, head.end_byte - 1)
            texts = (unit.code[part.start : part.end] for part in parts)
            found |= {match[1] for text in texts if (match := _DECLARED.search(text))}
        node = unit.parent(node)
    return frozenset(found)


def dependent_names(code: str) -> frozenset[str]:
    """Return the names of template parameters, and of aliases that may depend on them."""
    found = {match[1] for match in _PARAMETER.finditer(code)}
    for alias in _ALIAS.finditer(code) if found else ():
        if not found.isdisjoint(_WORD.findall(alias[2])):
            found.add(alias[1])
    return frozenset(found)
