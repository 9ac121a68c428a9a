"""Operators that a project defines for `float4` and the like, and that HIP's vector types already have.

CUDA's vector types are bare structs; HIP's are classes with arithmetic. A project's own `operator+=(float4 &, float4)`
is then ambiguous. Where it does what HIP's does, it is left out of the compilation for AMD.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hipport.diagnostics import Diagnostic, Severity
from hipport.passes.guarding import guard
from hipport.passes.work import Work
from hipport.source import Edit, Span
from hipport.syntax.platforms import Platform, platform_at
from hipport.syntax.unit import Node, Unit

_SCALARS = (
    "char",
    "short",
    "int",
    "long",
    "longlong",
    "uchar",
    "ushort",
    "uint",
    "ulong",
    "ulonglong",
    "float",
    "double",
)
_VECTORS = frozenset(f"{scalar}{width}" for scalar in _SCALARS for width in range(1, 5))
_OPERATORS = frozenset({"+", "-", "*", "/", "+=", "-=", "*=", "/=", "==", "!="})
_COMPONENTS = "xyzw"


@dataclass(frozen=True, slots=True)
class _Operator:
    """The definition of an operator for two operands of one vector type."""

    node: Node
    symbol: str
    left: str
    right: str
    width: int


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Guard the operators that do what HIP's do; report those that do something else."""
    same: list[Node] = []
    for operator in _operators(work.unit):
        if platform_at(work.unit, operator.node.start_byte) is Platform.NVIDIA:
            continue
        if _is_componentwise(operator):
            same.append(operator.node)
        else:
            yield _report(work, operator)
    yield from guard(work.unit, same, "HIP's vector types have these")


def _operators(unit: Unit) -> Iterator[_Operator]:
    """Definitions outside classes, macros and templates, in the order of the file."""
    if "operator" not in unit.words or unit.words.isdisjoint(_VECTORS):
        return
    for _, offset in unit.occurrences(frozenset({"operator"})):
        node = unit.node_at(Span(offset, offset + 1)) if unit.directive_at(offset) is None else None
        while node is not None and node.type != "function_definition":
            node = node.parent
        operator = _as_operator(node) if node is not None else None
        if operator is not None:
            yield operator


def _as_operator(node: Node) -> _Operator | None:
    declarator: Node | None = node
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator") or _last(declarator)
    if declarator is None or node.parent is None or node.parent.type == "template_declaration":
        return None
    name, parameters = declarator.child_by_field_name("declarator"), declarator.child_by_field_name("parameters")
    if name is None or name.type != "operator_name" or parameters is None:
        return None
    symbol = _text(name).removeprefix("operator").strip()
    operands = [_parameter(child) for child in parameters.named_children]
    if symbol not in _OPERATORS or len(operands) != 2 or None in operands:
        return None
    (left_type, left), (right_type, right) = operands  # type: ignore[misc]
    if left_type != right_type or left_type not in _VECTORS:
        return None
    return _Operator(node, symbol, left, right, int(left_type[-1]))


def _last(node: Node) -> Node | None:
    """The declarator inside a reference declarator, which has no field name."""
    return node.named_child(0) if node.type == "reference_declarator" else None


def _parameter(node: Node) -> tuple[str, str] | None:
    """Type and name of a parameter, without `const` and `&`."""
    kind, declarator = node.child_by_field_name("type"), node.child_by_field_name("declarator")
    if kind is None or declarator is None:
        return None
    return _text(kind), _text(declarator).lstrip("&* ")


def _text(node: Node) -> str:
    return node.text.decode() if node.text is not None else ""


def _is_componentwise(operator: _Operator) -> bool:
    """Whether the body says, for every component and nothing else, `a.x + b.x` or `a.x += b.x`."""
    body = operator.node.child_by_field_name("body")
    if body is None:
        return False
    text = re.sub(r"\s*([^\w\s])\s*", r"\1", _text(body))
    a, b, symbol = (re.escape(word) for word in (operator.left, operator.right, operator.symbol))
    plain = re.escape(operator.symbol.rstrip("=")) if operator.symbol not in ("==", "!=") else symbol
    wanted = _COMPONENTS[: operator.width]
    for component in wanted:
        term = rf"(?<!\w){a}\.{component}(?:{symbol}|={a}\.{component}{plain}|{plain}){b}\.{component}(?!\w)"
        text, count = re.subn(term, "@", text)
        if count != 1:
            return False
    return not re.search(rf"(?<!\w)(?:{a}|{b})\.", text)


def _report(work: Work, operator: _Operator) -> Diagnostic:
    message = f"HIP's vector types have an operator{operator.symbol} of their own, and this one does something else"
    span = Span(operator.node.start_byte, operator.node.end_byte)
    advice = "Give it a name, and call it by that name: HIP's operator works component by component."
    return work.report(span, "HP109", Severity.ERROR, message, advice)
