"""Find the variables and expressions of a kernel that have the same value in all threads of a block."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from hipport.translate.for_cpu.together.calls import is_of_values
from hipport.translate.for_cpu.together.changes import Change
from hipport.translate.for_cpu.together.structure import Kind, Statement
from hipport.translate.for_cpu.together.syntax import Declaration, Refused, text_of
from hipport.translate.syntax.unit import Node

_OF_BLOCK = frozenset(
    (
        "blockIdx",
        "blockDim",
        "gridDim",
        *(f"hip{name}_{axis}" for name in ("BlockIdx", "BlockDim", "GridDim") for axis in "xyz"),
    )
)
_OF_THREAD = frozenset(("threadIdx", *(f"hipThreadIdx_{axis}" for axis in "xyz")))
_LITERALS = ("number_literal", "char_literal", "true", "false", "null", "sizeof_expression", "type_descriptor")
_OPERATORS = ("parenthesized_expression", "binary_expression", "unary_expression", "conditional_expression")


class Values(Struct):
    """Judges expressions. `uniform` are the variables that are, `pure` those that threads can compute again.

    `declared` are all variables of the kernel's block, `varying` other names that are no constants. Other names must
    be constants, which only the compiler knows: they are added to `constants`.
    """

    uniform: set[str]
    pure: set[str]
    declared: frozenset[str]
    varying: frozenset[str]
    constants: set[str] = field(default_factory=set)

    def is_uniform(self, node: Node) -> bool:
        """Return whether an expression without side effects has the same value for all threads."""
        return self._is_known(node, False)

    def is_pure(self, node: Node) -> bool:
        """Return whether a thread can compute an expression again, later, with the same result: it reads no memory."""
        return self._is_known(node, True)

    def _is_known(self, node: Node, pure: bool) -> bool:
        if node.type in _LITERALS:
            return True
        if node.type == "identifier":
            return self._is_known_name(text_of(node), pure)
        if node.type == "qualified_identifier":
            self.constants.add(text_of(node))
            return True
        if node.type == "field_expression":
            return self._is_known_member(node, pure)
        if node.type in ("subscript_expression", "pointer_expression"):
            return not pure and text_of(node.children[0]) != "&" and self._are_known(node.named_children, pure)
        if node.type == "subscript_argument_list" or node.type in _OPERATORS:
            return self._are_known(node.named_children, pure)
        if node.type == "condition_clause":
            value = node.child_by_field_name("value")
            return node.named_child_count == 1 and value is not None and self._is_known(value, pure)
        if node.type == "cast_expression":
            value = node.child_by_field_name("value")
            return value is not None and self._is_known(value, pure)
        if node.type == "call_expression" and is_of_values(node):
            arguments = node.child_by_field_name("arguments")
            return arguments is not None and self._are_known(arguments.named_children, pure)
        return False

    def _are_known(self, nodes: Iterable[Node], pure: bool) -> bool:
        return all(self._is_known(node, pure) for node in nodes)

    def _is_known_name(self, name: str, pure: bool) -> bool:
        if name in _OF_BLOCK or name in self.uniform:
            return True
        if name in _OF_THREAD:
            return pure
        if name in self.declared:
            return pure and name in self.pure
        if name not in self.varying:
            self.constants.add(name)
        return name not in self.varying

    def _is_known_member(self, node: Node, pure: bool) -> bool:
        base = node.child_by_field_name("argument")
        if base is None or (pure and text_of(node.child_by_field_name("operator")) == "->"):
            return False
        if base.type == "identifier" and text_of(base) not in self.declared | _OF_BLOCK | _OF_THREAD:
            self.constants.add(text_of(node))
            return True
        return self._is_known(base, pure)


def find_uniform(
    values: Values, listed: Sequence[Statement], declarations: Sequence[Declaration], changed: Sequence[Change]
) -> None:
    """Remove from `values.uniform`, which starts with all candidates, the variables that may differ between threads."""
    steps = {_statement_of(one): one for one in listed if one.kind is Kind.THREADS and _statement_of(one) is not None}
    headers = [(one.node.start_byte, one.node.end_byte) for one in listed if one.kind is Kind.HEADER]
    before = -1
    while before != len(values.uniform):
        before = len(values.uniform)
        for declaration in declarations:
            for local in declaration.locals:
                known = local.value is None or values.is_uniform(local.value)
                if not known or local.dimensions:
                    values.uniform.discard(local.name)
        for change in changed:
            of_block = change.node.id in steps or any(a <= change.node.start_byte < b for a, b in headers)
            if not of_block or not _changes_uniformly(change.node, values):
                values.uniform.discard(change.name)


def _statement_of(statement: Statement) -> int | None:
    """Return the id of the expression that is all of a statement."""
    node = statement.node
    return node.named_children[0].id if node.type == "expression_statement" and node.named_child_count == 1 else None


def _changes_uniformly(node: Node, values: Values) -> bool:
    right = node.child_by_field_name("right")
    left = node.child_by_field_name("left") or node.child_by_field_name("argument")
    if left is None or left.type != "identifier":
        return False
    if node.type == "update_expression":
        return True
    return node.type == "assignment_expression" and right is not None and values.is_uniform(right)


def is_uniform_step(statement: Statement, values: Values) -> bool:
    """Return whether a statement only changes a uniform variable."""
    node = statement.node
    if statement.kind is not Kind.THREADS or _statement_of(statement) is None:
        return False
    expression = node.named_children[0]
    target = expression.child_by_field_name("left") or expression.child_by_field_name("argument")
    return (
        expression.type in ("assignment_expression", "update_expression")
        and text_of(target) in values.uniform
        and _changes_uniformly(expression, values)
    )


def check_header(node: Node, values: Values) -> None:
    """Raise `Refused` unless a part of the header of a loop or a branch is the same for all threads."""
    if node.type == "declaration":
        return  # its variables are checked as all others
    if node.type in ("comma_expression", "expression_statement"):
        for child in node.named_children:
            check_header(child, values)
    elif node.type in ("assignment_expression", "update_expression"):
        target = node.child_by_field_name("left") or node.child_by_field_name("argument")
        if text_of(target) not in values.uniform or not _changes_uniformly(node, values):
            raise Refused
    elif not values.is_uniform(node):
        raise Refused
