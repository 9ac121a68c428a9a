"""Names of a project that HIP's headers define as macros, and CUDA's do not: `MASK1`, `HW_ID`.

A variable `MASK1` becomes a number, and `#ifndef MASK1` takes HIP's value. Files that use such a name remove HIP's
macro first. Any header may be included behind HIP's; a C++ source includes HIP's itself, or has none of its macros.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport.files.inclusion import IN_CODE
from hipport.source import Edit, Replace
from hipport.translate.inclusion import is_c_source
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.includes import includes
from hipport.translate.syntax.prologue import insertion_point
from hipport.translate.work import Work

_NAMES = frozenset({"MASK1", "MASK2", "HW_ID", "XCC_ID", "GETREG_IMMED"})
_PREFIXES = ("HW_ID_", "XCC_ID_")
_HEADER = "hipport/compat/macro_names.h"
_HOST_SOURCES = (".cpp", ".cc", ".cxx", ".c++")


def run(work: Work) -> Iterator[Edit]:
    """Include what removes HIP's macros at the top of the file, for HIP's compilers only."""
    names = {*work.unit.words & _NAMES}
    if any(prefix in work.unit.code for prefix in _PREFIXES):
        names |= {word for word in work.unit.words if word.startswith(_PREFIXES)}
    if not names or work.is_told(IN_CODE) or is_c_source(work.unit) or _is_host_source(work):
        return
    done = any(line.operand == _HEADER for line in includes(work.unit))
    if done or is_hip(work) or not any(work.unit.occurrences(frozenset(names))):
        return
    newline = work.unit.source.newline
    at = insertion_point(work.unit)
    lines = ("#ifdef __HIP__", f"#include <{_HEADER}>", "#endif")
    yield Replace(at.offset, at.offset, "".join(f"{line}{newline}" for line in lines))


def _is_host_source(work: Work) -> bool:
    return work.unit.source.name.endswith(_HOST_SOURCES) and not work.unit.shadow.device_words
