"""`printf("%d", threadIdx.x)`: HIP before 6.1 makes `threadIdx.x` an object, which device code cannot print."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.mappings.life import release
from hipport.source import Edit, Span, Wrap
from hipport.translate.syntax.calls import call_of
from hipport.translate.work import Work

_COORDINATES = ("threadIdx", "blockIdx", "blockDim", "gridDim")
_COORDINATE = re.compile(rf"\s*(?:{'|'.join(_COORDINATES)})\s*\.\s*[xyz]\s*")
_NAME = "printf"
_PLAIN = (6, 1)  # first ROCm release where `threadIdx.x` is a plain number
WORDS = (frozenset({_NAME}), frozenset(_COORDINATES))


def run(work: Work) -> Iterator[Edit]:
    """Convert such arguments to `unsigned`."""
    if release(work.context.tables.releases.rocm) >= _PLAIN:
        return
    for _, offset in work.unit.occurrences(frozenset({_NAME})):
        call = call_of(work.unit, Span(offset, offset + len(_NAME)))
        for argument in call.arguments[1:] if call is not None else ():
            if _COORDINATE.fullmatch(work.unit.code, argument.start, argument.end):
                yield Wrap(argument.start, argument.end, "unsigned(", ")")
