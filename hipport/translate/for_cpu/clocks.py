"""Rename `clock()` in device code to `__clock()`, HIP's other name of it.

The C library has a `clock` with the same signature. It counts the processor time of the whole process, in microseconds,
and kernels that wait for a number of ticks of the device would wait a thousand times as long.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span
from hipport.translate.syntax.calls import in_device_code
from hipport.translate.syntax.unit import Unit

_WORD = "clock"
_WORDS = frozenset({_WORD})
_NO_ARGUMENTS = re.compile(r"\s*\(\s*\)")
_OF_SOMETHING = re.compile(r"(?:\.|->|\w\s*::|\w\s)\s*\Z")
"""Matches what precedes members, names of other scopes and declarations."""
_KEYWORD = re.compile(r"\b(?:return|else|do|case|throw|sizeof)\s+\Z")
_SHORT = 64


def run(unit: Unit) -> Iterator[Edit]:
    """Rename the calls in functions that run on the device only."""
    for _, offset in unit.occurrences(_WORDS):
        end = offset + len(_WORD)
        before = unit.code[max(0, offset - _SHORT) : offset]
        named = _OF_SOMETHING.search(before) is not None and _KEYWORD.search(before) is None
        if named or not _NO_ARGUMENTS.match(unit.code, end):
            continue
        if in_device_code(unit, Span(offset, end)):
            yield Replace(offset, end, f"__{_WORD}")
