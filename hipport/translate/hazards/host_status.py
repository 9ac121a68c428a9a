"""HP234: host functions whose status differs from CUDA's before a release of HIP."""

from __future__ import annotations

import bisect
from collections.abc import Iterator

from msgspec import Struct

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.mappings.entry import Kind
from hipport.mappings.life import release
from hipport.source import Span
from hipport.translate.dataflow.function import Function, called, walk
from hipport.translate.hazards import wavefront
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work


class Behavior(Struct, frozen=True):
    """A difference that ends with a ROCm release.

    `names`: the functions; `beside`: a function counts only if one of these is in the same function of the program;
    `of_launch`: only if it is the first query of the status after a launch, and other calls come between.
    """

    names: frozenset[str]
    until: str
    message: str
    advice: str
    beside: frozenset[str] = frozenset()
    of_launch: bool = False


BEHAVIORS = (
    Behavior(
        frozenset({"cudaGetLastError", "cudaPeekAtLastError"}),
        "7.0",  # HIP API 7.0 changes; until then every function of clr stores its result, success too
        "it returns the status of {call} in line {line}, not that of the launch in line {launch}",
        "Check cudaGetLastError() right after the launch, too.",
        of_launch=True,
    ),
    Behavior(
        frozenset({"cudaPointerGetAttributes"}),
        "6.0",  # hipPointerGetAttributes of clr 5.7.1 and 6.0.0
        "it fails with hipErrorInvalidValue for memory of the host that is not registered",
        "Treat that error like cudaMemoryTypeUnregistered, and clear it with cudaGetLastError().",
        beside=frozenset({"cudaMemoryTypeUnregistered"}),
    ),
    Behavior(
        frozenset({"cudaGetLastError", "cudaPeekAtLastError"}),
        "7.0",  # hipLaunchKernel of clr 6.4 and 7.0.0
        "a launch of an impossible grid or block gives hipErrorInvalidValue",
        "Compare with both errors.",
        beside=frozenset({"cudaErrorInvalidConfiguration"}),
    ),
)
WORDS = frozenset().union(*(behavior.names for behavior in BEHAVIORS))
_NO_STATUS = frozenset({"cudaGetErrorString", "cudaGetErrorName"})
_HARMLESS = re.compile(
    r"f?printf|puts|fflush|dim3|min|max|ceil\w*|static_cast|reinterpret_cast|\w*_cast|size|data|get\Z"
)


def run(work: Work) -> Iterator[Diagnostic]:
    """Report where a program relies on the status that CUDA returns."""
    if is_hip(work):
        return
    rocm = release(work.context.tables.releases.rocm)
    for behavior in BEHAVIORS:
        present = behavior.names & work.unit.words
        if rocm >= release(behavior.until) or not present:
            continue
        for function in work.flow.functions(present):
            if function.host:
                yield from (
                    _after_launches(work, function, behavior)
                    if behavior.of_launch
                    else _beside(work, function, behavior)
                )


def _beside(work: Work, function: Function, behavior: Behavior) -> Iterator[Diagnostic]:
    inside = range(function.span.start, function.span.end)
    found = [reference for reference in work.references.found if reference.span.start in inside]
    if any(reference.entry.name in behavior.beside for reference in found):
        for reference in found:
            if reference.entry.name in behavior.names:
                yield _report(work, reference.span, behavior, behavior.message)


def _after_launches(work: Work, function: Function, behavior: Behavior) -> Iterator[Diagnostic]:
    """Report the first query after a launch if another call of the runtime between them sets the status."""
    querying = _querying(work)
    launch: Span | None = None
    between: Node | None = None
    for at, call in _events(work, function):
        if call is None:
            launch, between = at, None
        elif launch is None:
            continue
        elif called(call) in behavior.names:
            if between is not None and _follow(work, launch, between, call):
                yield _lost(work, behavior, call, between, launch)
            launch = None
        elif _is_of_runtime(work, call):
            between = call
        elif not _HARMLESS.fullmatch(called(call)) and not _wraps(call, querying):
            launch = None  # it may query the status


def _events(work: Work, function: Function) -> Iterator[tuple[Span, Node | None]]:
    """Yield the launches, without a node, and the calls of a function in the order of the text."""
    launches = [
        Span(each.open.start, each.arguments.end)
        for each in work.unit.launches
        if function.span.start <= each.open.start < function.span.end
    ]
    found: list[tuple[Span, Node | None]] = [(launch, None) for launch in launches]
    for call in function.calls:
        span = wavefront.span(call)
        at = bisect.bisect_right(launches, span.start, key=lambda one: one.end)
        of_launch = at < len(launches) and launches[at].start < span.end
        found += [] if of_launch else [(span, call)]
    return iter(sorted(found, key=lambda each: each[0].start))


def _is_of_runtime(work: Work, call: Node) -> bool:
    """Return whether a call is one of the CUDA runtime that sets the status."""
    name = called(call)
    entry = work.context.tables.names.get(name)
    kind = entry.kind if entry is not None else None
    return name.startswith("cuda") and kind is Kind.FUNCTION and name not in _NO_STATUS


def _wraps(call: Node, querying: frozenset[str]) -> bool:
    """Return whether a call or macro only looks at the status of a call of the runtime in its arguments."""
    arguments = call.child_by_field_name("arguments")
    inner = (part for part in walk(arguments) if part.type == "call_expression") if arguments is not None else ()
    if not any(called(part).startswith("cuda") for part in inner):
        return False
    return called(call) not in querying


def _querying(work: Work) -> frozenset[str]:
    """Return the functions and macros of the file that query the status themselves."""
    code, names = work.unit.code, WORDS & work.unit.words
    macros = (line for line in work.unit.directives if line.body.end > line.body.start)
    found = {line.name for line in macros if "LastError" in code[line.body.start : line.body.end]}
    return frozenset(found | {function.name for function in work.flow.functions(names)})


def _follow(work: Work, launch: Span, between: Node, query: Node) -> bool:
    """Return whether all three are in one block, so that each is executed after the other; the launch may be deeper."""
    block, other = (_block(work, wavefront.span(node)) for node in (between, query))
    first = _block(work, launch)
    if block is None or first is None or block != other:
        return False
    return block.start_byte <= first.start_byte and first.end_byte <= block.end_byte


def _block(work: Work, span: Span) -> Node | None:
    return work.unit.enclosing(span, "compound_statement")


def _lost(work: Work, behavior: Behavior, query: Node, between: Node, launch: Span) -> Diagnostic:
    line, _ = work.unit.source.position(between.start_byte)
    of_launch, _ = work.unit.source.position(launch.start)
    message = behavior.message.format(call=called(between), line=line, launch=of_launch)
    return _report(work, wavefront.span(query), behavior, message)


def _report(work: Work, span: Span, behavior: Behavior, message: str) -> Diagnostic:
    name = work.unit.code[span.start : span.end].partition("(")[0].strip()
    message = f"before ROCm {behavior.until}, {name} differs: {message}"
    return work.report(span, "HP234", Severity.WARNING, message, behavior.advice)
