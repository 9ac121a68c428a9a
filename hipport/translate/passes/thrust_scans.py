"""Thrust's inclusive scans with an initial value: `hipport/compat/thrust_scan.h` has them for older rocThrust.

A call with a policy and no initial value has as many arguments as one with an initial value and no policy; then a
policy is recognized by its name, and where it is not, the header is included for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.insertion import include
from hipport.translate.syntax.calls import call_of
from hipport.translate.work import Work

_HEADER = "hipport/compat/thrust_scan.h"
_ARGUMENTS = {"inclusive_scan": 5, "transform_inclusive_scan": 6}
"""The number of arguments with an initial value, without a policy."""
_NAMES = frozenset(_ARGUMENTS)
_STANDARD = re.compile(r"\bstd\s*::\s*\Z")
_POLICY = re.compile(r"\b(?:device|host|seq|par|par_nosync|exec|exec_policy|policy)\b")
WORDS = (frozenset({"thrust"}), _NAMES)


def run(work: Work) -> Iterator[Edit]:
    """Include the header if a scan may have an initial value."""
    if is_hip(work):
        return
    for name, offset in work.unit.occurrences(_NAMES):
        if _may_have_value(work, name, offset):
            yield from include(work, [_HEADER], offset)
            return


def _may_have_value(work: Work, name: str, offset: int) -> bool:
    if _STANDARD.search(work.unit.code, max(0, offset - 16), offset):
        return False
    call = call_of(work.unit, Span(offset, offset + len(name)))
    given = len(call.arguments) if call is not None else 0
    if call is None or given < _ARGUMENTS[name]:
        return False
    first = work.unit.code[call.arguments[0].start : call.arguments[0].end]
    return given > _ARGUMENTS[name] or _POLICY.search(first) is None
