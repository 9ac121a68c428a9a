"""HP244: atomic exchanges of 16 bytes, structs among them, which AMD GPUs have no instruction for."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Kind
from hipport.translate.dataflow.function import Function, text_of
from hipport.translate.hazards import wavefront
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = frozenset(f"{name}{scope}" for name in ("atomicExch", "atomicCAS") for scope in ("", "_block", "_system"))
_WIDE = re.compile(r"unsigned\s+__int128|__u?int128_t|u?long2|longlong2|double2|int4")
"""Types of 16 bytes besides classes; the tables refuse calls with the others."""
_PLAIN = frozenset({"int", "unsigned", "float", "double", "long", "short", "uint32_t", "uint64_t", "auto"})
_ADVICE = "Exchange 8 bytes, such as an index into a table of such values, or guard them with a lock."


def run(work: Work) -> Iterator[Diagnostic]:
    """Report each call for a type of 16 bytes; a project's own function of that name is for its types."""
    if is_hip(work):
        return
    names = frozenset(name for name in WORDS - work.told(Kind.NAME) if not work.flow.named(name))
    for function in wavefront.device_functions(work, names):
        for call in work.warps.calls(function, names):
            kind = _type(work, function, call)
            if kind and platform_at(work.unit, call.start_byte) is not Platform.NVIDIA:
                message = f"AMD GPUs exchange at most 8 bytes atomically: HIP has no such function for {kind}"
                yield work.report(wavefront.span(call), "HP244", Severity.ERROR, message, _ADVICE)


def _type(work: Work, function: Function, call: Node) -> str:
    """Return the type of 16 bytes that an atomic works on; empty for others."""
    node = wavefront.addressed(call)
    if node is not None and node.type == "field_expression":
        node = node.child_by_field_name("field")
    if node is None:
        return ""
    variable = function.variable(text_of(node), node.start_byte) if node.type == "identifier" else None
    kind = _meant(work, variable.type if variable is not None else _declared(work, node), call.start_byte)
    return kind if _WIDE.fullmatch(kind) or _is_class(work, kind) else ""


def _meant(work: Work, kind: str, offset: int) -> str:
    """Return the type that a name stands for at an offset, by the last `typedef` or `using` in front of it."""
    seen = set[str]()
    while kind.isidentifier() and kind not in _PLAIN | seen:
        seen.add(kind)
        alias = rf"\btypedef\s+([\w\s]+?)\s+{kind}\s*;|\busing\s+{kind}\s*=\s*([\w\s]+?)\s*;"
        found = re.build(alias).findall(work.unit.code, 0, offset)
        kind = "".join(found[-1]) if found else kind
    return kind


def _declared(work: Work, node: Node) -> str:
    """Return the type of a member, or of a variable outside of functions: what pointers and arrays hold."""
    if node.type == "field_identifier":
        kinds = {*work.flow.types.members.get(text_of(node), ())}
        return kinds.pop() if len(kinds) == 1 else ""
    kind = work.aggregates.of(node)
    while kind.element is not None:
        kind = kind.element
    return kind.name


def _is_class(work: Work, kind: str) -> bool:
    head = rf"\b(?:struct|class|union)\b[^;{{}}()]*(?:\([^()]*\)\s*)?\b{kind}\s*(?:final\s*)?[:{{]"
    return kind.isidentifier() and re.search(head, work.unit.code) is not None
