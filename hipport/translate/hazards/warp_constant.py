"""HP206: a constant for the warp size beside the hardware's own `warpSize`."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.dataflow.cross_lane import CROSS_LANE
from hipport.translate.hazards import wavefront
from hipport.translate.passes import own_warp_size
from hipport.translate.work import Work

_CODE = CROSS_LANE | {"warpSize", "tiled_partition", "__syncwarp"}
_OF_HEADERS = frozenset(
    (
        *("WARP_SIZE", "WARPSIZE", "WARP_SZ", "WARP_WIDTH", "WARP_THREADS", "WARP_LANES", "WarpSize", "warp_size"),
        *("kWarpSize", "kWarpWidth", "kWarpThreads", "kWarpLanes", "warp_width", "kLogWarpSize", "kLog2WarpSize"),
        *("LOG_WARP_SIZE", "LOG2_WARP_SIZE", "WARP_SIZE_", "_WARP_SIZE", "K_WARP_SIZE", "THREADS_PER_WARP"),
        *("LANES_PER_WARP", "NUM_THREADS_PER_WARP", "kThreadsPerWarp", "kLanesPerWarp", "kNumThreadsPerWarp"),
        *("threads_per_warp", "ThreadsPerWarp", "THREADS_IN_WARP", "kThreadsInWarp"),
    )
)
"""Names by which headers without device code are looked at: other files use their constants."""
WORDS = _CODE | _OF_HEADERS
_NAMED = re.compile(
    r"k?_*(?:log_?2?_*)?(?:warp_*(?:size|sz|width|threads|lanes)|(?:num_*)?(?:threads|lanes)_*(?:per|in)_*warp)_*\Z",
    re.IGNORECASE,
)
_BESIDE = ", but other code in this file uses warpSize, which may be 64"
_ADVICE = "It is correct as the size of logical warps; do not use it for anything that depends on the hardware."
_LOG = re.compile(r"k?_*log", re.IGNORECASE)


def run(work: Work) -> Iterator[Diagnostic]:
    """Report the constant; as a warning if device code of the file uses `warpSize` too."""
    if wavefront.only_32(work) or (work.unit.words.isdisjoint(_CODE) and not work.unit.is_header):
        return
    for name in sorted(word for word in work.unit.words if _NAMED.match(word)):
        place = work.flow.constants.definition(name)
        if place is None:
            yield from _of_other_file(work, name)
            continue
        if work.flow.constants.value(name) != (5 if _LOG.match(name) else 32):
            continue
        if name == own_warp_size.NAME and own_warp_size.is_renamed(work):
            continue
        if name == own_warp_size.NAME:
            message = "a constant has the name of the built-in variable for the wavefront size"
            yield work.report(place, "HP206", Severity.WARNING, message, "Choose another name, such as kWarpSize.")
            continue
        wave = _uses_wave_size(work)
        message = f"{name} is a fixed warp size{_BESIDE if wave else ''}"
        yield work.report(place, "HP206", Severity.WARNING if wave else Severity.NOTE, message, _ADVICE)


def _of_other_file(work: Work, name: str) -> Iterator[Diagnostic]:
    """Report the first use of another file's constant if device code of this file uses `warpSize`."""
    if name != own_warp_size.NAME and _uses_wave_size(work) and work.flow.constants.value(name) == 32:
        _, offset = next(iter(work.unit.occurrences(frozenset({name}))))
        message = f"{name}, which another file defines, is a fixed warp size{_BESIDE}"
        yield work.report(Span(offset, offset + len(name)), "HP206", Severity.WARNING, message, _ADVICE)


def _uses_wave_size(work: Work) -> bool:
    return any(True for _ in wavefront.device_functions(work, work.warps.wave_names))
