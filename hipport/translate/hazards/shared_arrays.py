"""Arrays in shared memory as a function names them: arrays, pointers to them, members of shared structs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from hipport import lazy_re as re
from hipport.translate.dataflow.flow import Flow
from hipport.translate.dataflow.function import Function, Variable, called, first_child, text_of
from hipport.translate.dataflow.index_forms import Form, Indices, subscripts
from hipport.translate.syntax.unit import Node, Unit

_MAKES_SHARED = re.compile(r"(?:\w+::)*\w*[sS]hared\w*\s*(?:<|\()")
"""Matches what makes a pointer to shared memory: `SharedMemory<T>()`."""
_ARRAY = re.compile(r"[\w>]\s+(\w+)\s*(?:\[[^][]*\]\s*)+[;,]")
_CASTS = frozenset({"reinterpret_cast", "static_cast", "const_cast"})
_BY_THREAD = re.compile(r"threadIdx|thread_rank|\b[lL]ane")
_NOWHERE = Form(())
_DEEPEST = 8


class Array(Struct, frozen=True):
    """A shared array: the variable, for a member of a struct its name, and where a pointer of each thread points.

    `plain`: it is named directly, so that an element is `name[index]`.
    """

    variable: Variable
    member: str = ""
    start: Form = _NOWHERE
    plain: bool = True

    @property
    def key(self) -> tuple[int, str]:
        """Return what is the same for all accesses to the array."""
        return id(self.variable), self.member


class SharedArrays:
    """Finds the shared arrays that expressions of a function mean."""

    def __init__(self, flow: Flow, function: Function, indices: Indices, given: frozenset[str]) -> None:
        """`given`: the parameters that get shared memory."""
        self._unit = flow.unit
        self._function = function
        self._indices = indices
        self._given = given
        self._elements: dict[int, tuple[Array, list[Node], tuple[Form, ...]] | None] = {}

    def element(self, node: Node) -> tuple[Array, list[Node], tuple[Form, ...]] | None:
        """Return the array, the indices as written and as sums, of `a[i]`, `s.a[i]`, `*(a + i)` or `*a`."""
        if node.id not in self._elements:
            self._elements[node.id] = self._element(node)
        return self._elements[node.id]

    def _element(self, node: Node) -> tuple[Array, list[Node], tuple[Form, ...]] | None:
        if node.type == "subscript_expression":
            named, indices = subscripts(node)
            array = self._array(named) if named is not None else None
            forms = [self._indices.form(index) for index in indices] if array is not None else []
        else:
            pointed = self.pointed(first_child(node)) if text_of(node).startswith("*") else None
            array, indices, forms = (None, [], []) if pointed is None else (pointed[0], [node], [pointed[1]])
        if array is None or not forms:
            return None
        return array, indices, (added(forms[0], array.start), *forms[1:])

    def _array(self, node: Node, depth: int = 0) -> Array | None:
        """Return the shared array, or the pointer to shared memory, that an expression means."""
        if node.type == "field_expression":
            return self._member(node)
        variable = self._function.variable(text_of(node), node.start_byte) if node.type == "identifier" else None
        if variable is None or depth > _DEEPEST:
            return None
        if variable.shared or (variable.name in self._given and variable.parameter):
            return Array(variable)
        value = variable.values[0] if variable.pointer and len(variable.values) == 1 else None
        if value is not None and _MAKES_SHARED.match(text_of(value)):
            return Array(variable)
        found = self.pointed(value, depth + 1)
        start = added(found[0].start, found[1]) if found is not None else _NOWHERE
        if variable.volatile and variable.pointer:
            return self._pointer(variable, start)
        if found is None or not (found[1].terms or found[0].member):
            return found[0] if found is not None else None
        return self._pointer(variable, start)

    def _pointer(self, variable: Variable, start: Form) -> Array | None:
        """Return the array at a pointer; where all threads have the same one, where it starts does not matter."""
        if self._indices.own(start) is None:
            by_thread = any("threadIdx" in term for term, _ in start.terms) and not self._by_warp(start)
            return None if by_thread and not variable.volatile else Array(variable)
        return Array(variable, start=start, plain=False)

    def _by_warp(self, start: Form) -> bool:
        return all("/" in term or ">>" in term for term, _ in start.terms if "threadIdx" in term)

    def _member(self, node: Node) -> Array | None:
        """Return an array that is a member of a shared struct."""
        base, name = node.child_by_field_name("argument"), text_of(node.child_by_field_name("field"))
        variable = self._function.variable(text_of(base), node.start_byte) if base is not None else None
        if variable is None or not name.isidentifier():
            return None
        of_struct = variable.shared or (variable.pointer and (variable.volatile or variable.name in self._given))
        return Array(variable, name, plain=False) if of_struct and name in _array_names(self._unit) else None

    def pointed(self, node: Node | None, depth: int = 0) -> tuple[Array, Form] | None:
        """Return the array and the index at which a pointer expression points."""
        if node is None or depth > _DEEPEST:
            return None
        if node.type in ("parenthesized_expression", "cast_expression"):
            return self.pointed(node.child_by_field_name("value") or first_child(node), depth + 1)
        if node.type == "call_expression" and called(node) in _CASTS:
            return self.pointed(first_child(node.child_by_field_name("arguments")), depth + 1)
        if node.type == "pointer_expression" and text_of(node).startswith("&"):
            return self._address(first_child(node), depth)
        operator = node.child_by_field_name("operator") if node.type == "binary_expression" else None
        if operator is not None and operator.type == "+":
            left, right = node.named_children[0], node.named_children[-1]
            found = self.pointed(left, depth + 1)
            return (replace(found[0], plain=False), added(found[1], self._indices.form(right))) if found else None
        array = self._array(node, depth)
        return (array, _NOWHERE) if array is not None else None

    def _address(self, node: Node | None, depth: int) -> tuple[Array, Form] | None:
        array, indices = subscripts(node) if node is not None and node.type == "subscript_expression" else (None, [])
        found = self._array(array, depth + 1) if array is not None and len(indices) == 1 else None
        return (replace(found, plain=False), self._indices.form(indices[0])) if found is not None else None


def _array_names(unit: Unit) -> frozenset[str]:
    """Return the names of all arrays that a file declares, members among them."""
    if "array names" not in unit.notes:
        unit.notes["array names"] = frozenset(_ARRAY.findall(unit.code))
    found: frozenset[str] = unit.notes["array names"]
    return found


def added(one: Form, other: Form) -> Form:
    """Return the sum of two indices."""
    if not other.terms:
        return one
    terms = Counter(dict(one.terms))
    for term, factor in other.terms:
        terms[term] += factor
    return Form.of(terms)


def base(node: Node | None) -> Node | None:
    """Return the name in a pointer expression: `a` of `(int*)&a[i]`, `a + i`."""
    for _ in range(_DEEPEST):
        if node is None or node.type == "identifier":
            return node
        if node.type == "call_expression" and called(node) in _CASTS:
            node = first_child(node.child_by_field_name("arguments"))
        elif node.type == "pointer_expression" and text_of(node).startswith("&"):
            inner = first_child(node)
            node = subscripts(inner)[0] if inner is not None and inner.type == "subscript_expression" else None
        elif node.type in ("cast_expression", "parenthesized_expression"):
            node = node.child_by_field_name("value") or first_child(node)
        elif node.type == "binary_expression" and text_of(node.child_by_field_name("operator")) == "+":
            node = node.named_children[0]
        else:
            return None
    return None


class Given(Struct, frozen=True):
    """Return the arguments that calls in the file pass for each parameter of its functions.

    `shared`: shared memory; `own`: what depends on the thread index; `called`: the functions that are called at all.
    """

    shared: Mapping[str, frozenset[int]]
    own: Mapping[str, frozenset[int]]
    called: frozenset[str]

    def names(self, function: Function, places: Mapping[str, frozenset[int]]) -> frozenset[str]:
        """Return the names of the parameters at the given places."""
        return frozenset(parameters(function)[at].name for at in places.get(function.name, ()) if _has(function, at))


def parameters(function: Function) -> list[Variable]:
    """Return the parameters of a function in order."""
    return function.given


def _has(function: Function, at: int) -> bool:
    return at < len(parameters(function))


def given(flow: Flow, functions: Sequence[Function]) -> Given:
    """Find what calls give to parameters, through several functions."""
    shared: dict[str, frozenset[int]] = {}
    own: dict[str, frozenset[int]] = {}
    named = {function.name for function in functions} - {""}
    calls = [(each, name, call) for each in functions for name, call in each.named_calls if name in named]
    arguments = [(function, name, [*enumerate(_arguments(call))]) for function, name, call in calls]
    leaves: dict[int, frozenset[str]] = {}
    for _ in range(_DEEPEST):
        known = Given(shared, own, frozenset())
        before = (dict(shared), dict(own))
        for function, callee, listed in arguments:
            for at, argument in listed:
                if at not in shared.get(callee, ()) and _is_shared(flow, function, argument, known):
                    shared[callee] = shared.get(callee, frozenset()) | {at}
                if argument.id not in leaves:
                    leaves[argument.id] = _leaves(flow, function, argument)
                if at not in own.get(callee, ()) and _is_own(function, leaves[argument.id], known):
                    own[callee] = own.get(callee, frozenset()) | {at}
        if (shared, own) == before:
            break
    return Given(shared, own, frozenset(name for _, name, _ in calls))


def _arguments(call: Node) -> Iterator[Node]:
    arguments = call.child_by_field_name("arguments")
    return iter(arguments.named_children if arguments is not None else ())


def _is_shared(flow: Flow, function: Function, argument: Node, known: Given) -> bool:
    """Return whether an argument points to shared memory that all threads see alike."""
    name = base(argument)
    variable = function.variable(text_of(name), argument.start_byte) if name is not None else None
    if variable is None or name is None or (name is not argument and Indices(flow, function).derived(argument)):
        return False
    if variable.shared or (variable.pointer and variable.name in known.names(function, known.shared)):
        return True
    value = variable.values[0] if variable.pointer and len(variable.values) == 1 else None
    return value is not None and value.start_byte < name.start_byte and _is_shared(flow, function, value, known)


def _leaves(flow: Flow, function: Function, argument: Node) -> frozenset[str]:
    """Return the texts of the expressions that an argument is made of, without blanks."""
    return frozenset(re.sub(r"\s", "", text_of(leaf)) for leaf in flow.leaves(argument, function))


def _is_own(function: Function, leaves: frozenset[str], known: Given) -> bool:
    """Return whether an argument depends on the thread index."""
    own = known.names(function, known.own)
    return not own.isdisjoint(leaves) or any(_BY_THREAD.search(text) is not None for text in leaves)
