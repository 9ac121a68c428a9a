"""Detection of `__hadd` of halves: compat replaces the average of integers, which HIP gets wrong before 6.4."""

from __future__ import annotations

from hipport import lazy_re as re
from hipport.translate.references import Reference
from hipport.translate.syntax.calls import call_of
from hipport.translate.work import Work

HEADER = "hipport/compat/averages.h"

_HALF = re.compile(r"(?:__|nv_|__nv_|__hip_)?(?:half|bfloat16)2?")
_SUM = re.compile(r"(?:\s*__hadd\s*\()+")
_NAME = re.compile(r"\s*\*?\s*([A-Za-z_]\w*)")
_MAKES_HALF = re.compile(r"\s*(?:__\w*2(?:half|bfloat16)\w*|__h\w+|__(?:low|high)2\w+|h[a-z]+|half|__half)\s*\(")


def of_halves(work: Work, reference: Reference) -> bool:
    """Return whether a use is visibly of half or bfloat16 numbers, which HIP adds as CUDA does."""
    if reference.entry.name != "__hadd" or reference.entry.support != HEADER:
        return False
    call = call_of(work.unit, reference.span)
    if call is None:
        return False
    return any(_is_half(work.unit.code, one.start, one.end) for one in call.arguments)


def _is_half(code: str, start: int, end: int) -> bool:
    """Return whether an expression begins with a call that makes a half, or with a variable declared as one.

    The nearest place before it counts where the name follows a word. If that is no declaration, the answer is no,
    which is safe.
    """
    if inner := _SUM.match(code, start, end):
        start = inner.end()
    if _MAKES_HALF.match(code, start, end):
        return True
    name = _NAME.match(code, start, end)
    if name is None:
        return False
    before = re.build(rf"\b(\w+)(?:\s|[*&]|\bconst\b|\b__restrict__\b)+{name[1]}\b(?!\s*\()")
    words = [found[1] for found in before.finditer(code, 0, start)]
    return bool(words) and _HALF.fullmatch(words[-1]) is not None
