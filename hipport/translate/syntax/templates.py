"""Template parameters in scope at a place."""

from __future__ import annotations

from hipport import lazy_re as re
from hipport.translate.syntax.brackets import split_arguments
from hipport.translate.syntax.unit import Node, Unit

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
