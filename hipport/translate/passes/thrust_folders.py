"""Folders for CUDA that a project names by Thrust's macro: `#define ROOT cusp/system/__THRUST_DEVICE_SYSTEM_NAMESPACE`.

In rocThrust the macro is `hip`, and the project's folder is still called `cuda`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport.files.facts import Kind
from hipport.files.inclusion import fact
from hipport.source import Edit, Replace
from hipport.translate.inclusion import THRUST_SYSTEM, system_folders
from hipport.translate.work import Work

WORDS = (frozenset({THRUST_SYSTEM}),)
_FOR_HIP = "#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_HIP"


def run(work: Work) -> Iterator[Edit]:
    """Define such macros with `cuda` for rocThrust's device system if the tree has the folder."""
    code, newline = work.unit.code, work.unit.source.newline
    for line, folder in system_folders(work.unit):
        start, end = line.span.start, line.span.end
        text = code[start:end].rstrip()
        known = work.is_told(fact(Kind.FINDS, f"{folder}/cuda/"))
        if not known or "\n" in text or _is_decided(work, start):
            continue
        for_hip = text.replace(THRUST_SYSTEM, "cuda")
        yield Replace(start, start, f"{_FOR_HIP}{newline}{for_hip}{newline}#else{newline}")
        yield Replace(start + len(text), start + len(text), f"{newline}#endif")


def _is_decided(work: Work, offset: int) -> bool:
    """Return whether a place is behind the `#else` of a branch for rocThrust's device system."""
    first = (work.unit.branches[number, 0].body for number, index in work.unit.branch_at(offset) if index)
    return any("THRUST_DEVICE_SYSTEM_HIP" in work.unit.code[each.start : each.end] for each in first)
