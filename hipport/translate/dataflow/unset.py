"""Local variables that some threads pass on, or return, without having given them a value.

`int sum; if (threadIdx.x == 0) sum = ...; return sum;`: definite assignment, as Java's compilers have it, told for each
member of a variable.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.dataflow.function import Function, Variable, called, text_of
from hipport.translate.syntax.brackets import matching_close, skip_blanks
from hipport.translate.syntax.unit import Node, Unit

if TYPE_CHECKING:
    from hipport.translate.dataflow.flow import Flow

_KEPT = re.compile(r"\b(?:static|extern|volatile|__shared__|const|constexpr|register)\b")
_OUTPUTS = frozenset({"gnu_asm_output_operand", "init_declarator"})
_BRANCHES = re.compile(r"\b(?:if|for|switch)\b|\bwhile\s*\(\s*(?!0|false)|\?|&&|\|\|")
_ASM_SHUFFLE = re.compile(r"\bshfl\.")
_MOVED = re.compile(r"\+\+|--")
_JUMPS = frozenset({"return_statement", "break_statement", "continue_statement", "throw_statement", "goto_statement"})
_SEQUENCES = frozenset({"compound_statement", "case_statement", "translation_unit", "labeled_statement"})
_MOST_ELEMENTS = 16
"""Elements of an array that Clang may keep in registers; it does not know which of a larger one are unset."""


class Place(Struct, frozen=True):
    """A mention of a variable, with the members of it that are meant: `("x",)` for `v[1].x`.

    `sets`: the end of what gives them a value, 0 if nothing does; `maybe`: what it is handed to may leave them unset.
    """

    node: Node
    path: tuple[str, ...]
    sets: int = 0
    maybe: bool = False

    def covers(self, other: Place) -> bool:
        """Return whether the members meant here are, or are in, or hold those of another place."""
        length = min(len(self.path), len(other.path))
        return self.path[:length] == other.path[:length]


def unset_variables(flow: Flow, function: Function) -> Iterator[Variable]:
    """Yield the variables of a function that may have no value where it passes or returns them, each once."""
    wanted = {each.place: each for each in function.variables.all() if _may_lack_value(flow, function, each)}
    places: dict[Span, list[Place]] = defaultdict(list)
    for node in function.of_type("identifier") if wanted else ():
        variable = function.variable(text_of(node), node.start_byte)
        if variable is not None and variable.place in wanted and variable.place.start != node.start_byte:
            places[variable.place].append(_place(flow, node))
    yield from (wanted[place] for place, found in places.items() if _is_unset(flow.unit, wanted[place], found))


def declarator_end(unit: Unit, variable: Variable) -> int:
    """Return where the name of a declared variable ends, with the brackets of an array."""
    end = variable.place.end
    for _ in variable.sizes:
        end = (matching_close(unit.code, skip_blanks(unit.code, end)) or len(unit.code)) + 1
    return end


def _may_lack_value(flow: Flow, function: Function, variable: Variable) -> bool:
    """Return whether a variable is declared without a value, as one that is not kept between calls."""
    if variable.parameter or _KEPT.search(variable.text) or variable.type == "auto" or "&" in variable.text:
        return False
    following = skip_blanks(flow.unit.code, declarator_end(flow.unit, variable))
    if flow.unit.code[following : following + 1] not in (";", ","):
        return False
    sizes = [flow.constant(size, function) if size is not None else None for size in variable.sizes]
    return all(size is None or size <= _MOST_ELEMENTS for size in sizes)


def _place(flow: Flow, node: Node) -> Place:
    """Read the mention of a variable that an identifier is."""
    path: list[str] = []
    unit, above = flow.unit, flow.unit.parent(node)
    while above is not None and above.type in ("field_expression", "subscript_expression", "parenthesized_expression"):
        if above.type != "parenthesized_expression" and above.child_by_field_name("argument") != node:
            break
        if above.type == "field_expression":
            path.append(text_of(above.child_by_field_name("field")))
        node, above = above, unit.parent(above)
    if above is None:
        return Place(node, tuple(path))
    if above.type == "assignment_expression" and above.child_by_field_name("left") == node:
        return Place(node, tuple(path), above.end_byte)
    if above.type == "call_expression":  # a member function
        return Place(node, tuple(path[:-1]), above.end_byte)
    if above.type in ("pointer_expression", "unary_expression") and text_of(above).startswith("&"):
        node, above = above, unit.parent(above)
    if above is not None and above.type == "argument_list":
        return Place(node, tuple(path), above.end_byte, _may_leave_unset(flow, node))
    sets = text_of(node).startswith("&") or (above is not None and above.type in _OUTPUTS)
    return Place(node, tuple(path), node.end_byte if sets else 0)


def _may_leave_unset(flow: Flow, argument: Node) -> bool:
    """Return whether an argument is for a macro, or a function of the file that sets it on some paths only."""
    arguments = flow.unit.parent(argument)
    call = flow.unit.parent(arguments) if arguments is not None else None
    if arguments is None or call is None or call.type != "call_expression":
        return False
    index = [each.start_byte for each in arguments.named_children].index(argument.start_byte)
    callees = flow.named(called(call))
    return bool(callees) and all(_leaves_unset(flow, each, index) for each in callees)


def _leaves_unset(flow: Flow, function: Function, index: int) -> bool:
    known = flow.notes["parameters left unset"]
    key = function.span.start, index
    if key not in known:
        known[key] = False  # where functions call each other
        known[key] = _reads_unset(flow, function, index)
    found: bool = known[key]
    return found


def _reads_unset(flow: Flow, function: Function, index: int) -> bool:
    """Return whether a function sets what a parameter points or refers to on some paths only, or not at all."""
    if function.macro:
        return _BRANCHES.search(flow.unit.code, function.span.start, function.span.end) is not None
    parameters = function.parameters
    parameter = next((each for each in function.given if each.name in parameters[index : index + 1]), None)
    if parameter is None or not (parameter.pointer or "&" in parameter.text or parameter.sizes):
        return True
    if "const" in parameter.text.split():
        return True
    nodes = (each for each in function.of_type("identifier") if text_of(each) == parameter.name)
    places = [_place(flow, each) for each in nodes if function.variable(parameter.name, each.start_byte) == parameter]
    return not Assigned(flow.unit, tuple(each for each in places if each.sets and not each.maybe)).by(function.body)


def _is_unset(unit: Unit, variable: Variable, places: Sequence[Place]) -> bool:
    """Return whether a variable is passed on or returned where only some paths have set it."""
    for use in places:
        before = [each for each in places if 0 < each.sets <= use.node.start_byte and each.covers(use)]
        if not before or not _leaves(unit, use.node):
            continue
        sure = Assigned(unit, tuple(each for each in before if not each.maybe), loops=bool(variable.sizes))
        if any(_leads_to(unit, each.node, use.node) for each in before) and not sure.before(use.node, variable.scope):
            return True
    return False


def _leaves(unit: Unit, node: Node) -> bool:
    """Return whether a use is part of an argument of a call, an operand of PTX that shuffles it, or returned."""
    above = unit.parent(node)
    while above is not None and not above.type.endswith("statement"):
        if text_of(node).startswith("&"):
            return False
        if above.type == "argument_list":
            return not _MOVED.search(text_of(node))
        if above.type == "assignment_expression" and above.child_by_field_name("left") == node:
            return False
        if _is_asm_shuffle(unit, above):
            return True
        node, above = above, unit.parent(above)
    return above is not None and above.type == "return_statement"


def _is_asm_shuffle(unit: Unit, node: Node) -> bool:
    if node.type != "gnu_asm_expression":
        return False
    return _ASM_SHUFFLE.search(unit.original(Span(node.start_byte, node.end_byte))) is not None


def _leads_to(unit: Unit, setting: Node, use: Node) -> bool:
    """Return whether a path leads from one place to the other: they are not in two arms of a statement."""
    around: dict[int, str] = {}
    node: Node | None = use
    while node is not None:
        around[node.id] = node.type
        node = unit.parent(node)
    arm, node = setting, unit.parent(setting)
    while node is not None and node.id not in around:
        arm, node = node, unit.parent(node)
    if node is None or node.type == "conditional_expression":
        return False
    if node.type == "if_statement":
        return arm.id in (condition.id for condition in [node.child_by_field_name("condition")] if condition)
    return arm.type != "case_statement"


class Assigned(Struct, frozen=True):
    """Which statements surely pass one of some places that set a variable; `loops`: their bodies are executed."""

    unit: Unit
    places: tuple[Place, ...]
    loops: bool = False

    def before(self, use: Node, scope: Span) -> bool:
        """Return whether every path to a use, from where the variable is declared, sets it."""
        node, above = use, self.unit.parent(use)
        while above is not None and above.start_byte >= scope.start:
            arms = above.type in ("if_statement", "conditional_expression", "switch_statement")
            in_switch = node.type == "case_statement"
            for child in above.named_children if not in_switch else ():
                is_arm = arms and child.type not in ("condition_clause", "parenthesized_expression", "init_statement")
                if child.end_byte <= node.start_byte and not is_arm and self.by(child):
                    return True
            node, above = above, self.unit.parent(above)
        return False

    def by(self, node: Node) -> bool:
        """Return whether every path through a statement sets the variable, or leaves the function or loop."""
        if node.type in _JUMPS:
            return True
        if not any(node.start_byte <= each.node.start_byte < node.end_byte for each in self.places):
            return node.type in _SEQUENCES | {"else_clause"} and any(map(self.by, node.named_children[-1:]))
        if any(each.node == node for each in self.places):
            return True
        if node.type == "if_statement":
            return self._by_arms(node, "consequence", "alternative")
        if node.type == "conditional_expression":
            return self._by_arms(node, "consequence", "alternative")
        if node.type == "switch_statement":
            return self._by_cases(node)
        if node.type in ("for_statement", "while_statement", "for_range_loop") and not self.loops:
            body = node.child_by_field_name("body")
            return any(self.by(child) for child in node.named_children if child != body)
        if node.type == "lambda_expression":
            return False
        operator = node.child_by_field_name("operator") if node.type == "binary_expression" else None
        if operator is not None and operator.type in ("&&", "||", "and", "or"):
            return self.by(node.named_children[0])
        return any(map(self.by, node.named_children))

    def _by_arms(self, node: Node, *names: str) -> bool:
        condition = node.child_by_field_name("condition")
        if condition is not None and self.by(condition):
            return True
        arms = [node.child_by_field_name(name) for name in names]
        return all(arm is not None and self.by(arm) for arm in arms)

    def _by_cases(self, node: Node) -> bool:
        """Return whether a `switch` has a `default`, and each case sets the variable or goes on to the next one."""
        condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
        if condition is not None and self.by(condition):
            return True
        cases = [child for child in body.named_children if child.type == "case_statement"] if body is not None else []
        if not any(case.child_by_field_name("value") is None for case in cases):
            return False
        return all(self._by_case(case, last=case == cases[-1]) for case in cases)

    def _by_case(self, case: Node, *, last: bool) -> bool:
        statements = [child for child in case.named_children if child != case.child_by_field_name("value")]
        for statement in statements:
            if statement.type == "break_statement":
                return False
            if self.by(statement):
                return True
        return not last
