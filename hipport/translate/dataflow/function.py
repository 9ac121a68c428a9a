"""A function's variables: their declarations, types, and the expressions assigned to them."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct, field

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.syntax.lexer import Directive
from hipport.translate.syntax.nesting import Nested, in_order
from hipport.translate.syntax.side_words import words_in_front
from hipport.translate.syntax.unit import Node, Unit

JUMPS = frozenset({"return_statement", "break_statement", "continue_statement", "goto_statement"})
"""Statements after which others of the block are not executed."""
_BLOCKS = frozenset({"compound_statement", "for_statement", "for_range_loop", "lambda_expression", "if_statement"})
_DEFINITION = "function_definition"
_DECLARATIONS = frozenset({"declaration", "parameter_declaration", "optional_parameter_declaration"})
_WRAPPERS = frozenset(
    {"pointer_declarator", "reference_declarator", "array_declarator", "init_declarator", "parenthesized_declarator"}
)


class Variable(Struct, frozen=True):
    """A local variable or parameter.

    `type` is the declared type as written, `text` the words of the declaration with the part of the declarator before
    the name. `values` are the expressions assigned to it, its initializer first; `sizes` the bounds of an array, None
    for `[]`. `alone`: the declaration declares no other variable.
    """

    name: str
    place: Span
    scope: Span
    type: str
    type_place: Span
    text: str
    parameter: bool
    pointer: bool
    alone: bool
    sizes: tuple[Node | None, ...] = ()
    values: list[Node] = field(default_factory=list)

    @property
    def shared(self) -> bool:
        return "__shared__" in self.text

    @property
    def volatile(self) -> bool:
        return re.search(r"\bvolatile\b", self.text) is not None


class Variables(Struct, frozen=True):
    """Variables by name and scope."""

    named: Mapping[str, Nested[Variable]]

    @classmethod
    def of(cls, found: Iterable[Variable]) -> Variables:
        """Group variables by name and nest those of one name by scope."""
        named: dict[str, list[tuple[Span, Variable]]] = {}
        for variable in found:
            named.setdefault(variable.name, []).append((variable.scope, variable))
        return cls({name: Nested.of(variables) for name, variables in named.items()})

    def meant(self, name: str, offset: int) -> Variable | None:
        """Return the variable that a name refers to at an offset."""
        return self.named[name].around(Span(offset, offset + 1)) if name in self.named else None

    def all(self) -> Iterator[Variable]:
        """Yield all variables, grouped by name."""
        return (variable for nested in self.named.values() for variable in nested.items)


class Function(Struct, frozen=True, dict=True):
    """A function definition with a body.

    `kernel`: declared `__global__`; `device`: it runs on the device, maybe also on the host; `host`: it runs on the
    host, maybe also on the device.
    """

    unit: Unit
    node: Node
    body: Node
    name: str
    span: Span
    kernel: bool
    device: bool
    host: bool

    @property
    def macro(self) -> bool:
        return self.node.type == "translation_unit"

    @cached_property
    def variables(self) -> Variables:
        """The variables and parameters, with all values assigned to them."""
        found = Variables.of(_declared(self))
        _add_assignments(self.of_type("assignment_expression"), found)
        return found

    @cached_property
    def given(self) -> list[Variable]:
        """The parameters that have a name, in order."""
        return sorted((one for one in self.variables.all() if one.parameter), key=lambda one: one.place.start)

    def variable(self, name: str, offset: int) -> Variable | None:
        """Return the variable that a name refers to at an offset."""
        return self.variables.meant(name, offset)

    @cached_property
    def parameters(self) -> Sequence[str]:
        """The names of the parameters, in order; empty for those without a name."""
        return [_parameter_name(node) for node in parameter_nodes(self.node)]

    @cached_property
    def calls(self) -> Sequence[Node]:
        """All calls in the body, in order, and before them those in the initializers of a constructor."""
        initializers = (node for node in self.node.named_children if node.type == "field_initializer_list")
        first = [node for part in initializers for node in walk(part) if node.type == "call_expression"]
        return [*first, *self.of_type("call_expression")]

    @cached_property
    def named_calls(self) -> Sequence[tuple[str, Node]]:
        """The calls, each with the last name of its callee."""
        return [(called(call), call) for call in self.calls]

    @cached_property
    def nodes(self) -> Sequence[Node]:
        """The body and all named nodes below it, in text order; not the functions of local classes."""
        return list(walk_own(self.node, self.body))

    def of_type(self, *kinds: str) -> Sequence[Node]:
        """Return those of `nodes` that have one of these types."""
        if self.is_indexed:
            return self.unit.inside(self.body, *kinds) or ()
        found = [self._by_type.get(kind, []) for kind in kinds]
        return found[0] if len(kinds) == 1 else in_order(itertools.chain(*found))

    @cached_property
    def is_indexed(self) -> bool:
        """True if the file's index of nodes has those of the function, and no others in its range."""
        if self.node.type != _DEFINITION:
            return False
        found = self.unit.inside(self.node, _DEFINITION)
        return found is not None and len(found) == 1

    @cached_property
    def _by_type(self) -> Mapping[str, list[Node]]:
        found: dict[str, list[Node]] = defaultdict(list)
        for node in self.nodes:
            found[node.type].append(node)
        return found


