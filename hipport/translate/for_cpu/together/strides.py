"""Loops that are faster with the threads side by side: neighboring threads access neighboring elements in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from msgspec import Struct

from hipport import lazy_re as re
from hipport.translate.for_cpu.together.syntax import Refused, declaration_of, descend, identifiers, text_of
from hipport.translate.for_cpu.together.uniform import Values
from hipport.translate.syntax.unit import Node

_CHEAP = re.compile(
    r"(?:std::)?(?:min|max|f?(?:abs|min|max|ma)f?|sqrtf?)|(?:static|reinterpret|const)_cast|\w+_t|float|int|double"
)
_JUMPS = ("break_statement", "continue_statement", "return_statement")
_LOOPS = ("while_statement", "do_statement", "for_range_loop")


class Strided(Struct, frozen=True):
    """The loop `for (type name = start; name < bound; name += step) body`; `relation` is its < or <=."""

    type: str
    name: str
    start: Node
    relation: str
    bound: Node
    step: Node | None  # None: 1
    body: Node


class Strides:
    """The stride of a kernel's expressions: the difference of their values between neighbors in x.

    `definitions` are the pure variables, `changed` the names of all variables that the kernel changes.
    """

    def __init__(self, values: Values, definitions: Mapping[str, Node], changed: Set[str]) -> None:
        self._values, self._definitions, self._changed = values, definitions, changed

    def suits(self, loop: Node, also: Mapping[str, int | None]) -> bool:
        """Return whether threads side by side suit a loop; `also` are its variables, with their strides."""
        body = loop.child_by_field_name("body")
        if body is None or any(not self.is_simple(node) for node in descend(loop)):
            return False
        also = {**also, **self._inner(body, also)}
        strides = [self._of_access(node, also) for node in (body, *descend(body)) if _is_access(node)]
        return 1 in strides and all(one in (0, 1) for one in strides)

    def _inner(self, body: Node, also: Mapping[str, int | None]) -> dict[str, int | None]:
        """Return the strides of the variables that a loop's body declares; None for those that it changes."""
        found = dict(also)
        for node in descend(body):
            if node.type == "declaration":
                try:
                    locals_ = declaration_of(node).locals
                except Refused:
                    return dict.fromkeys(identifiers(body))
                for local in locals_:
                    known = local.value is not None and not local.dimensions and local.name not in self._changed
                    found[local.name] = self.of(local.value, found) if known else None
        return found

    def has_constant_bound(self, loop: Node) -> bool:
        """Return whether nothing that is known at run time only is in the condition: the compiler unrolls the loop."""
        condition, start = loop.child_by_field_name("condition"), loop.child_by_field_name("initializer")
        own = declaration_of(start).names if start is not None and start.type == "declaration" else frozenset()
        names = identifiers(condition) - own if condition is not None else frozenset()
        return not any(name in self._values.declared or name.startswith(("block", "grid", "hip")) for name in names)

    def of(self, node: Node | None, also: Mapping[str, int | None]) -> int | None:
        """Return by how much an expression grows from a thread to its neighbor; None if unknown."""
        if node is None:
            return None
        if node.type == "identifier":
            return self._of_name(text_of(node), also)
        if node.type == "field_expression":
            return self._of_member(text_of(node))
        if node.type == "binary_expression":
            return self._of_operation(node, also)
        if node.type in ("parenthesized_expression", "cast_expression"):
            return self.of(node.child_by_field_name("value") or node.named_children[-1], also)
        if node.type == "call_expression":
            return self._of_cast(node, also)
        return 0 if self._values.is_uniform(node) else None

    def _of_name(self, name: str, also: Mapping[str, int | None]) -> int | None:
        if name in also:
            return also[name]
        if name == "hipThreadIdx_x":
            return 1
        if name in self._values.uniform or name not in self._values.declared:
            return 0
        return self.of(self._definitions.get(name), also)

    def _of_member(self, text: str) -> int | None:
        if text == "threadIdx.x":
            return 1
        base = text.partition(".")[0]
        known = base in self._values.uniform or base not in self._values.declared
        return 0 if known and "->" not in text else None

    def _of_operation(self, node: Node, also: Mapping[str, int | None]) -> int | None:
        left = self.of(node.child_by_field_name("left"), also)
        right = self.of(node.child_by_field_name("right"), also)
        if left is None or right is None:
            return None
        operator = text_of(node.child_by_field_name("operator"))
        if operator in "+-":
            return left + right if operator == "+" else left - right
        return 0 if left == right == 0 else None

    def _of_cast(self, node: Node, also: Mapping[str, int | None]) -> int | None:
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        is_cast = text_of(function).startswith("static_cast") and arguments is not None
        if is_cast and arguments is not None and arguments.named_child_count == 1:
            return self.of(arguments.named_children[0], also)
        return 0 if self._values.is_uniform(node) else None

    def is_simple(self, node: Node) -> bool:
        """Return whether a node, apart from those in it, permits that the compiler vectorizes a loop over threads."""
        if node.type == "call_expression":
            function = text_of(node.child_by_field_name("function"))
            return _CHEAP.fullmatch(function.partition("<")[0]) is not None
        if node.type == "for_statement":
            return self.has_constant_bound(node)
        return node.type not in (*_JUMPS, *_LOOPS)

    def _of_access(self, node: Node, also: Mapping[str, int | None]) -> int | None:
        if node.type == "pointer_expression":
            return self.of(node.child_by_field_name("argument"), also)
        indices = list(_indices(node))
        if any(self.of(index, also) != 0 for index in indices[1:]):
            return None
        last, base = self.of(indices[0], also), self.of(_base(node), also)
        return None if last is None or base is None else last + base


