"""Types of OpenCV in device code, such as `cv::cuda::PtrStepSz`: OpenCV marks them for devices where nvcc compiles."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.files.inclusion import IN_CODE
from hipport.source import Edit, Replace
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.includes import includes
from hipport.translate.syntax.prologue import guard_branch
from hipport.translate.work import Work

_HEADER = "hipport/compat/opencv.h"
_ELEMENTS = ("", "Sz")
_KINDS = ("", "b", "us", "f", "i")
TYPES = frozenset({"DevPtr", "PtrSz", "GpuMat", *(f"PtrStep{size}{kind}" for size in _ELEMENTS for kind in _KINDS)})
WORDS = (TYPES,)


def run(work: Work) -> Iterator[Edit]:
    """Include what declares them for both sides, in front of all headers, since any may include OpenCV's."""
    unit = work.unit
    if is_hip(work) or work.is_told(IN_CODE) or not unit.words & {"cv", "opencv2"}:
        return
    first = next((each for each in includes(unit) if each.directive.branch == guard_branch(unit)), None)
    if first is not None:
        at = first.directive.span.start
        yield Replace(at, at, f"#include <{_HEADER}>{unit.source.newline}")
