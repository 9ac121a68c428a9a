"""Destructors with `__device__` alone that do nothing: `__device__ virtual ~Base() {}`.

A class that derives from `Base`, or has one as a member, beside something whose destructor is for the host
(`std::shared_ptr`) has no destructor for either side in Clang, which rejects it. nvcc allows it. The destructor gets
`__host__`, which costs nothing because its body is empty. Behind a macro for sides, which is empty for other compilers,
`__host__` is written as an attribute: these ignore it.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.files.facts import Kind
from hipport.source import Edit, Replace
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.host_calls import own_macros
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

_DESTRUCTOR = re.compile(
    r"(?<![\w$])(?P<before>(?:(?:virtual|inline|__forceinline__|__host__)\s+)*)(?P<side>__device__|[A-Z][A-Z\d_]+)\s+"
    r"(?P<after>(?:(?:virtual|inline|__forceinline__|__host__)\s+)*)~\s*[A-Za-z_]\w*\s*\(\s*(?:void\s*)?\)\s*"
    r"(?:noexcept\s*)?(?:override\s*)?\{\s*\}"
)
_EMPTY = re.compile(r"~\s*[A-Za-z_]\w*\s*\(\s*(?:void\s*)?\)\s*(?:noexcept\s*)?(?:override\s*)?\{\s*\}")
"""Matches a destructor that does nothing."""

WORDS = (frozenset({"virtual", "shared_ptr", "unique_ptr"}),)
"""Words of files with such classes: bases, and members whose destructors are for the host."""


def run(work: Work) -> Iterator[Edit]:
    """Insert `__host__` in front of the word or macro for the device."""
    unit = work.unit
    if is_hip(work) or not _EMPTY.search(unit.code):
        return
    macros = {*own_macros(unit), *(fact.subject for fact in work.facts(Kind.DEVICE_ONLY))}
    for match in _DESTRUCTOR.finditer(unit.code) if macros or "__device__" in unit.words else ():
        side, at = match["side"], match.start("side")
        if "__host__" in match["before"] + match["after"] or platform_at(unit, at) is Platform.NVIDIA:
            continue
        if side == "__device__":
            yield Replace(at, at, "__host__ ")
        elif side in macros:
            yield Replace(at, at, "__attribute__((host)) ")
