"""Cast results whose signedness differs in HIP, where the surrounding expression would compute another value."""

from __future__ import annotations

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.passes.constness import declared_type
from hipport.translate.references import Reference
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

_BARE, _SHIFTED, _MIXED = range(3)
"""An operand is the call alone; differs from it by a literal, and may be negative; has further operands."""
_LITERAL = re.compile(r"(?:0[xX][\da-fA-F]+|\d+)")
_REAL = re.compile(r"\b(?:float|double|half|__half|long|size_t|u?int64_t|ptrdiff_t)\b")
_WORD_SIZED = re.compile(r"\b(?:unsigned|signed|int|short|char|bool|uint|u?int(?:8|16|32)_t|uchar|ushort)\b")
_UNSIGNED = re.compile(r"\b(?:unsigned|uint|uint(?:8|16|32|64)_t|size_t)\b")
_NUMBER = re.compile(r"\d+\.|\.\d")
_NAME = re.compile(r"\s*[-*&]?\s*([A-Za-z_]\w*)")
_SAME_TYPE = frozenset({"min", "max", "abs", "std::min", "std::max", "std::abs"})
_MODULAR = frozenset({"+", "-", "*", "&", "|", "^"})
_ORDERED = frozenset({"<", ">", "<=", ">=", "/", "%"})
_FRAGMENTS = frozenset({"ERROR", "translation_unit"})
_ENDS = frozenset({"expression_statement", "condition_clause", "switch_statement", "case_statement", "for_statement"})


def call_in_doubt(work: Work, reference: Reference, type_: str) -> Span | None:
    """Return the range of the call if its value depends on the result having this type, `int` or `unsigned`."""
    unit = work.unit
    node = unit.node_at(reference.span)
    while node is not None and node.type != "call_expression":
        node = unit.parent(node) if node.end_byte == reference.span.end else None
    if node is None or not _matters(unit, node, _SHIFTED if type_ == "unsigned" else _BARE):
        return None
    return Span(node.start_byte, node.end_byte)


def _matters(unit: Unit, node: Node, state: int) -> bool:
    """Follow an operand up to what takes its value; return whether the sign makes a difference there."""
    parent = unit.parent(node)
    in_macro = unit.directive_at(node.start_byte) is not None
    while parent is not None and not (in_macro and _is_fragment(unit, parent)):
        found = _step(unit, node, parent, state)
        if isinstance(found, bool):
            return found
        node, parent, state = parent, unit.parent(parent), found
    return in_macro


def _is_fragment(unit: Unit, node: Node) -> bool:
    """Return whether a macro's body is not a statement: the expression goes on where the macro is used."""
    return node.type in _FRAGMENTS or (node.type == "expression_statement" and unit.code[node.end_byte - 1] != ";")


def _step(unit: Unit, node: Node, parent: Node, state: int) -> int | bool:
    """Return the state of the expression around an operand, or whether the sign matters."""
    if parent.type == "parenthesized_expression":
        return state
    if parent.type == "unary_expression":
        operator = unit.code[parent.start_byte : parent.start_byte + 1]
        return False if operator == "!" else _MIXED if operator == "-" else state
    if parent.type == "binary_expression":
        return _binary(unit, node, parent, state)
    if parent.type == "conditional_expression":
        return False if unit.field(node) == "condition" else max(state, _SHIFTED)
    if parent.type in _ENDS:
        return False
    return _taken(unit, node, parent, state)


def _binary(unit: Unit, node: Node, parent: Node, state: int) -> int | bool:
    left, right = parent.child_by_field_name("left"), parent.child_by_field_name("right")
    if left is None or right is None:
        return state > _BARE
    is_left = left.start_byte == node.start_byte
    other = right if is_left else left
    text = unit.code[other.start_byte : other.end_byte]
    operator = unit.code[left.end_byte : right.start_byte].strip()
    literal = _LITERAL.fullmatch(text.strip(" ()")) is not None
    if operator in ("<<", ">>"):
        return (state if operator == "<<" else state > _BARE or state) if is_left else False
    if operator in _MODULAR:
        if _is_real(unit, text, other.start_byte):
            return state > _BARE
        return max(state, _SHIFTED if operator == "-" else _BARE) if literal else _MIXED
    if operator in _ORDERED:
        front = _declared(unit, text, other.start_byte)
        fits = literal or (front is not None and _UNSIGNED.search(front) is not None)
        return True if state > _BARE or not fits else state if operator in "/%" else False
    return False


def _taken(unit: Unit, node: Node, parent: Node, state: int) -> bool:
    """Return whether the sign matters to what takes the value: a variable, a parameter, a conversion."""
    if parent.type == "init_declarator":
        declaration = unit.parent(parent)
        return _converts(_type(unit, declaration), state)
    if parent.type == "assignment_expression":
        left = unit.code[parent.start_byte : node.start_byte]
        return state > _BARE and _converts(_declared(unit, left, parent.start_byte), state)
    if parent.type == "return_statement":
        function = unit.enclosing(Span(node.start_byte, node.end_byte), "function_definition")
        return _converts(_type(unit, function), state)
    if parent.type in ("cast_expression", "static_cast_expression"):
        return _converts(_type(unit, parent), state)
    if parent.type == "argument_list":
        return _passed(unit, parent, state)
    return state == _MIXED


def _passed(unit: Unit, arguments: Node, state: int) -> bool:
    call = unit.parent(arguments)
    callee = unit.code[call.start_byte : arguments.start_byte].strip() if call is not None else ""
    if callee in _SAME_TYPE:
        return True
    if callee.startswith("static_cast") or _WORD_SIZED.fullmatch(callee) or _REAL.fullmatch(callee):
        return _converts(callee, state)
    return state > _BARE and not callee.startswith(("__", "atomic"))


def _converts(type_: str | None, state: int) -> bool:
    """Return whether a conversion to the type gives another value; None for an unknown type."""
    if type_ is None:
        return state > _BARE
    if re.search(r"\bauto\b", type_):
        return True
    return state > _BARE and (_REAL.search(type_) is not None or _WORD_SIZED.search(type_) is None)


def _type(unit: Unit, node: Node | None) -> str | None:
    found = node.child_by_field_name("type") if node is not None else None
    return unit.code[found.start_byte : found.end_byte] if found is not None else None


def _declared(unit: Unit, text: str, before: int) -> str | None:
    """Return the type with which the file declares the variable that an expression begins with."""
    match = _NAME.match(text)
    return declared_type(unit, match[1], before) if match is not None else None


def _is_real(unit: Unit, text: str, at: int) -> bool:
    """Return whether an operand has a floating type or 64 bits, as far as its text shows."""
    front = _declared(unit, text, at)
    return _NUMBER.search(text) is not None or (front is not None and _REAL.search(front) is not None)
