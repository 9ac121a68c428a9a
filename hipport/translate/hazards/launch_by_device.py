"""HP231: a launch sized by the device's warp size, of a kernel that counts 32 lanes."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Fact, Kind, question
from hipport.source import Span
from hipport.translate.dataflow.conventions import asks_size
from hipport.translate.dataflow.function import Function, text_of
from hipport.translate.dataflow.lanes import Lanes
from hipport.translate.dataflow.signs import Sense, Sign
from hipport.translate.hazards import wavefront
from hipport.translate.syntax.calls import Launch, kernel_name, launches
from hipport.translate.work import Work

WORDS = frozenset({"warpSize", "cudaDevAttrWarpSize", "hipDeviceAttributeWarpSize"})
_MEMBER = re.compile(r"(?:\.|->)\s*warpSize\b")
_ASKED = re.compile(r"&\s*([A-Za-z_]\w*)\s*,\s*(?:cudaDevAttrWarpSize|hipDeviceAttributeWarpSize)\b")
_NAME = re.compile(r"(?<![\w.>])[A-Za-z_]\w*")
_DEEPEST = 8  # variables made of other variables
_ADVICE = "Use 32 on the host, too, or warpSize in the kernel."


def run(work: Work) -> Iterator[Diagnostic]:
    """Report grids, blocks and shared memory that follow the device's warp size where the kernel does not."""
    if wavefront.only_32(work) or not work.unit.launches:
        return
    for launch in launches(work.unit):
        if not isinstance(launch, Launch) or len(launch.configuration) < 2:
            continue
        name = kernel_name(work.unit, launch)
        found = _sized_by_device(work, launch, name) if name else None
        sign = _counts_32(work, name) if found is not None else None
        if found is not None and sign is not None:
            what, place = found
            message = (
                f"{what} of this launch follows the device's warp size, but a warp has 32 lanes in "
                f"'{sign.function}' ({sign.file}:{sign.line})"
            )
            yield work.report(place, "HP231", Severity.ERROR, message, _ADVICE)


def asked(work: Work) -> Iterator[str]:
    """Yield the questions about the kernels that a file launches that asks for the device's warp size."""
    names = (kernel_name(work.unit, each) for each in launches(work.unit) if isinstance(each, Launch))
    yield from (question(Kind.FIXED, name) for name in names if name)


def _counts_32(work: Work, kernel: str) -> Sign | None:
    """Return where a kernel exchanges values of warps of 32 lanes, itself or in what it calls."""
    fixed = [sign for sign in work.conventions.summary(kernel) if sign.lanes is Lanes.LOGICAL_32]
    return next((sign for sign in fixed if sign.sense is Sense.EXCHANGES), None)


def _sized_by_device(work: Work, launch: Launch, kernel: str) -> tuple[str, Span] | None:
    """Return what of a launch follows the device's warp size, so that the rest does not fit.

    Fewer blocks of more threads fit, and so does shared memory that is a multiple of the warp size. A kernel that asks
    for the size of the grid or of its block takes any.
    """
    grid, block, *rest = launch.configuration
    grid_follows, block_follows = _follows(work, grid), _follows(work, block)
    if grid_follows and not block_follows and not _asks(work, kernel, "grid"):
        return "the grid", grid
    if block_follows and not grid_follows and not _asks(work, kernel, "block"):
        return "the block", block
    if rest and not block_follows and _follows(work, rest[0], divided=True):
        return "the shared memory", rest[0]
    return None


def _asks(work: Work, kernel: str, what: str) -> bool:
    """Return whether a kernel asks for the size of its grid or block, or is unknown."""
    functions = work.flow.named(kernel)
    if not functions:
        return not work.is_told(str(Fact(Kind.FIXED, kernel, what)))
    bodies = (work.unit.code[function.span.start : function.span.end] for function in functions)
    return any(asks_size(body, what) for body in bodies)


def _follows(work: Work, span: Span, *, divided: bool = False) -> bool:
    """Return whether a value depends on the device's warp size, if `divided` as a divisor."""
    function = work.flow.function_at(span.start)
    return function is not None and _depends(work, function, work.unit.code[span.start : span.end], span, divided, 0)


def _depends(work: Work, function: Function, text: str, at: Span, divided: bool, depth: int) -> bool:
    if depth > _DEEPEST:
        return False
    if _MEMBER.search(text) and (not divided or re.search(r"/[^,;]*(?:\.|->)\s*warpSize\b", text)):
        return True
    for name in dict.fromkeys(_NAME.findall(text)):
        variable = function.variable(name, at.start)
        if variable is None:
            continue
        divisor = divided and re.search(rf"/\s*\(?\s*{re.escape(name)}\b", text) is not None
        if name in _asked(work, function) and (not divided or divisor):
            return True
        needs_division = divided and not divisor
        if any(_depends(work, function, text_of(value), at, needs_division, depth + 1) for value in variable.values):
            return True
    return False


def _asked(work: Work, function: Function) -> frozenset[str]:
    """Return the variables that get the device's warp size from `cudaDeviceGetAttribute`."""
    body = work.unit.code[function.span.start : function.span.end]
    return frozenset(match[1] for match in _ASKED.finditer(body))
