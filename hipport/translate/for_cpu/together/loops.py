"""Loops of a kernel that its threads execute side by side."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from hipport.translate.for_cpu.together.calls import Calls
from hipport.translate.for_cpu.together.changes import changed_by
from hipport.translate.for_cpu.together.strides import Strides, strided
from hipport.translate.for_cpu.together.syntax import Refused, declaration_of, descend
from hipport.translate.for_cpu.together.uniform import Values, check_header
from hipport.translate.syntax.unit import Node


class Loops(Struct, frozen=True):
    """The starts of loops that the threads execute side by side: all at once, or each thread with its own start."""

    split: frozenset[int] = frozenset()
    strided: frozenset[int] = frozenset()

    def __or__(self, other: Loops) -> Loops:
        return Loops(self.split | other.split, self.strided | other.strided)


def suitable(loops: Sequence[Node], known: Values, strides: Strides, calls: Calls) -> Loops:
    """Return those of the threads' loops that suit threads side by side."""
    split = frozenset(loop.start_byte for loop in loops if _is_uniform(loop, known, strides, calls))
    steady = frozenset(loop.start_byte for loop in loops if _is_steady(loop, known, strides, calls))
    return Loops(split, steady - split)


def _is_uniform(loop: Node, known: Values, strides: Strides, calls: Calls) -> bool:
    """Return whether the header of a loop is the same for all threads, and the body suits them side by side."""
    start, body = loop.child_by_field_name("initializer"), loop.child_by_field_name("body")
    if start is None or start.type != "declaration" or body is None or strides.has_constant_bound(loop):
        return False
    try:
        made = declaration_of(start)
    except Refused:
        return False
    own = made.names
    if own & known.declared or any(_changes_in(body, name, calls) for name in own):
        return False
    values = Values(known.uniform | own, set(), known.declared | own, known.varying)
    try:
        for local in made.locals:
            check_header(local.value, values) if local.value is not None else None
        for part in ("condition", "update"):
            header = loop.child_by_field_name(part)
            if header is None:
                return False
            check_header(header, values)
    except Refused:
        return False
    return strides.suits(loop, dict.fromkeys(own, 0))


def _is_steady(loop: Node, known: Values, strides: Strides, calls: Calls) -> bool:
    """Return whether neighbors start at neighboring numbers in a loop, and go on in equal steps up to a bound."""
    found = strided(loop)
    if found is None or found.name in known.declared or not known.is_pure(found.start):
        return False
    if strides.of(found.start, {}) != 1 or _changes_in(found.body, found.name, calls):
        return False
    for part in (found.bound, found.step):
        if part is not None and not (known.is_pure(part) and known.is_uniform(part)):
            return False
    return strides.suits(loop, {found.name: 1})


def _changes_in(body: Node, name: str, calls: Calls) -> bool:
    """Return whether a variable may change in a part of the kernel."""
    return any(one.name == name for node in (body, *descend(body)) for one in changed_by(node, calls))
