"""Find functions that a file defines for older GPUs or releases, and that HIP has under the same name."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.translate.syntax.brackets import skip_blanks_back
from hipport.translate.work import Work

REDEFINES = "redefines "
_SMALL = r"(?:__)?(?:half|nv_bfloat16|hip_bfloat16)2?(?:_raw)?"
_PARAMETER = rf"\s*(?:const\s+)?{_SMALL}(?:\s+const)?(?:\s*&\s*|\s+)\w+\s*"
_DEFINED = re.compile(rf"\s*\((?=({_PARAMETER}(?:,{_PARAMETER})*))\1\)\s*(?:noexcept\s*)?\{{")
"""Matches the parameters and the brace of a function of half-precision values, which a project has no classes for."""
_DECLARES = re.compile(r"[\w>*&]\Z")
_RETURNS = re.compile(r"\breturn\Z")


def redefinitions(work: Work) -> Iterator[tuple[int, str]]:
    """Yield where functions of half-precision values have names that HIP has, too, and what is wrong with them."""
    unit, names = work.unit, work.context.tables.names
    intrinsics = frozenset(name for name in unit.words if name.startswith("__h") and name in names)
    for name, offset in unit.occurrences(intrinsics):
        counterpart = names[name].hip
        if counterpart is None or counterpart.name != name or not _DEFINED.match(unit.code, offset + len(name)):
            continue
        end = skip_blanks_back(unit.code, offset)
        before = unit.code[max(0, end - 80) : end]
        if _DECLARES.search(before) and not _RETURNS.search(before):
            yield offset, f"{REDEFINES}{name}"
