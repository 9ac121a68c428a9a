"""HP235: a barrier or an exchange of a whole warp in both arms of a condition that its lanes decide differently."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.dataflow.cross_lane import REDUCTIONS, SHUFFLES_SYNC, VOTES_SYNC
from hipport.translate.dataflow.function import Function, called, walk
from hipport.translate.hazards import wavefront
from hipport.translate.hazards.uniform import Uniform
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

_OF_BLOCKS = frozenset(f"__syncthreads{suffix}" for suffix in ("", "_and", "_count", "_or"))
WORDS = SHUFFLES_SYNC | REDUCTIONS | VOTES_SYNC - {"__activemask"} | {"__syncwarp"} | _OF_BLOCKS
_FULL = (0xFFFFFFFF, -1)
_ADVICE = "Put what follows the call into a second if, behind one call for all lanes."


def run(work: Work) -> Iterator[Diagnostic]:
    """Report the call in the first arm."""
    for function in wavefront.device_functions(work, WORDS):
        uniform = Uniform(work, function)
        for node in function.of_type("if_statement"):
            condition, other = node.child_by_field_name("condition"), node.child_by_field_name("alternative")
            first = node.child_by_field_name("consequence")
            if condition is None or first is None or other is None:
                continue
            if other.named_child_count and other.named_children[0].type == "if_statement":
                continue
            met = _met(work, function, first, other) if uniform.diverges(condition) else None
            if met is not None:
                yield _report(work, *met)


def _met(work: Work, function: Function, first: Node, other: Node) -> tuple[Node, Node] | None:
    """Return two calls of one function in the arms, for all lanes of a warp."""
    calls = list(_whole(work, function, first))
    for second in _whole(work, function, other):
        for call in calls:
            if called(call) == called(second):
                return call, second
    return None


def _whole(work: Work, function: Function, arm: Node) -> Iterator[Node]:
    """Yield the calls in an arm that are for all lanes."""
    for call in walk(arm):
        arguments = call.child_by_field_name("arguments") if call.type == "call_expression" else None
        if arguments is None or called(call) not in WORDS:
            continue
        masked = arguments.named_child_count and called(call) not in _OF_BLOCKS
        mask = arguments.named_children[0] if masked else None
        if mask is None or work.flow.constant(mask, function) in _FULL:
            yield call


def _report(work: Work, call: Node, other: Node) -> Diagnostic:
    line, _ = work.unit.source.position(other.start_byte)
    message = f"lanes that call {called(call)} here do not meet those that call it in line {line}: AMD GPUs run one arm"
    message += " of the condition after the other"
    return work.report(wavefront.span(call), "HP235", Severity.WARNING, message, _ADVICE)
