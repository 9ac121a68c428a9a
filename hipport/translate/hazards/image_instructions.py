"""HP242: texture and surface functions that do not compile for AMD GPUs without the image instructions."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.hazards.object_types import ACCESSES, LEVELS, SAMPLES
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.references import Reference
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

_IMAGES = SAMPLES | ACCESSES
WORDS = LEVELS | _IMAGES
_DEVICE_CODE = frozenset({"__device__", "__global__"})
"""Words without which functions of these names are a project's own."""

_WITHOUT_IMAGES = "gfx940 to gfx942 (MI300) and gfx950"
_KINDS = (
    (_IMAGES, f"{_WITHOUT_IMAGES}, which have no image instructions"),
    # gfx90a samples and loads only.
    (LEVELS, f"gfx90a (MI200), which lacks the instruction, nor for {_WITHOUT_IMAGES}"),
)
_ADVICE = "There, read global memory and interpolate in the kernel."


def run(work: Work) -> Iterator[Diagnostic]:
    """Report the first function of each kind in a file."""
    if is_hip(work) or _DEVICE_CODE.isdisjoint(work.unit.words):
        return
    for names, targets in _KINDS:
        first = next(_used(work, names), None)
        if first is not None:
            message = f"{first.entry.name} does not compile for {targets}"
            yield work.report(first.span, "HP242", Severity.WARNING, message, _ADVICE)


def _used(work: Work, names: frozenset[str]) -> Iterator[Reference]:
    for reference in work.references.found:
        if reference.entry.name in names and platform_at(work.unit, reference.span.start) is not Platform.NVIDIA:
            yield reference
