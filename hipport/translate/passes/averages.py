"""Detection of `__hadd` of halves: compat replaces the average of integers, which HIP gets wrong before 6.4."""

from __future__ import annotations

import re

from hipport.translate.references import Reference
from hipport.translate.syntax.calls import call_of
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

HEADER = "hipport/compat/averages.h"

_HALF = r"(?:__|nv_|__nv_|__hip_)?(?:half|bfloat16)2?"
_MAKES_HALF = re.compile(r"\s*(?:__\w*2(?:half|bfloat16)\w*|__h\w+|__(?:low|high)2\w+|h[a-z]+|half|__half)\s*\(")


def of_halves(work: Work, reference: Reference) -> bool:
    """Return whether a use is visibly of half or bfloat16 numbers, which HIP adds as CUDA does."""
    if reference.entry.name != "__hadd" or reference.entry.support != HEADER:
        return False
    call = call_of(work.unit, reference.span)
    if call is None:
        return False
    return any(_is_half(work.unit, work.unit.code[one.start : one.end]) for one in call.arguments)


def _is_half(unit: Unit, text: str) -> bool:
    """Return whether an expression begins with a variable that is declared as a half, or with a call that makes one."""
    if _MAKES_HALF.match(text):
        return True
    name = re.match(r"\s*\*?\s*([A-Za-z_]\w*)", text)
    if name is None:
        return False
    declared = (
        rf"\b{_HALF}\b(?:\s|[*&]|\bconst\b|\b__restrict__\b|[A-Za-z_]\w*\s*(?:=[^;,()]*|\[[^]]*\])?,)*\b{name[1]}\b"
    )
    return re.search(declared, unit.code) is not None
