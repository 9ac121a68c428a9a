"""Array indices as sums: which thread's element an index names, and how two indices differ."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from msgspec import Struct

from hipport import lazy_re as re
from hipport.translate.dataflow.flow import ARITHMETIC, Flow
from hipport.translate.dataflow.function import Function, Variable, called, first_child, text_of, walk
from hipport.translate.syntax.unit import Node

_THREAD = re.compile(
    r"threadIdx\.[xyz]\Z|(?:\w+\.)?thread_rank\(\)\Z|(?:\w+::)*(?:__)?(?:[gG]et_?)?[lL]ane_?[iI]d\w*\(\)\Z|lane_?[iI]d\Z"
)
_LANE = re.compile(r"\(*(?:blockIdx\.[xyz]\*blockDim\.[xyz]\)*\+)?threadIdx\.[xyz]\)*(?:%|&)[\w()-]+\Z")
_DEEPEST = 8
_LONGEST = 200  # characters of an index
_FARTHEST = 32
"""The largest constant distance within a warp: beyond it, indices are rows of a block more often than lanes."""


class Form(Struct, frozen=True):
    """An index as a sum of terms with their factors; the term "" is the constant."""

    terms: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, terms: Counter[str]) -> Form:
        return cls(tuple(sorted((term, factor) for term, factor in terms.items() if factor)))

    def minus(self, other: Form) -> Counter[str]:
        """Return the terms of the difference."""
        found = Counter(dict(self.terms))
        found.subtract(dict(other.terms))
        return Counter({term: factor for term, factor in found.items() if factor})


class Distance(enum.Enum):
    """How the element at one index relates to that of another thread's at the other."""

    SAME = "the thread's own"
    OTHER = "another lane's"
    ACROSS = "another thread's, maybe of another warp"
    UNKNOWN = "not known"


