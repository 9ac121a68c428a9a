"""HP201, HP232: the ballot of a wavefront of 64 lanes kept in 32 bits by members, elements, results and parameters."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic
from hipport.translate.dataflow.narrow import Kept, Place, kept_ballots
from hipport.translate.hazards import wavefront
from hipport.translate.hazards.ballot_kept import only_passes_mask
from hipport.translate.work import Work

WORDS = wavefront.MASK_WORDS
_WIDE = "unsigned long long"
_UPPER_HALF = re.compile(r">>=?\s*32\b")
"""Matches the sign of code that keeps a mask in two halves, which loses nothing."""
_LOSES = "has 32 bits and loses the bits of lanes 32 to 63 of a ballot"


def run(work: Work) -> Iterator[Diagnostic]:
    """Report where ballots of a whole wavefront are kept in 32 bits, except in variables."""
    if wavefront.only_32(work) or not wavefront.may_hold_ballots(work):
        return
    said: set[tuple[int, str]] = set()
    for function in wavefront.mask_functions(work):
        if _UPPER_HALF.search(work.unit.code, function.span.start, function.span.end):
            continue
        for kept in kept_ballots(work.flow, function):
            key = (kept.value.start_byte, kept.place.value)
            whole = any(wavefront.is_whole(work, ballot) for ballot in kept.ballots)
            if kept.name and whole and key not in said and not _is_only_mask(work, kept):
                said.add(key)
                yield _report(work, kept)


def _is_only_mask(work: Work, kept: Kept) -> bool:
    """Return whether a parameter is only the mask of cross-lane functions, which a translation drops."""
    return kept.place is Place.PARAMETER and only_passes_mask(work, kept.owner, kept.name)


def _report(work: Work, kept: Kept) -> Diagnostic:
    what = {
        Place.MEMBER: f"member '{kept.name}'",
        Place.ELEMENT: f"'{kept.name}'",
        Place.CAST: f"a cast to '{kept.name}'",
        Place.RESULT: f"the result of '{kept.name}'" if kept.owner else "the result of a lambda",
        Place.PARAMETER: f"parameter '{kept.name}' of '{kept.owner}'",
    }[kept.place]
    code = "HP232" if kept.place in (Place.RESULT, Place.PARAMETER) else "HP201"
    advice = f"Make it {_WIDE}, and use __popcll, __ffsll and __clzll."
    return work.report(wavefront.span(kept.value), code, wavefront.severity(work), f"{what} {_LOSES}", advice)
