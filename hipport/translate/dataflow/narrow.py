"""Places other than local variables where a ballot of 64 lanes is kept in 32 bits."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from hipport.translate.dataflow.across import callees, return_type, returns
from hipport.translate.dataflow.cross_lane import CROSS_LANE
from hipport.translate.dataflow.flow import Flow, cast_type
from hipport.translate.dataflow.function import Function, called, first_child, parameter_nodes, text_of, walk, walk_own
from hipport.translate.dataflow.origins import wide_ballots
from hipport.translate.syntax.unit import Node

_ATOMICS = frozenset(f"atomic{name}" for name in ("Or", "And", "Xor", "Exch", "Add", "Max", "Min"))
_LISTS = frozenset({"initializer_list", "argument_list"})


class Place(enum.Enum):
    """The storage that keeps a value in 32 bits."""

    MEMBER = "member"
    ELEMENT = "element"
    CAST = "cast"
    RESULT = "result"
    PARAMETER = "parameter"


class Kept(Struct, frozen=True):
    """A value that is kept in 32 bits: `name` is that of a member, array, function or parameter.

    `owner` is the function whose parameter or result it is. `braced`: in braces, where C++ forbids to narrow it.
    """

    place: Place
    value: Node
    inside: Function
    name: str
    owner: str = ""
    braced: bool = False
    ballots: tuple[Node, ...] = ()


def kept_ballots(flow: Flow, function: Function) -> Sequence[Kept]:
    """Return where a function keeps values made of ballots in 32 bits, except in variables."""
    known = flow.notes["kept ballots"]
    if function.span.start not in known:
        known[function.span.start] = tuple(_kept_ballots(flow, function))
    found: Sequence[Kept] = known[function.span.start]
    return found


def _kept_ballots(flow: Flow, function: Function) -> Iterator[Kept]:
    nodes = [*walk_own(function.node)]
    sinks = [*_sinks(flow, function, nodes)]
    narrowed = {id for sink in sinks for id in _casts_around(sink.value)} | _casts_for_variables(flow, function)
    for node in nodes:
        if (kind := cast_type(node)) and flow.types.is_narrow(kind) and node.id not in narrowed:
            sinks.append(Kept(Place.CAST, node, function, kind))
    for sink in sinks:
        found = tuple(wide_ballots(flow, _without_casts(sink.value), function))
        if found:
            yield replace(sink, ballots=found)


def _sinks(flow: Flow, function: Function, nodes: Iterable[Node]) -> Iterator[Kept]:
    """Yield the values that narrow members, elements, results and parameters get."""
    yield from _results(flow, function, function.node, function.name)
    for node in nodes:
        if node.type == "assignment_expression":
            yield from _assigned(flow, function, node)
        elif node.type == "init_declarator":
            yield from _initialized(flow, function, node)
        elif node.type in ("compound_literal_expression", "field_initializer"):
            yield from _constructed(flow, function, node)
        elif node.type == "call_expression":
            yield from _called_with(flow, function, node)
        elif node.type == "lambda_expression":
            yield from _results(flow, function, node, "")


def _results(flow: Flow, function: Function, definition: Node, name: str) -> Iterator[Kept]:
    text = return_type(definition)
    for value in returns(definition):
        if value.type == "initializer_list":
            yield from _listed(flow, function, value, text, braced=True)
        elif flow.types.is_narrow(text) and "*" not in text:
            yield Kept(Place.RESULT, value, function, name or "a lambda", name)


def _assigned(flow: Flow, function: Function, node: Node) -> Iterator[Kept]:
    target, value = node.child_by_field_name("left"), node.child_by_field_name("right")
    if target is None or value is None:
        return
    kept = _narrow_target(flow, function, target)
    if kept is not None:
        yield Kept(kept[0], value, function, kept[1])


def _narrow_target(flow: Flow, function: Function, target: Node) -> tuple[Place, str] | None:
    """Return what a narrow target of an assignment is; None for a variable, or if it is wide or unknown."""
    while target.type == "parenthesized_expression" and target.named_child_count:
        target = target.named_children[0]
    if target.type == "field_expression":
        field, outer = text_of(target.child_by_field_name("field")), target.child_by_field_name("argument")
        variable = function.variable(text_of(outer), target.start_byte) if outer is not None else None
        vector = variable is not None and flow.types.is_vector(variable.type)
        return (Place.MEMBER, field) if vector or flow.types.is_narrow_member(field) else None
    if target.type in ("subscript_expression", "pointer_expression"):
        inner = target.child_by_field_name("argument")
        while inner is not None and inner.type in ("subscript_expression", "parenthesized_expression"):
            inner = inner.child_by_field_name("argument") or first_child(inner)
        if inner is None or inner.type not in ("identifier", "field_expression"):
            return None
        variable = function.variable(text_of(inner), target.start_byte)
        if variable is None:
            field = text_of(inner.child_by_field_name("field") or inner)
            return (Place.MEMBER, field) if flow.types.is_narrow_member(field) else None
        return (Place.ELEMENT, variable.name) if flow.types.is_narrow(variable.type) else None
    if target.type == "identifier" and function.variable(text_of(target), target.start_byte) is None:
        name = text_of(target)
        return (Place.MEMBER, name) if flow.types.is_narrow_member(name) else None
    return None


def _initialized(flow: Flow, function: Function, node: Node) -> Iterator[Kept]:
    value, declaration = node.child_by_field_name("value"), flow.unit.parent(node)
    kind = text_of(declaration.child_by_field_name("type")) if declaration is not None else ""
    declarator = node.child_by_field_name("declarator")
    if value is None or declarator is None or value.type not in _LISTS:
        return
    if declarator.type == "array_declarator":
        if flow.types.is_narrow(kind):
            name = next((text_of(each) for each in walk(declarator) if each.type == "identifier"), "")
            elements = (each for each in walk(value) if each.type != "initializer_list")
            parents = {
                child.id for each in walk(value) if each.type == "initializer_list" for child in each.named_children
            }
            yield from (
                Kept(Place.ELEMENT, each, function, name, braced=True) for each in elements if each.id in parents
            )
    elif flow.types.is_narrow(kind):
        if value.type == "initializer_list":  # reported for the variable, but it has to compile
            yield from (Kept(Place.CAST, each, function, "", braced=True) for each in value.named_children[:1])
    else:
        yield from _listed(flow, function, value, kind, braced=value.type == "initializer_list")


def _listed(flow: Flow, function: Function, values: Node, kind: str, *, braced: bool) -> Iterator[Kept]:
    """Yield what the members of a class get from a list of values."""
    members = flow.types.classes.get(kind, ())
    if flow.types.is_vector(kind):
        members = tuple((name, "int") for name in "xyzw")
    for at, value in enumerate(values.named_children):
        if value.type == "initializer_pair":
            name, inner = text_of(value.named_children[0]).lstrip("."), value.child_by_field_name("value")
            found = next((member for member in members if member[0] == name), None)
        else:
            found, inner = members[at] if at < len(members) else None, value
        if found is not None and inner is not None and flow.types.is_narrow(found[1]):
            yield Kept(Place.MEMBER, inner, function, found[0], braced=braced)


def _constructed(flow: Flow, function: Function, node: Node) -> Iterator[Kept]:
    if node.type == "compound_literal_expression":
        values = node.child_by_field_name("value") or node.named_children[-1]
        yield from _listed(flow, function, values, text_of(node.child_by_field_name("type")), braced=True)
        return
    name, values = text_of(first_child(node)), node.named_children[-1]
    if values.type in _LISTS and flow.types.is_narrow_member(name):
        braced = values.type == "initializer_list"
        yield from (Kept(Place.MEMBER, each, function, name, braced=braced) for each in values.named_children)


def _called_with(flow: Flow, function: Function, call: Node) -> Iterator[Kept]:
    given, name = call.child_by_field_name("arguments"), called(call)
    values = given.named_children if given is not None else []
    if name.startswith("make_") and flow.types.is_vector(name.removeprefix("make_")):
        yield from (Kept(Place.MEMBER, value, function, member) for member, value in zip("xyzw", values, strict=False))
    elif name in _ATOMICS and len(values) > 1:
        target = values[0].child_by_field_name("argument") if values[0].type == "pointer_expression" else None
        variable = function.variable(text_of(target or values[0]), call.start_byte)
        if variable is not None and flow.types.is_narrow(variable.type):
            yield Kept(Place.ELEMENT, values[1], function, variable.name)
        elif target is not None and (kept := _narrow_target(flow, function, target)) is not None:
            yield Kept(kept[0], values[1], function, kept[1])
    elif name not in CROSS_LANE:
        yield from _parameters(flow, function, call, values)


def _parameters(flow: Flow, function: Function, call: Node, values: list[Node]) -> Iterator[Kept]:
    for (told, width), value in zip(flow.told.takes.get(called(call), ()), values, strict=False):
        if width != "-":
            yield Kept(Place.PARAMETER, value, function, told, called(call))
    for definition, owner in callees(flow, call, function):
        for declaration, value in zip(parameter_nodes(definition), values, strict=False):
            kind = declaration.child_by_field_name("type")
            declarator = declaration.child_by_field_name("declarator")
            if kind is None or declarator is None or not flow.types.is_narrow(text_of(kind)):
                continue
            if "pointer" not in declarator.type and "array" not in declarator.type:
                name = next((text_of(each) for each in walk(declarator) if each.type == "identifier"), "")
                yield Kept(Place.PARAMETER, value, function, name, owner.name)


def _without_casts(value: Node) -> Node:
    """Return what is inside of the casts and parentheses around a value."""
    while True:
        inner = None
        if cast_type(value):
            given = value.child_by_field_name("arguments")
            inner = value.child_by_field_name("value") or first_child(given)
        elif value.type == "parenthesized_expression":
            inner = first_child(value)
        if inner is None:
            return value
        value = inner


def _casts_around(value: Node) -> Iterator[int]:
    inside = _without_casts(value)
    for node in walk(value):
        if node == inside:
            return
        yield node.id


def _casts_for_variables(flow: Flow, function: Function) -> set[int]:
    """Return the casts of values of narrow variables, which are reported for the variable."""
    return {
        id
        for variable in function.variables.all()
        if not variable.pointer and flow.types.is_narrow(variable.type)
        for value in variable.values
        for id in _casts_around(value)
    }
