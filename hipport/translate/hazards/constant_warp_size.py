"""HP218: `warpSize` where the compiler needs a constant expression."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.dataflow.function import text_of
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = frozenset({"warpSize"})
_NAME = "warpSize"
_CLIMB = frozenset(
    {"binary_expression", "parenthesized_expression", "unary_expression", "cast_expression", "identifier"}
)


def run(work: Work) -> Iterator[Diagnostic]:
    """Report array bounds, template arguments, `constexpr` values, case labels and `#if` conditions.

    A file's own constant, which may have a value for each compiler, is none of CUDA's.
    """
    constants = work.flow.constants
    if constants.value(_NAME) is not None or constants.definition(_NAME) is not None:
        return
    for _, offset in work.unit.occurrences(WORDS):
        span = Span(offset, offset + len(_NAME))
        line = work.unit.directive_at(offset)
        if line is not None:
            if line.kind is DirectiveKind.CONDITION:
                yield _report(work, span, "a preprocessor condition")
            continue
        function = work.flow.function_at(offset)
        if function is not None and function.variable(_NAME, offset) is not None:
            continue
        what = _constant_place(work, work.unit.node_at(span))
        if what is not None:
            yield _report(work, span, what)


def _constant_place(work: Work, node: Node | None) -> str | None:
    child, parent = node, work.unit.parent(node) if node is not None else None
    while parent is not None and parent.type in _CLIMB:
        child, parent = parent, work.unit.parent(parent)
    if parent is None or child is None:
        return None
    if parent.type == "array_declarator" and parent.child_by_field_name("size") == child:
        return "an array size"
    if parent.type == "template_argument_list":
        return "a template argument"
    if parent.type == "case_statement" and parent.child_by_field_name("value") == child:
        return "a case label"
    if parent.type == "init_declarator" and parent.child_by_field_name("value") == child:
        declaration = text_of(work.unit.parent(parent))
        return "a constexpr value" if re.match(r"(?:\w+\s+)*constexpr\b", declaration) else None
    return None


def _report(work: Work, span: Span, what: str) -> Diagnostic:
    message = f"warpSize is used as {what}, but is not a compile-time constant"
    advice = "Use a constant, 64 as an upper bound, or a template parameter that is selected at run time."
    return work.report(span, "HP218", Severity.ERROR, message, advice)
