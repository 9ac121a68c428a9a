"""GLM's functions in device code, such as `glm::dot`: GLM before 0.9.9.9 marks them for devices where nvcc compiles."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.files.inclusion import IN_CODE
from hipport.source import Edit, Replace
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.includes import includes
from hipport.translate.syntax.prologue import guard_branch
from hipport.translate.work import Work

_HEADER = "hipport/compat/glm.h"
WORDS = (frozenset({"glm"}), frozenset({"__device__", "__global__", "GLM_FORCE_CUDA"}))


def run(work: Work) -> Iterator[Edit]:
    """Include what selects both sides, in front of all headers, since any may include GLM's."""
    unit = work.unit
    if is_hip(work) or work.is_told(IN_CODE):
        return
    inclusions = [*includes(unit)]
    if "glm::" not in unit.code and not any("glm/" in each.operand for each in inclusions):
        return
    first = next((each for each in inclusions if each.directive.branch == guard_branch(unit)), None)
    if first is not None:
        at = first.directive.span.start
        yield Replace(at, at, f"#include <{_HEADER}>{unit.source.newline}")
