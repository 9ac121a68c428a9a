"""The declared type of an argument: whether it may point to constant values, and whether it is a certain type."""

from __future__ import annotations

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.dataflow.function import text_of
from hipport.translate.syntax.unit import Node, Unit

_NULL = re.compile(r"\s*(?:0|NULL|nullptr)\s*")
_VARIABLE = re.compile(r"\s*[&*]?\s*([A-Za-z_]\w*)\s*(?:\[[^\]]*\])?\s*")
_MAY_BE_CONST = re.compile(r"\b(?:const|constexpr|auto|using|typedef)\b")
_POINTERS = re.compile(r"\*\s*const\b|\b(?:constexpr|auto|using|typedef)\b")
_START = re.compile(r"[;{}(),]")
_DECLARING = re.compile(r"\s*(?!(?:return|delete|else|case|goto|throw)\b)[A-Za-z_][\w:<>\s*&]*[\s*&>]\Z")
_LONGEST = 300
_DEEPEST = 4
"""Declarations with `auto` that are followed from one to the next."""
_DECLARED = ("declaration", "parameter_declaration", "optional_parameter_declaration", "field_declaration")
_FUNCTIONS = ("function_definition", *_DECLARED)
_PASSED = ("parenthesized_expression", "pointer_expression", "subscript_expression", "argument_list")


def is_null(text: str) -> bool:
    """Return whether an argument is a null pointer constant, which a cast of C++ does not accept."""
    return _NULL.fullmatch(text) is not None


def may_point_to_const(unit: Unit, argument: Span, pointers: bool = False) -> bool:
    """Return whether an argument may point to constant values, or with `pointers` to constant pointers.

    It does unless it is a variable that is declared without such a const.
    """
    text = unit.code[argument.start : argument.end]
    match = _VARIABLE.fullmatch(text)
    if match is None:
        return not is_null(text)
    front = _declaration(unit, match[1], argument.start)
    return front is None or (_POINTERS if pointers else _MAY_BE_CONST).search(front) is not None


def is_of_type(unit: Unit, argument: Span, name: str) -> bool:
    """Return whether an argument names the type, or is a variable, a member or a call declared with it."""
    word = re.build(rf"\b{re.escape(name)}\b")
    if word.search(unit.code, argument.start, argument.end):
        return True
    text = unit.code[argument.start : argument.end]
    start = argument.start + len(text) - len(text.lstrip())
    node = unit.node_at(Span(start, argument.start + len(text.rstrip())))
    return node is not None and _has_type(unit, node, word, 0)


def _has_type(unit: Unit, node: Node, word: re.Pattern[str], depth: int) -> bool:
    """Return whether the value of an expression is declared with a type."""
    if node.type == "conditional_expression":
        parts = [node.child_by_field_name(field) for field in ("consequence", "alternative")]
        return any(part is not None and _has_type(unit, part, word, depth) for part in parts)
    if node.type in _PASSED and node.named_children:
        return _has_type(unit, node.named_children[0], word, depth)
    if node.type == "call_expression":
        called = node.child_by_field_name("function")
        return called is not None and _has_type(unit, called, word, depth)
    if node.type in ("field_expression", "qualified_identifier"):
        last = node.child_by_field_name("field" if node.type == "field_expression" else "name")
        return last is not None and _has_type(unit, last, word, depth)
    return node.type.endswith("identifier") and _is_declared_as(unit, node, word, depth)


def _is_declared_as(unit: Unit, node: Node, word: re.Pattern[str], depth: int) -> bool:
    """Return whether the last declaration of a name in front of its use names the type, or has a value that does."""
    name = text_of(node)
    for _, offset in reversed(unit.occurrences(frozenset({name}))):
        found = unit.node_at(Span(offset, offset + len(name))) if offset < node.start_byte else None
        declaration = _declarator_of(unit, found) if found is not None else None
        if declaration is not None:
            return _declares(unit, *declaration, word, depth)
    return False


def _declarator_of(unit: Unit, name: Node) -> tuple[Node, Node | None] | None:
    """Return the declaration of a name with the value that it gets; None where the name is used."""
    node, value = name, None
    while (parent := unit.parent(node)) is not None and parent.type.endswith("declarator"):
        if unit.field(node) in ("value", "size", "parameters"):
            return None
        value, node = parent.child_by_field_name("value") or value, parent
    declared = parent is not None and parent.type in _FUNCTIONS and unit.field(node) == "declarator"
    return (parent, value) if declared and parent is not None else None


def _declares(unit: Unit, declaration: Node, value: Node | None, word: re.Pattern[str], depth: int) -> bool:
    """Return whether a declaration names a type, or leaves it to a value that is of this type."""
    kind = declaration.child_by_field_name("type")
    if kind is None:
        return False
    if kind.type != "placeholder_type_specifier" or value is None:
        return word.search(text_of(kind)) is not None
    return word.search(text_of(value)) is not None or (depth < _DEEPEST and _has_type(unit, value, word, depth + 1))


def declared_type(unit: Unit, name: str, before: int) -> str | None:
    """Return the specifiers and the type of the last declaration of a variable before an offset."""
    return _declaration(unit, name, before)


def _declaration(unit: Unit, name: str, before: int) -> str | None:
    """Return what stands in front of a variable's name in the last declaration before an offset."""
    for _, offset in reversed(unit.occurrences(frozenset({name}))):
        if offset < before:
            text = unit.code[max(0, offset - _LONGEST) : offset]
            start = max((match.end() for match in _START.finditer(text)), default=0)
            if _DECLARING.match(text[start:]):
                return text[start:]
    return None
