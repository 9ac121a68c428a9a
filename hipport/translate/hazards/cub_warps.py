"""HP233: uses of CUB whose warps have another size in hipCUB, and that a translation cannot give a size."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic
from hipport.source import Span
from hipport.translate.hazards import wavefront
from hipport.translate.passes import cub_warps
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.brackets import skip_blanks, skip_blanks_back
from hipport.translate.work import Work

WORDS = frozenset({cub_warps.NAMESPACE})
_VOTES = frozenset({"WARP_ALL", "WARP_ANY"})
_STRIPED = frozenset({"LoadDirectWarpStriped", "StoreDirectWarpStriped"})
_EXCHANGED = frozenset({"BlockedToWarpStriped", "WarpStripedToBlocked"})
"""Members of `BlockExchange`. Both together, and with the functions above, agree with each other for any stripes."""
_LANES = 64
_WRITE_IT = "Write the size of the warp, 32, as a template argument, or use warpSize everywhere."


def run(work: Work) -> Iterator[Diagnostic]:
    """Report each such use."""
    if wavefront.only_32(work) or is_hip(work):
        return
    templates = frozenset(cub_warps.TEMPLATES)
    for name, _, span in cub_warps.occurrences(
        work, templates | _VOTES | _STRIPED | cub_warps.BLOCKS | cub_warps.OF_LANES
    ):
        found = _mistake(work, name, span)
        if found is not None:
            yield work.report(span, "HP233", wavefront.severity(work), *found)
    if "BlockExchange" in work.unit.words:
        yield from _exchanged(work)


def _exchanged(work: Work) -> Iterator[Diagnostic]:
    """Report items that an exchange arranges in stripes of a warp, or takes from such, if nothing does the reverse."""
    for name, offset in work.unit.occurrences(_EXCHANGED & work.unit.words):
        function = work.flow.function_at(offset)
        if function is None or work.unit.code[skip_blanks_back(work.unit.code, offset) - 1] not in ".>":
            continue
        code = work.unit.code[function.span.start : function.span.end]
        if any(other in code for other in (_EXCHANGED | _STRIPED) - {name}):
            continue
        message = f"cub::BlockExchange::{name} arranges items by wavefront: stripes have 64 items where they had 32"
        advice = "Compute the places with the device's warpSize, or use BlockedToStriped and StripedToBlocked."
        yield work.report(Span(offset, offset + len(name)), "HP233", wavefront.severity(work), message, advice)


def _mistake(work: Work, name: str, span: Span) -> tuple[str, str] | None:
    """Return what is wrong with a use, and advice."""
    if name in cub_warps.BLOCKS:
        return _transposed(work, name, span)
    if name in _VOTES:
        advice = "Use __any_sync or __all_sync, which become votes of 32 lanes."
        wrong = cub_warps.is_32(work, span.start)
        return (f"cub::{name} asks all lanes of a wavefront, and ignores the mask", advice) if wrong else None
    if name in _STRIPED:
        advice = "Compute the places with the device's warpSize, or use LoadDirectStriped."
        message = f"cub::{name} arranges items by wavefront: stripes have 64 items where they had 32"
        return (message, advice) if _splits(work, span) else None
    if name in cub_warps.TEMPLATES and not _has_arguments(work, span):
        named = _is_template_argument(work, span)
        return (f"cub::{name} without arguments has the size of the wavefront as default", _WRITE_IT) if named else None
    return _mixed(work, name, span)


def _transposed(work: Work, name: str, span: Span) -> tuple[str, str] | None:
    given = cub_warps.arguments_of(work, span)
    if given is None or len(given[0]) < 4:
        return None
    code = work.unit.code
    threads, algorithm = work.flow.constants.text(given[0][1]), code[given[0][3].start : given[0][3].end]
    if threads is None or threads % _LANES == 0 or cub_warps.TRANSPOSED not in algorithm or len(given[0]) > 4:
        return None
    message = f"cub::{name} that transposes in warps needs blocks of whole wavefronts of 64, not {threads} threads"
    return message, "Use BLOCK_LOAD_TRANSPOSE and BLOCK_STORE_TRANSPOSE, or blocks of a multiple of 64 threads."


def _splits(work: Work, span: Span) -> bool:
    function = work.flow.function_at(span.start)
    return function is not None and any(True for _ in work.warps.splits(function))


def _has_arguments(work: Work, span: Span) -> bool:
    return cub_warps.arguments_of(work, span) is not None


def _is_template_argument(work: Work, span: Span) -> bool:
    """Return whether a bare name is between `<` or `,` and `,` or `>`."""
    code = work.unit.code
    after = code[skip_blanks(code, span.end)]
    before = code[skip_blanks_back(code, span.start - len("cub::")) - 1]
    return after in ",>" and before in "<,"


def _mixed(work: Work, name: str, span: Span) -> tuple[str, str] | None:
    """Report hipCUB's default size in a function that uses `warpSize` and counts warps of 32, too."""
    template = cub_warps.TEMPLATES.get(name)
    if template is not None and not cub_warps.lacks_size(work, template, span):
        return None
    if cub_warps.is_32(work, span.start) or not _splits(work, span):
        return None
    message = f"cub::{name} counts warpSize lanes here, as the function does, which also splits thread indices by 32"
    return message, _WRITE_IT
