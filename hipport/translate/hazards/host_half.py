"""HP224: arithmetic with `half` in host code."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.mappings.life import release
from hipport.translate.dataflow.function import Function, called, first_child, text_of
from hipport.translate.hazards import wavefront
from hipport.translate.syntax.includes import includes_half
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

_TYPES = frozenset({"__half", "__half2", "half", "half2"})
WORDS = _TYPES
_NAMES = frozenset({"__half", "__half2"})
"""Names that no project gives to types of its own."""
_FUNCTION = re.compile(
    r"__h(?:add|sub|mul|div|fma|neg|abs|eq|ne|lt|le|gt|ge|max|min)2?(?:_sat|_rn)?|h(?:exp|log|sqrt|rsqrt|rcp|sin|cos)2?"
)
_ARITHMETIC = frozenset({"+", "-", "*", "/", "<", ">", "<=", ">=", "==", "!=", "+=", "-=", "*=", "/="})
_OPERATIONS = frozenset({"binary_expression", "assignment_expression", "call_expression"})
_BOTH_SIDES = (7, 0)  # first ROCm release with half arithmetic in host code


def run(work: Work) -> Iterator[Diagnostic]:
    """Report the first operation in each host-only function."""
    if release(work.context.tables.releases.rocm) >= _BOTH_SIDES or (
        _NAMES.isdisjoint(work.unit.words) and not includes_half(work.unit)
    ):
        return
    for function in work.flow.functions(WORDS):
        if not function.device:
            operation = next((node for node in function.of_type(*_OPERATIONS) if _is_arithmetic(function, node)), None)
            if operation is not None:
                message = "HIP before ROCm 7.0 supports arithmetic and comparisons of half only in device code"
                advice = "Compute in float: __half2float() and __float2half() work on both sides."
                yield work.report(wavefront.span(operation), "HP224", Severity.ERROR, message, advice)


def _is_arithmetic(function: Function, node: Node) -> bool:
    if node.type not in _OPERATIONS:
        return False
    if node.type == "call_expression":
        arguments = node.child_by_field_name("arguments")
        name = called(node)
        return (
            _FUNCTION.fullmatch(name) is not None
            and arguments is not None
            and any(_is_half(function, argument) for argument in arguments.named_children)
        )
    operator = node.child_by_field_name("operator")
    sides = [node.child_by_field_name(side) for side in ("left", "right")]
    return operator is not None and operator.type in _ARITHMETIC and any(_is_half(function, side) for side in sides)


def _is_half(function: Function, node: Node | None) -> bool:
    """Return whether an operand is a variable of such a type, or an element of an array of them."""
    depth = 0
    while node is not None and node.type in ("subscript_expression", "parenthesized_expression", "pointer_expression"):
        depth += node.type != "parenthesized_expression"
        node = node.child_by_field_name("argument") or first_child(node)
    if node is None or node.type != "identifier":
        return False
    variable = function.variable(text_of(node), node.start_byte)
    if variable is None or variable.type not in _TYPES:
        return False
    return depth == max(int(variable.pointer), len(variable.sizes))
