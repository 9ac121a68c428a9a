"""`int base; if (lane == leader) base = ...; base = __shfl_sync(mask, base, leader);`: a value that one lane sets.

In CUDA the other lanes pass an undefined value, which nobody reads. For clang an undefined argument is undefined
behavior, and so is an undefined result of a function (`int sum; if (threadIdx.x == 0) sum = ...; return sum;`), so it
takes the condition for always true: every lane executes what the leader should, or what follows is left out for the
others. HIP's own shuffles declare their arguments as possibly undefined, but only since ROCm 5.3, and other functions
never do. So such a variable gets an initial value.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span
from hipport.translate.dataflow.function import Function, Variable, text_of
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.brackets import skip_blanks
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

_ASM = frozenset({"asm", "__asm", "__asm__"})
_ASM_SHUFFLE = re.compile(r"\bshfl\.")
_NUMBER = re.compile(r"(?:(?:unsigned|signed|int|long|short|char|float|double|size_t|u?int\d*_t|uint)\b\s*)+\Z")
_KEPT = re.compile(r"\b(?:static|extern|volatile|__shared__|const|constexpr|register)\b")
_CONDITIONS = frozenset(
    {"if_statement", "for_statement", "while_statement", "switch_statement", "conditional_expression"}
)
_JUMPS = frozenset({"goto_statement", "labeled_statement", "case_statement"})
"""Statements that may jump past a declaration, which must have no initial value then."""
WORDS = (frozenset({"return", "__device__", "__global__"}) | _ASM,)


def run(work: Work) -> Iterator[Edit]:
    """Give variables an initial value that some lanes do not set before they pass or return them."""
    if not work.unit.shadow.device_words or is_hip(work):
        return
    for function in work.flow.device_functions:
        if not function.of_type(*_JUMPS):
            yield from _initialized(work, function)


def _is_asm_shuffle(work: Work, node: Node) -> bool:
    if node.type != "gnu_asm_expression":
        return False
    return _ASM_SHUFFLE.search(work.unit.original(Span(node.start_byte, node.end_byte))) is not None


def _initialized(work: Work, function: Function) -> Iterator[Edit]:
    """Yield the initial values of a function's variables."""
    candidates = {v.name: v for v in function.variables.all() if _may_lack_value(work, v)}
    done: set[int] = set()
    for node in function.of_type("identifier") if candidates else ():
        variable = function.variable(text_of(node), node.start_byte)
        if variable is None or candidates.get(variable.name) is not variable or variable.place.start in done:
            continue
        if _leaves(work, node) and _is_conditional(work, variable, node):
            done.add(variable.place.start)
            value = " = 0" if _NUMBER.match(variable.type) and not variable.pointer else "{}"
            yield Replace(variable.place.end, variable.place.end, value)


def _may_lack_value(work: Work, variable: Variable) -> bool:
    """Return whether a variable is declared without a value and gets one later."""
    code = work.unit.code
    plain = (
        not variable.parameter and not variable.sizes and not _KEPT.search(variable.text) and variable.type != "auto"
    )
    if not plain or not variable.values or "&" in variable.text:
        return False
    following = skip_blanks(code, variable.place.end)
    return code[following : following + 1] in (";", ",")


def _leaves(work: Work, node: Node) -> bool:
    """Return whether a use is part of an argument of a call, an operand of PTX that shuffles it, or returned."""
    above = work.unit.parent(node)
    while above is not None and not above.type.endswith("statement"):
        if above.type == "argument_list":
            return True
        if above.type == "pointer_expression" and text_of(above).startswith("&"):
            return False
        if above.type == "assignment_expression" and above.child_by_field_name("left") == node:
            return False
        if _is_asm_shuffle(work, above):
            return True
        node, above = above, work.unit.parent(above)
    return above is not None and above.type == "return_statement"


def _is_conditional(work: Work, variable: Variable, use: Node) -> bool:
    """Return whether every value that a variable gets before a use depends on a condition around it."""
    before = [value for value in variable.values if value.end_byte <= use.start_byte]
    return bool(before) and all(_condition(work, variable, value, use) for value in before)


def _condition(work: Work, variable: Variable, value: Node, use: Node) -> bool:
    """Return whether an assignment is in a statement with a condition that the use is not in."""
    node, above = value, work.unit.parent(value)
    while above is not None and above.start_byte >= variable.scope.start:
        outside = not above.start_byte <= use.start_byte < above.end_byte
        if outside and above.type in _CONDITIONS and not _in_all_arms(above, node, variable):
            return True
        node, above = above, work.unit.parent(above)
    return False


def _in_all_arms(statement: Node, arm: Node, variable: Variable) -> bool:
    """Return whether the other arm of an `if` assigns the variable, too."""
    other = statement.child_by_field_name("alternative") if statement.type == "if_statement" else None
    if other is not None and other.start_byte <= arm.start_byte < other.end_byte:
        other = statement.child_by_field_name("consequence")
    return other is not None and any(other.start_byte <= v.start_byte < other.end_byte for v in variable.values)