def make_function(unit: Unit, node: Node) -> Function | None:
    """Read a `function_definition` or `lambda_expression`; None for one without a body."""
    found = node.child_by_field_name("body")
    if found is None:
        return None
    # The equal node among the children: it remembers its own, which others have asked for.
    body = next((child for child in node.named_children if child == found), found)
    start = _start(unit, node)
    words = words_in_front(unit, Span(start, body.start_byte))
    kernel = "__global__" in words
    device = kernel or "__device__" in words
    host = not device or "__host__" in words
    return Function(unit, node, body, _name(node), Span(start, node.end_byte), kernel, device, host)


def make_macro(unit: Unit, line: Directive) -> Function:
    """Read a function-like macro as a function that may be called anywhere."""
    root = unit.macro_tree(line)
    return Function(unit, root, root, line.name, line.body, kernel=False, device=True, host=True)


def _start(unit: Unit, node: Node) -> int:
    """Return where a definition begins, including the specifiers in front of it that the shadow has blanked."""
    outer, parent = node, unit.parent(node)
    while parent is not None and parent.type in ("template_declaration", "linkage_specification"):
        outer, parent = parent, unit.parent(parent)
    before = unit.below(parent).before(outer) if parent is not None else None
    if before is not None:
        return before.end_byte
    # The root begins at the first token that was not blanked, so its start is of no use.
    return parent.start_byte if parent is not None and unit.parent(parent) is not None else 0


def _name(node: Node) -> str:
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type not in ("identifier", "field_identifier"):
        declarator = declarator.child_by_field_name("declarator") or declarator.child_by_field_name("name")
    return text_of(declarator) if declarator is not None else ""


def parameter_nodes(definition: Node) -> list[Node]:
    """Return the declarations of the parameters of a function or lambda."""
    declarator = definition.child_by_field_name("declarator")
    while declarator is not None and declarator.child_by_field_name("parameters") is None:
        declarator = declarator.child_by_field_name("declarator") or first_child(declarator)
    parameters = declarator.child_by_field_name("parameters") if declarator is not None else None
    return [node for node in parameters.named_children if node.type in _DECLARATIONS] if parameters is not None else []


def _parameter_name(declaration: Node) -> str:
    names = (node for node in walk(declaration) if node.type == "identifier")
    declarator = declaration.child_by_field_name("declarator")
    return next((text_of(node) for node in names if declarator and node.start_byte >= declarator.start_byte), "")


def text_of(node: Node | None) -> str:
    """Return the text of a node, without comments and CUDA's own words."""
    text = node.text if node is not None else None
    return text.decode("ascii", "replace") if text is not None else ""


def called(call: Node) -> str:
    """Return the last name of a call's callee: `any` of `tile.any(x)` and of `ns::any<T>(x)`."""
    function = call.child_by_field_name("function")
    while function is not None and function.type not in ("identifier", "field_identifier", "primitive_type"):
        function = function.child_by_field_name("field") or function.child_by_field_name("name")
    return text_of(function)


def first_child(node: Node | None) -> Node | None:
    """Return the first named child of a node."""
    return node.named_child(0) if node is not None and node.named_child_count else None


