"""HP206: a constant for the warp size beside the hardware's own `warpSize`."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.dataflow.cross_lane import CROSS_LANE
from hipport.translate.hazards import wavefront
from hipport.translate.passes import own_warp_size
from hipport.translate.work import Work

WORDS = CROSS_LANE | {"warpSize", "tiled_partition", "__syncwarp"}
_NAMED = re.compile(
    r"k?_*(?:log_?2?_*)?(?:warp_*(?:size|sz|width|threads|lanes)|(?:num_*)?(?:threads|lanes)_*(?:per|in)_*warp)_*\Z",
    re.IGNORECASE,
)
_LOG = re.compile(r"k?_*log", re.IGNORECASE)


def run(work: Work) -> Iterator[Diagnostic]:
    """Report the constant; as a warning if device code of the file uses `warpSize` too."""
    if wavefront.only_32(work):
        return
    for name in sorted(word for word in work.unit.words if _NAMED.match(word)):
        place = work.flow.constants.definition(name)
        if place is None or work.flow.constants.value(name) != (5 if _LOG.match(name) else 32):
            continue
        if name == own_warp_size.NAME and own_warp_size.is_renamed(work):
            continue
        if name == own_warp_size.NAME:
            message = "a constant has the name of the built-in variable for the wavefront size"
            yield work.report(place, "HP206", Severity.WARNING, message, "Choose another name, such as kWarpSize.")
            continue
        wave = any(True for function in wavefront.device_functions(work, work.warps.wave_names))
        message = f"{name} is a fixed warp size"
        if wave:
            message += ", but other code in this file uses warpSize, which may be 64"
        advice = "It is correct as the size of logical warps; do not use it for anything that depends on the hardware."
        yield work.report(place, "HP206", Severity.WARNING if wave else Severity.NOTE, message, advice)
