"""HP239: lanes of one wavefront that wait for each other: for a lock, or for what the other arm of an `if` writes."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.dataflow.function import Function, called, text_of, walk
from hipport.translate.hazards import wavefront
from hipport.translate.hazards.one_lane import OneLane
from hipport.translate.hazards.uniform import Uniform
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

_SWAPS = frozenset(f"atomicCAS{scope}" for scope in ("", "_block", "_system"))
_EXCHANGES = frozenset(f"atomicExch{scope}" for scope in ("", "_block", "_system"))
_MEMBERS = frozenset({"test_and_set", "exchange"})
_LOCKS = _SWAPS | _EXCHANGES | _MEMBERS
_FLAGS = frozenset({"volatile", "__threadfence", "__threadfence_block", "atomicAdd", "atomicOr"})
WORDS = _LOCKS | _FLAGS
_LOOPS = frozenset({"while_statement", "do_statement", "for_statement"})
_WAITING = frozenset({"__nanosleep", "__threadfence", "__threadfence_block", "__threadfence_system", "__syncwarp"})
_PLAIN = frozenset({"parenthesized_expression", "unary_expression", "binary_expression", "assignment_expression"})
_IDLE = frozenset({"continue_statement", "comment", "gnu_asm_expression"})
_ADVICE = (
    "Release the lock within the loop: for (bool done = false; !done;) if (atomicCAS(lock, 0, 1) == 0) { ...; "
    "__threadfence(); atomicExch(lock, 0); done = true; } Or let one lane take it for its warp."
)


def run(work: Work) -> Iterator[Diagnostic]:
    """Report loops that do nothing until they have taken a lock, where more than one lane of a wavefront may run them.

    Before Volta they hang on NVIDIA GPUs, too.
    """
    one = OneLane(work)
    for function in wavefront.device_functions(work, WORDS):
        for name, call in function.named_calls:
            loop = _loop(work, function, call) if name in _LOCKS else None
            told = one.runs(function, loop) if loop is not None else True
            if loop is not None and told is not True:
                yield _report(work, call, known=told is not None)
        yield from (_report_flag(work, loop, line) for loop, line in _waits_for_arms(work, function))


def _waits_for_arms(work: Work, function: Function) -> Iterator[tuple[Node, int]]:
    """Yield the loops that wait for what lanes of the other arm of an `if` write, and the line of that."""
    uniform = Uniform(work, function)
    for node in function.of_type("if_statement"):
        condition, other = node.child_by_field_name("condition"), node.child_by_field_name("alternative")
        first = node.child_by_field_name("consequence")
        if condition is None or first is None or other is None or not uniform.diverges(condition):
            continue
        for waiting, writing in ((first, other), (other, first)):
            written = dict(_written(writing))
            for loop in walk(waiting):
                tested = loop.child_by_field_name("condition") if loop.type in _LOOPS else None
                if tested is None or not _waits(loop.child_by_field_name("body"), tested):
                    continue
                name = next((text_of(part) for part in walk(tested) if text_of(part) in written), None)
                if name is not None:
                    yield loop, work.unit.source.position(written[name])[0]


def _written(arm: Node) -> Iterator[tuple[str, int]]:
    """Yield the names of what an arm writes, also by atomic functions, and where."""
    for node in walk(arm):
        target = node.child_by_field_name("left") if node.type == "assignment_expression" else None
        if node.type == "call_expression" and called(node).startswith("atomic"):
            arguments = node.child_by_field_name("arguments")
            target = arguments.named_children[0] if arguments is not None and arguments.named_child_count else None
        names = [text_of(part) for part in walk(target) if part.type == "identifier"] if target is not None else []
        yield from ((name, node.start_byte) for name in names[:1])  # the others are in subscripts


def _report_flag(work: Work, loop: Node, line: int) -> Diagnostic:
    message = f"lanes wait here for what others of their wavefront write in line {line}: AMD GPUs run one arm of the"
    message += " condition after the other"
    advice = "Write it in front of the condition, or wait behind it."
    return work.report(wavefront.span(loop), "HP239", Severity.WARNING, message, advice)


def _report(work: Work, call: Node, *, known: bool) -> Diagnostic:
    message = (
        "lanes of a wavefront wait here for a lock that one of them may have; on AMD GPUs that one waits for the others"
    )
    if not known:
        message += " (if more than one lane calls this)"
    severity = Severity.WARNING if known else Severity.NOTE
    return work.report(wavefront.span(call), "HP239", severity, message, _ADVICE)


def _loop(work: Work, function: Function, call: Node) -> Node | None:
    """Return the loop that does nothing but wait until a call has taken a lock."""
    if not _takes(work, function, call):
        return None
    child, parent = call, work.unit.parent(call)
    while parent is not None and parent.type in _PLAIN:
        if text_of(parent.child_by_field_name("operator")) in ("&&", "||"):
            return None  # it may stop waiting
        child, parent = parent, work.unit.parent(parent)
    if parent is not None and parent.type == "condition_clause":
        child, parent = parent, work.unit.parent(parent)
    if parent is None:
        return None
    if parent.type == "if_statement" and child == parent.child_by_field_name("condition"):
        return _endless(work, parent)
    if parent.type not in _LOOPS:
        return _assigning(work, child, parent)
    is_condition = child == parent.child_by_field_name("condition")
    return parent if is_condition and _waits(parent.child_by_field_name("body"), call) else None


def _takes(work: Work, function: Function, call: Node) -> bool:
    """Return whether a call exchanges a constant for another one: of `atomicCAS` that with which it compares."""
    name, arguments = called(call), call.child_by_field_name("arguments")
    given = arguments.named_children if arguments is not None else []
    if name in _MEMBERS:
        callee = call.child_by_field_name("function")
        member = callee is not None and callee.type == "field_expression"
        return member and (name == "test_and_set" or _is_set(work, function, given[0] if given else None))
    if name in _SWAPS and len(given) == 3:
        return work.flow.constant(given[1], function) is not None
    return name in _EXCHANGES and len(given) == 2 and _is_set(work, function, given[1])


def _is_set(work: Work, function: Function, value: Node | None) -> bool:
    return text_of(value) == "true" or (work.flow.constant(value, function) or 0) != 0


def _endless(work: Work, test: Node) -> Node | None:
    """Return the loop around `if (atomicCAS(...) == 0) break;` if it has no other end and does nothing else."""
    then = _single(test.child_by_field_name("consequence"))
    body = work.unit.parent(test)
    if then is None or then.type != "break_statement" or test.child_by_field_name("alternative") is not None:
        return None
    if body is not None and body.type == "compound_statement":
        others = [node for node in body.named_children if node != test]
        loop = work.unit.parent(body) if all(_idles(node) for node in others) else None
    else:
        loop = body
    if loop is None or loop.type not in _LOOPS:
        return None
    condition = loop.child_by_field_name("condition")
    endless = condition is None or text_of(condition).strip("() ") in ("true", "1")
    return loop if endless else None


def _assigning(work: Work, child: Node, parent: Node) -> Node | None:
    """Return the loop `do { old = atomicCAS(...); } while (old != 0);` around a call that sets a variable."""
    target = child.child_by_field_name("left") if child.type == "assignment_expression" else None
    body = work.unit.parent(parent)
    loop = work.unit.parent(body) if body is not None and body.type == "compound_statement" else None
    if target is None or loop is None or loop.type != "do_statement" or body is None:
        return None
    condition = text_of(loop.child_by_field_name("condition"))
    idle = all(node == parent or _idles(node) for node in body.named_children)
    alone = "&&" not in condition and "||" not in condition
    return loop if idle and alone and text_of(target) in condition else None


def _waits(body: Node | None, call: Node) -> bool:
    """Return whether a loop's body leaves alone what decides whether it ends."""
    statements = body.named_children if body is not None and body.type == "compound_statement" else [body]
    return all(node is None or _idles(node, text_of(call)) for node in statements)


def _idles(statement: Node, tested: str = "") -> bool:
    """Return whether a statement only waits, or changes a variable that `tested` does not mention."""
    if statement.type == "declaration" or statement.type in _IDLE:
        return True
    if statement.type != "expression_statement":
        return False
    inner = statement.named_children[0] if statement.named_child_count else None
    if inner is None or inner.type in _IDLE:
        return True
    if inner.type == "call_expression":
        return called(inner) in _WAITING
    changed = inner.child_by_field_name("left") or inner.child_by_field_name("argument")
    if inner.type not in ("assignment_expression", "update_expression") or changed is None:
        return False
    calls = any(node.type == "call_expression" for node in walk(inner))
    return changed.type == "identifier" and not calls and text_of(changed) not in re.findall(r"\w+", tested)


def _single(statement: Node | None) -> Node | None:
    """Return the only statement of a block."""
    while statement is not None and statement.type == "compound_statement":
        inner = [node for node in statement.named_children if node.type != "comment"]
        statement = inner[0] if len(inner) == 1 else None
    return statement