def bare(node: Node) -> Node:
    """Return an expression without the parentheses around it."""
    while node.type in ("condition_clause", "parenthesized_expression") and node.named_child_count == 1:
        node = node.named_children[0]
    return node


def walk_own(definition: Node, part: Node | None = None) -> Iterator[Node]:
    """Yield a part of a definition, or all of it, and the named nodes below, without functions of local classes."""
    start = part or definition
    return walk(start) if definition.type != _DEFINITION else _walk(start, without=_DEFINITION)


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all named nodes below it, in text order."""
    return _walk(node)


def _walk(node: Node, without: str = "") -> Iterator[Node]:
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if current.type == without and current is not node:
            continue
        yield current
        children = current.named_children
        if children:
            waiting += children[::-1]


def _declared(function: Function) -> Iterator[Variable]:
    """Yield the variables and parameters of a function."""
    unit = function.unit
    for node, scope in _indexed_scopes(function) if function.is_indexed else _scopes(function.node):
        kind = node.child_by_field_name("type")
        around = scope if node.type == "declaration" else function.node
        declarators = node.children_by_field_name("declarator") if kind is not None else []
        words = unit.code[_words_start(unit, node) : declarators[0].start_byte] if declarators else ""
        for declarator in declarators:
            variable = _variable(unit, around, node, kind, declarator, words, alone=len(declarators) == 1)
            if variable is not None:
                yield variable


def _indexed_scopes(function: Function) -> Iterator[tuple[Node, Node]]:
    """Yield what `_scopes` yields, from the index of the file's nodes."""
    for node in function.unit.inside(function.node, *_DECLARATIONS) or ():
        scope = function.unit.parent(node)
        while scope is not None and scope.type not in _BLOCKS and scope != function.node:
            scope = function.unit.parent(scope)
        yield node, scope or function.node


def _scopes(function: Node) -> Iterator[tuple[Node, Node]]:
    """Yield the declarations of a function, each with the block around it, or the function."""
    waiting = [(function, function)]
    while waiting:
        node, scope = waiting.pop()
        if node.type in _DECLARATIONS:
            yield node, scope
        children = node.named_children
        if children:
            inner = node if node.type in _BLOCKS else scope
            own = children if function.type != _DEFINITION else _without_functions(children)
            waiting += [(child, inner) for child in reversed(own)]


def _without_functions(nodes: list[Node]) -> list[Node]:
    return [node for node in nodes if node.type != _DEFINITION]


def _variable(
    unit: Unit, scope: Node, declaration: Node, kind: Node | None, declarator: Node, words: str, *, alone: bool
) -> Variable | None:
    sizes: list[Node | None] = []
    value, pointer, node = None, False, declarator
    while node.type in _WRAPPERS:
        if node.type == "array_declarator":
            sizes.insert(0, node.child_by_field_name("size"))
        pointer |= node.type == "pointer_declarator"
        value = value or node.child_by_field_name("value")
        inner = node.child_by_field_name("declarator") or first_child(node)
        if inner is None:
            return None
        node = inner
    if node.type != "identifier" or kind is None:
        return None
    parameter = declaration.type != "declaration"
    value = value or declaration.child_by_field_name("default_value")
    variable = Variable(
        text_of(node),
        Span(node.start_byte, node.end_byte),
        Span(scope.start_byte, scope.end_byte),
        text_of(kind),
        Span(kind.start_byte, kind.end_byte),
        words + unit.code[declarator.start_byte : node.start_byte],
        parameter,
        pointer or bool(parameter and sizes),
        alone,
        tuple(sizes),
    )
    if value is not None:
        variable.values.append(value)
    return variable


def _words_start(unit: Unit, declaration: Node) -> int:
    """Return where a declaration begins, including `__shared__` and the like in front of it."""
    start = 0
    for end in ";{}(,":
        start = max(start, unit.code.rfind(end, start, declaration.start_byte) + 1)
    return start


def _add_assignments(assignments: Iterable[Node], variables: Variables) -> None:
    for node in assignments:
        target, value = node.child_by_field_name("left"), node.child_by_field_name("right")
        if target is not None and value is not None and target.type == "identifier":
            variable = variables.meant(text_of(target), target.start_byte)
            if variable is not None:
                variable.values.append(value)