class Indices:
    """The indices of a function in terms of its thread index, parameters and variables with several values."""

    def __init__(self, flow: Flow, function: Function) -> None:
        self._flow = flow
        self._function = function
        self._forms: dict[int, Form] = {}

    @cached_property
    def _counted(self) -> frozenset[str]:
        """The variables that `++`, `--` or a compound assignment changes."""
        found: set[str] = set()
        for node in self._function.of_type("assignment_expression"):
            operator = node.child_by_field_name("operator")
            if operator is not None and operator.type != "=":
                found.add(text_of(node.child_by_field_name("left")))
        updates = self._function.of_type("update_expression")
        return frozenset(found.union(text_of(node.child_by_field_name("argument")) for node in updates))

    def form(self, node: Node) -> Form:
        """Return an index as a sum, with variables replaced by the only value that they have."""
        if node.id not in self._forms:
            self._forms[node.id] = Form.of(self._sum(node, 0))
        return self._forms[node.id]

    def _sum(self, node: Node, depth: int) -> Counter[str]:
        text = re.sub(r"\s", "", text_of(node))
        constant = self._flow.constant(node, self._function)
        if constant is not None:
            return Counter({"": constant})
        if node.type == "parenthesized_expression" and node.named_child_count == 1:
            return self._sum(node.named_children[0], depth)
        if node.type == "cast_expression":
            value = node.child_by_field_name("value")
            return self._sum(value, depth) if value is not None else Counter({text: 1})
        operator = node.child_by_field_name("operator") if node.type == "binary_expression" else None
        if operator is not None and operator.type in "+-" and len(text) < _LONGEST:
            left, right = node.named_children[0], node.named_children[-1]
            found = self._sum(left, depth)
            for term, factor in self._sum(right, depth).items():
                found[term] += factor if operator.type == "+" else -factor
            return found
        variable = self._single(node, depth)
        if variable is not None:
            return self._sum(variable.values[0], depth + 1)
        if node.type == "identifier":
            text = self._lane_macro(text, node) or text
        return Counter({self._written_out(node, text, depth): 1})

    def _single(self, node: Node, depth: int) -> Variable | None:
        """Return the variable that a node names if it has one value only."""
        if node.type != "identifier" or depth >= _DEEPEST or text_of(node) in self._counted:
            return None
        variable = self._function.variable(text_of(node), node.start_byte)
        known = variable is not None and not variable.parameter and len(variable.values) == 1
        return variable if known else None

    def _written_out(self, node: Node, text: str, depth: int) -> str:
        """Return the text of a term with the variables in it replaced: `tid % 32` is `threadIdx.x%32`."""
        if node.type != "binary_expression" or len(text) >= _LONGEST or depth >= _DEEPEST:
            return text
        operator = text_of(node.child_by_field_name("operator"))
        sides = [self._operand(side, depth) for side in (node.named_children[0], node.named_children[-1])]
        return operator.join(sides)

    def _lane_macro(self, name: str, node: Node) -> str:
        """Return the text of a macro for a thread's place: `#define laneId (threadIdx.x & 31)`."""
        bodies = self._flow.constants.macros.get(name, ())
        if len(bodies) != 1 or self._function.variable(name, node.start_byte) is not None:
            return ""
        text = re.sub(r"\s", "", self._flow.unit.code[bodies[0].start : bodies[0].end])
        text = text[1:-1] if re.fullmatch(r"\([^()]*(?:\([^()]*\)[^()]*)*\)", text) else text
        return text if _THREAD.match(text) or _LANE.match(text) else ""

    def _operand(self, node: Node, depth: int) -> str:
        while node.type == "parenthesized_expression" and node.named_child_count == 1:
            node = node.named_children[0]
        variable = self._single(node, depth)
        if variable is not None:
            return self._operand(variable.values[0], depth + 1)
        text = re.sub(r"\s", "", text_of(node))
        written = self._written_out(node, text, depth + 1)
        return f"({written})" if node.type == "binary_expression" else written

    def own(self, form: Form) -> str | None:
        """Return the term with factor 1 that numbers threads or lanes: `threadIdx.x`, `threadIdx.x % 32`."""
        plain = (term for term, factor in form.terms if factor == 1 and (_THREAD.match(term) or _LANE.match(term)))
        return next(plain, None)

    def derived(self, node: Node) -> bool:
        """Return whether a thread index, or a parameter, is somewhere in an index."""
        for leaf in self._flow.leaves(node, self._function, ARITHMETIC):
            text = re.sub(r"\s", "", text_of(leaf))
            variable = self._function.variable(text, leaf.start_byte) if leaf.type == "identifier" else None
            if _THREAD.match(text) or (variable is not None and variable.parameter):
                return True
        return False

    def is_lane(self, own: str) -> bool:
        """Return whether the term that numbers threads counts those of a warp: `threadIdx.x % 32`."""
        return _LANE.match(own) is not None

    def steps(self, terms: Counter[str], at: Node) -> bool:
        """Return whether a difference is a distance between lanes: a small constant, or a variable like `offset`."""
        named = [term for term in terms if term]
        if not named:
            return 0 < abs(terms[""]) <= _FARTHEST
        return len(named) == 1 and abs(terms[named[0]]) == 1 and self._is_uniform(named[0], at)

    def _is_uniform(self, name: str, at: Node) -> bool:
        """Return whether a term is a variable that has nothing to do with the thread index."""
        variable = self._function.variable(name, at.start_byte) if name.isidentifier() else None
        return variable is not None and not variable.parameter and not any(map(self.derived, variable.values))

    def is_crossed(self, node: Node, own: str) -> bool:
        """Return whether an index is another lane's: `tid ^ 1`, `(tid + 1) % 32`."""
        while node.type == "parenthesized_expression" and node.named_child_count == 1:
            node = node.named_children[0]
        variable = self._single(node, 0)
        if variable is not None:
            return self.is_crossed(variable.values[0], own)
        operator = node.child_by_field_name("operator") if node.type == "binary_expression" else None
        if operator is None or operator.type not in ("^", "%", "&"):
            return False
        sides = [self.form(side) for side in node.named_children]
        if operator.type == "^":
            return Form(((own, 1),)) in sides
        return self.steps(sides[0].minus(Form(((own, 1),))), node)

    def is_shared_by_all(self, form: Form, at: Node) -> bool:
        """Return whether an index is the same for all threads: a constant or one variable."""
        named = [term for term, _ in form.terms if term]
        return not named or (len(named) == 1 and self._is_uniform(named[0], at))


def subscripts(node: Node) -> tuple[Node | None, list[Node]]:
    """Return the array of `a[i][j]` and its indices."""
    indices: list[Node] = []
    array: Node | None = node
    while array is not None and array.type == "subscript_expression":
        index = first_child(array.child_by_field_name("indices"))
        if index is None:
            return None, []
        indices.insert(0, index)
        array = array.child_by_field_name("argument")
    return array, indices


def calls(node: Node) -> Iterator[str]:
    """Yield the names of the functions that are called in a node."""
    return (called(part) for part in walk(node) if part.type == "call_expression")
