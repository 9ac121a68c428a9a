"""Rewrite `return;` in a kernel as `return ::hipport::cpu::leave();`.

A GPU's barrier does not wait for threads that have returned, and much code relies on that. A thread that reaches the
end of the kernel while others wait at a barrier has bypassed it, which is a bug. The call tells the two apart.
Kernels that call nothing that could contain a barrier are left unchanged, so that the loop over their threads stays
simple.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.for_cpu.kernels import kernels
from hipport.translate.syntax.unit import Node, Unit

_HARMLESS = re.compile(
    r"""__(?!sync)\w*|atomic\w*|tex\w*|make_\w+|sizeof|printf|(?:std::)?(?:min|max|
    (?:f?abs|fmin|fmax|fma|fmod|sqrt|rsqrt|cbrt|pow|exp|exp2|exp10|expm1|log|log2|log10|log1p|sin|cos|tan|asin|acos|
    atan|atan2|sinh|cosh|tanh|floor|ceil|round|rint|trunc|hypot|erf|erfc)f?)""",
    re.VERBOSE,
)


def run(unit: Unit, rewritten: Set[int]) -> Iterator[Edit]:
    """Mark the returns of all kernels that may contain a barrier, except those `rewritten`, by their bodies' starts."""
    for kernel in kernels(unit):
        if kernel.body is None or kernel.body.start_byte in rewritten:
            continue
        if any(map(_may_wait, _calls(kernel.body))):
            for statement in _plain_returns(kernel.body):
                yield Replace(statement.start_byte, statement.end_byte, "return ::hipport::cpu::leave();")


def _calls(body: Node) -> Iterator[Node]:
    return (node for node in _descend(body) if node.type == "call_expression")


def _may_wait(call: Node) -> bool:
    callee = call.child_by_field_name("function")
    text = callee.text.decode() if callee is not None and callee.text is not None else ""
    return _HARMLESS.fullmatch(text) is None


def _plain_returns(body: Node) -> Iterator[Node]:
    return (node for node in _descend(body) if node.type == "return_statement" and node.named_child_count == 0)


def _descend(node: Node) -> Iterator[Node]:
    """Yield all nodes below a node except those inside lambdas, which have returns of their own."""
    for child in node.children:
        if child.type != "lambda_expression":
            yield child
            yield from _descend(child)
