"""HP227: blocks of 32 threads for kernels whose warps have `warpSize` lanes."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic
from hipport.files.facts import Fact, Kind
from hipport.source import Span
from hipport.translate.dataflow.constants import evaluate
from hipport.translate.dataflow.function import Function, text_of
from hipport.translate.dataflow.lanes import Lanes
from hipport.translate.hazards import wavefront
from hipport.translate.syntax.brackets import split_arguments
from hipport.translate.syntax.calls import Launch, kernel_name, launches
from hipport.translate.work import Work

WORDS = frozenset({"warpSize"})
_DIM3 = re.compile(r"dim3\s*[({]")
_STEP = re.compile(r"\+=\s*(?:\w+\s*\*\s*)*\Z")
_ADVICE = "Launch it with the device's warpSize, or use 32 in the kernel."


def run(work: Work) -> Iterator[Diagnostic]:
    """Report launches of half a wavefront where the kernel assumes whole ones."""
    if wavefront.only_32(work) or not work.unit.launches:
        return
    counting = _counting(work)
    for launch in launches(work.unit) if counting else ():
        if not isinstance(launch, Launch) or len(launch.configuration) < 2:
            continue
        name, block = kernel_name(work.unit, launch), launch.configuration[1]
        if name in counting and _width(work, block) == 32:
            message = f"a block of 32 threads is half a wavefront of 64, but '{name}' assumes warpSize lanes"
            yield work.report(block, "HP227", wavefront.severity(work), message, _ADVICE)


def facts(work: Work) -> Iterator[str]:
    """Yield the functions of the file that process a wavefront by `warpSize`."""
    yield from (str(Fact(Kind.COUNTS, name)) for name in _counting(work))


def _counting(work: Work) -> frozenset[str]:
    """Return the functions that process a wavefront by `warpSize`, themselves or through others that are known."""
    found = {
        function.name
        for function in wavefront.device_functions(work, work.warps.wave_names)
        if _exchanges(work, function) or _steps(work, function)
    } - {""}
    found |= {fact.subject for fact in work.facts(Kind.COUNTS)}
    calls = work.facts(Kind.CALL)
    grown = True
    while grown:
        callers = {f.name for f in wavefront.device_functions(work, frozenset(found)) if _calls(work, f, found)}
        callers |= {fact.subject for fact in calls if fact.value in found}
        grown = not callers <= found
        found |= callers
    return frozenset(found)


def _exchanges(work: Work, function: Function) -> bool:
    return work.warps.uses_wave_size(function) and any(
        work.warps.at(call, call.start_byte) is Lanes.WAVEFRONT for call in work.warps.exchanges(function)
    )


def _steps(work: Work, function: Function) -> bool:
    """Return whether a loop advances by `warpSize`: without the other lanes, their part of the work is not done."""
    places = work.warps.wave_size_places(function)
    return any(_STEP.search(work.unit.code, max(0, place.start - 40), place.start) for place in places)


def _calls(work: Work, function: Function, names: set[str]) -> bool:
    return any(True for _ in work.warps.calls(function, frozenset(names)))


def _width(work: Work, block: Span) -> int | None:
    """Return a block's number of threads in x, if it is a constant or a variable with one value."""
    code = work.unit.code
    opening = _DIM3.match(code, block.start, block.end)
    if opening is not None:
        block = next(iter(split_arguments(code, opening.end(), block.end - 1)), block)
    function = work.flow.function_at(block.start)

    def lookup(name: str) -> int | None:
        variable = function.variable(name, block.start) if function is not None else None
        if variable is None:
            return work.flow.constants.value(name)
        values = {evaluate(text_of(value), work.flow.constants.value) for value in variable.values}
        return values.pop() if len(values) == 1 and not variable.parameter else None

    return evaluate(code[block.start : block.end], lookup)
