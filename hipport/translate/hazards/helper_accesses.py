"""Summarize the array accesses of helper functions in terms of their parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from hipport import lazy_re as re
from hipport.translate.dataflow.flow import Flow
from hipport.translate.dataflow.function import Function, text_of
from hipport.translate.dataflow.index_forms import Form, Indices, subscripts
from hipport.translate.hazards.shared_arrays import parameters
from hipport.translate.syntax.unit import Node

_MOST = 16
_OF_THREADS = re.compile(r"threadIdx\.[xyz]|[\w()%&-]*threadIdx[\w.()%&-]*")


class Touch(Struct, frozen=True):
    """An access to the array that is the parameter at a place, at an index of parameters and constants."""

    place: int
    written: bool
    index: Form

    def at(self, names: Sequence[str], given: Sequence[Form]) -> Form | None:
        """Return the index in terms of a call's arguments; None if an argument is missing."""
        terms: Counter[str] = Counter()
        for term, factor in self.index.terms:
            if term not in names:
                terms[term] += factor
            elif names.index(term) >= len(given):
                return None
            else:
                for other, times in given[names.index(term)].terms:
                    terms[other] += factor * times
        return Form.of(terms)


class Helper(Struct, frozen=True):
    """The names of a function's parameters, and its accesses to arrays among them, reads first."""

    names: tuple[str, ...]
    touches: tuple[Touch, ...]


def helpers(flow: Flow, functions: Sequence[Function], waiting: Collection[str]) -> Mapping[str, Helper]:
    """Return the functions of a file without barriers that access arrays that they get."""
    found: dict[str, Helper] = {}
    for function in functions:
        if function.name and function.name not in waiting and len(flow.named(function.name)) == 1:
            touches = tuple(sorted(set(_touches(flow, function)), key=lambda one: one.written))
            if any(one.written for one in touches) and len(touches) <= _MOST:
                found[function.name] = Helper(tuple(one.name for one in parameters(function)), touches)
    return found


def _touches(flow: Flow, function: Function) -> Iterator[Touch]:
    names = [one.name for one in parameters(function)]
    pointers = {one.name for one in parameters(function) if one.pointer}
    indices = Indices(flow, function)
    targets = _targets(function.of_type("assignment_expression")) if pointers else {}
    for node in function.of_type("subscript_expression") if pointers else ():
        array, places = subscripts(node)
        if array is None or text_of(array) not in pointers or len(places) != 1:
            continue
        index = indices.form(places[0])
        if all(not term or term in names or _OF_THREADS.fullmatch(term) for term, _ in index.terms):
            place = names.index(text_of(array))
            written = targets.get(node.start_byte, "")
            if written:
                yield Touch(place, True, index)
            if written != "=":
                yield Touch(place, False, index)


def _targets(assignments: Iterable[Node]) -> Mapping[int, str]:
    """Return where elements are that assignments change, with the operator."""
    found: dict[int, str] = {}
    for node in assignments:
        left, operator = node.child_by_field_name("left"), node.child_by_field_name("operator")
        while left is not None and left.type == "field_expression":
            left = left.child_by_field_name("argument")
        if left is not None and operator is not None:
            found[left.start_byte] = text_of(operator)
    return found
