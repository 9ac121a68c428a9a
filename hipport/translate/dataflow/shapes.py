"""Facts about a file's types and functions with which files that include it follow ballots.

A SHAPE is `alias:unsigned`, `class:mask unsigned,lane int`, or `takes:mask unsigned,lane -` for parameters that keep 32
bits of a mask; BALLOT is said of a function that returns the ballot of a wavefront in 64 bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport import lazy_re as re
from hipport.files.facts import Fact, Kind, question
from hipport.translate.dataflow.across import return_type, returns
from hipport.translate.dataflow.cross_lane import BALLOTS
from hipport.translate.dataflow.flow import Flow
from hipport.translate.dataflow.function import Function, parameter_nodes, text_of, walk
from hipport.translate.dataflow.lanes import Lanes, Warps
from hipport.translate.dataflow.origins import wide_ballots
from hipport.translate.syntax.brackets import matching_close
from hipport.translate.syntax.unit import Node, Unit

BIT_FUNCTIONS = frozenset({"__popc", "__ffs", "__clz", "__brev"})
_UNSIGNED = r"(?:const\s+)?(?:unsigned(?:\s+int)?|uint32_t|std::uint32_t|uint|u32)"
_ALIAS = re.compile(
    rf"typedef(?<!\wtypedef)\s+({_UNSIGNED})\s+(\w+)\s*;|using(?<!\wusing)\s+(\w+)\s*=\s*({_UNSIGNED})\s*;"
)
_CLASS = re.compile(r"(?:struct|class)(?<!\wstruct)(?<!\wclass)\s+(\w+)[^;{()]*\{")
_MEMBER = re.compile(r"\s*((?:\w+(?:::\w+)*\s+)+?)(\w+)(?:\s*\[[^\]]*\])*\s*(?:=[^,]*|\{\})?\Z")
_MEMBER_IS_NARROW = re.compile(rf"{_UNSIGNED}\s*\Z")
_INNER = re.compile(r"\{[^{}]*\}")


def shapes(warps: Warps) -> Iterator[str]:
    """Yield what a file tells about its types and functions."""
    unit = warps.flow.unit
    if "unsigned" in unit.code or "uint" in unit.code or "u32" in unit.words:
        yield from _types(unit)
    if unit.shadow.device_words and not unit.words.isdisjoint(BIT_FUNCTIONS | BALLOTS):
        for function in warps.flow.device_functions:
            yield from _signature(warps, function)


def asked_shapes(unit: Unit, called_names: Iterable[str]) -> Iterator[str]:
    """Yield what a file wants to know: who returns ballots, and all about names if it has ballots itself."""
    yield from (question(Kind.BALLOT, name) for name in called_names)
    if not unit.words.isdisjoint(BALLOTS):
        yield from (question(Kind.SHAPE, name) for name in unit.words)


def _types(unit: Unit) -> Iterator[str]:
    for match in _ALIAS.finditer(unit.code):
        yield _shape(match[2] or match[3], f"alias:{match[1] or match[4]}")
    for name, bodies in unit.macros.items():
        body = unit.code[bodies[0].start : bodies[0].end].strip()
        if _MEMBER_IS_NARROW.match(body):
            yield _shape(name, f"alias:{body}")
    for match in _CLASS.finditer(unit.code):
        close = matching_close(unit.code, match.end() - 1)
        members = _members(unit.code[match.end() : close]) if close is not None else []
        if any(_MEMBER_IS_NARROW.match(kind) for _, kind in members):
            yield _shape(match[1], f"class:{_listed(members)}")


def _shape(name: str, text: str) -> str:
    return str(Fact(Kind.SHAPE, name, text))


def _listed(pairs: Iterable[tuple[str, str]]) -> str:
    return ",".join(f"{name} {kind}" for name, kind in pairs)


def _members(body: str) -> list[tuple[str, str]]:
    while (flat := _INNER.sub(";", body)) != body:
        body = flat
    found = []
    for statement in body.split(";"):
        plain = (
            statement.rpartition(":")[2] if re.match(r"\s*(?:public|private|protected)\s*:", statement) else statement
        )
        match = _MEMBER.match(plain) if "(" not in plain and "," not in plain else None
        if match is not None and match[1].split()[0] not in ("using", "typedef", "static", "return"):
            found.append((match[2], " ".join(match[1].split())))
    return found


def _signature(warps: Warps, function: Function) -> Iterator[str]:
    flow = warps.flow
    parameters = [_parameter(flow, function, node) for node in parameter_nodes(function.node)]
    if function.name and any(kind != "-" for _, kind in parameters):
        yield _shape(function.name, f"takes:{_listed(parameters)}")
    kind = return_type(function.node) if function.name else "void"
    if kind != "void" and not flow.types.is_narrow(kind):
        found = (call for value in returns(function.node) for call in wide_ballots(flow, value, function))
        if any(warps.at(call, call.start_byte) is Lanes.WAVEFRONT for call in found):
            yield str(Fact(Kind.BALLOT, function.name))


def _parameter(flow: Flow, function: Function, node: Node) -> tuple[str, str]:
    """Return a parameter's name, and its type if it keeps 32 bits of a mask, else "-"."""
    declarator, kind = node.child_by_field_name("declarator"), text_of(node.child_by_field_name("type"))
    if declarator is None or "pointer" in declarator.type or "array" in declarator.type:
        return "_", "-"
    name = next((text_of(each) for each in walk(declarator) if each.type == "identifier"), "_")
    bits = (call for each, call in function.named_calls if each in BIT_FUNCTIONS)
    counted = any(re.search(rf"\b{name}\b", text_of(call.child_by_field_name("arguments"))) for call in bits)
    return (name, "unsigned") if counted and (flow.types.is_narrow(kind) or _is_template(flow, kind)) else (name, "-")


def _is_template(flow: Flow, kind: str) -> bool:
    return not flow.types.is_narrow(kind) and not flow.types.is_wide(kind)
