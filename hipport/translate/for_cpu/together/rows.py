"""Find regions whose threads need no condition of their own: a range of each row of threads executes them.

    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];

A row are the threads that differ in threadIdx.x only. `i` grows by 1 from each of them to the next, and what compares
such values holds for threads side by side, as long as nothing wraps around, which the runtime's headers check
(hipport_cpu/rows.h). For a range of a row, `i` is then known from its first thread, and the condition holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from hipport import lazy_re as re
from hipport.translate.for_cpu.together.strides import Strides
from hipport.translate.for_cpu.together.structure import Kind, Statement
from hipport.translate.for_cpu.together.syntax import Declaration, Local, Refused, descend, text_of
from hipport.translate.for_cpu.together.uniform import Values
from hipport.translate.syntax.unit import Node

_INTEGERS = re.compile(r"(?:(?:un)?signed|short|int|long|\s)+|(?:std::)?(?:size_t|ptrdiff_t|u?int(?:16|32|64)_t)|uint")
_ORDERED = ("<", "<=", ">", ">=")


class Guard(Struct, frozen=True):
    """A statement `if (condition) return;`, or `if (condition) body` as a region's last, where `returns` is False."""

    statement: Node
    condition: Node
    returns: bool


class Compared(Struct, frozen=True):
    """An expression that grows by `stride` from a thread to its neighbor, and what it is compared with."""

    stride: int
    value: Node
    other: Node


class Rows(Struct, frozen=True):
    """The properties of a region: its guards, the expressions that they compare, and the strides of variables.

    `declarations` are those in the region that threads may execute in advance, `constants` names that must be
    compile-time constants for this to be true.
    """

    guards: tuple[Guard, ...]
    declarations: tuple[Declaration, ...]
    compared: tuple[Compared, ...]
    linear: tuple[tuple[Local, int], ...]
    constants: tuple[str, ...]


def rows_of(
    statements: Sequence[Statement],
    earlier: Sequence[Declaration],
    own: Sequence[Declaration],
    values: Values,
    strides: Strides,
) -> Rows | None:
    """Return what is known of a region's statements; None if that does not help.

    The other arguments are pure declarations: those of earlier regions that the region uses, and its own.
    """
    guards: list[Guard] = []
    compared: list[Compared] = []
    made: list[Declaration] = []
    constants, values.constants = values.constants, set()
    try:
        for number, one in enumerate(statements):
            guard = _guard(one, number == len(statements) - 1)
            declared = next((found for found in own if found.node == one.node), None)
            if guard is not None and values.is_pure(guard.condition):
                compared += _comparisons(guard.condition, not guard.returns, strides)
                guards.append(guard)
            elif declared is not None and not (guards and _may_trap(one.node)):
                made.append(declared)
            else:
                break
        linear = tuple(_linear([*earlier, *made], strides))
        names = tuple(sorted(values.constants))
    except Refused:
        return None
    finally:
        values.constants = constants
    if not (guards or linear) or not all(_is_simple(one.node, guards, strides) for one in statements):
        return None
    return Rows(tuple(guards), tuple(made), tuple(compared), linear, names)


def _linear(pure: Sequence[Declaration], strides: Strides) -> Iterator[tuple[Local, int]]:
    for made in pure:
        for local in made.locals:
            stride = strides.of(local.value, {})
            if stride and (local.stars or (made.type is not None and _INTEGERS.fullmatch(made.type))):
                yield local, stride


def _may_trap(node: Node) -> bool:
    """Return whether an expression divides: what is in front of it may ask whether it can."""
    return any(one.type in ("/", "%", "/=", "%=") for one in descend(node))


def _guard(statement: Statement, is_last: bool) -> Guard | None:
    node = statement.node
    if statement.kind is not Kind.THREADS or node.type != "if_statement" or "constexpr" in map(text_of, node.children):
        return None
    clause, then = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    condition = clause.child_by_field_name("value") if clause is not None else None
    if condition is None or then is None or node.child_by_field_name("alternative") is not None:
        return None
    if then.type == "compound_statement" and then.named_child_count == 1:
        then = then.named_children[0]
    returns = then.type == "return_statement" and then.named_child_count == 0
    return Guard(node, condition, returns) if returns or is_last else None


def _comparisons(node: Node, holds: bool, strides: Strides) -> Iterator[Compared]:
    """Yield what an expression compares if, with that, it is `holds` for threads side by side. Raises `Refused`."""
    operator = text_of(node.child_by_field_name("operator"))
    inner = node.named_children
    if node.type == "parenthesized_expression" and len(inner) == 1:
        yield from _comparisons(inner[0], holds, strides)
    elif node.type == "unary_expression" and operator == "!":
        yield from _comparisons(inner[0], not holds, strides)
    elif strides.of(node, {}) == 0:
        return
    elif node.type != "binary_expression":
        raise Refused
    elif operator == ("&&" if holds else "||"):
        yield from _comparisons(inner[0], holds, strides)
        yield from _comparisons(inner[1], holds, strides)
    elif operator in _ORDERED or operator == ("==" if holds else "!="):
        yield from _operands(inner[0], inner[1], strides)
    else:
        raise Refused


def _operands(left: Node, right: Node, strides: Strides) -> Iterator[Compared]:
    for value, other in ((left, right), (right, left)):
        stride = strides.of(value, {})
        if stride is None:
            raise Refused
        if stride != 0:
            yield Compared(stride, value, other)


def _is_simple(node: Node, guards: Sequence[Guard], strides: Strides) -> bool:
    """Return whether the compiler may vectorize a statement, but for the `return` of guards."""
    if any(guard.returns and guard.statement == node for guard in guards):
        return True
    return all(strides.is_simple(one) for one in (node, *descend(node)))