def _is_access(node: Node) -> bool:
    """Return whether a node is an access to memory; of `a[i][j]` the whole."""
    if node.type == "pointer_expression":
        return text_of(node.children[0]) == "*"
    parent = node.parent
    inner = parent is not None and parent.type == "subscript_expression"
    return node.type == "subscript_expression" and not (
        inner and parent is not None and parent.child_by_field_name("argument") == node
    )


def _indices(node: Node | None) -> Iterator[Node | None]:
    """Yield the indices of `a[i][j]`, the last first."""
    while node is not None and node.type == "subscript_expression":
        listed = node.child_by_field_name("indices")
        yield listed.named_children[0] if listed is not None and listed.named_child_count == 1 else None
        node = node.child_by_field_name("argument")


def _base(node: Node | None) -> Node | None:
    while node is not None and node.type == "subscript_expression":
        node = node.child_by_field_name("argument")
    return node


def strided(loop: Node) -> Strided | None:
    """Read a loop that counts up to a bound; None if it is another."""
    parts = [loop.child_by_field_name(part) for part in ("initializer", "condition", "update", "body")]
    start, condition, update, body = parts
    if start is None or condition is None or update is None or body is None or start.type != "declaration":
        return None
    try:
        made = declaration_of(start)
    except Refused:
        return None
    if len(made.locals) != 1 or made.type is None or made.locals[0].value is None or made.locals[0].stars:
        return None
    name, step = made.locals[0].name, _step(update)
    left, bound = condition.child_by_field_name("left"), condition.child_by_field_name("right")
    relation = text_of(condition.child_by_field_name("operator"))
    if condition.type != "binary_expression" or bound is None or relation not in ("<", "<=") or step is None:
        return None
    if text_of(left) != name or step[0] != name:
        return None
    return Strided(made.type, name, made.locals[0].value, relation, bound, step[1], body)


def _step(update: Node) -> tuple[str, Node | None] | None:
    """Return which variable is increased, and by how much; None for 1."""
    if update.type == "update_expression" and "++" in map(text_of, update.children):
        return text_of(update.child_by_field_name("argument")), None
    if update.type == "assignment_expression" and text_of(update.child_by_field_name("operator")) == "+=":
        return text_of(update.child_by_field_name("left")), update.child_by_field_name("right")
    return None
