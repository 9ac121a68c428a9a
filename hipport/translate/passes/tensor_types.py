"""`AT_DISPATCH_ALL_TYPES(x.type(), ...)` of PyTorch: the macros take the type of the elements.

They took `x.type()` as well up to PyTorch 2.12, with a warning since 1.0; `x.scalar_type()` is right in all releases.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span
from hipport.translate.syntax.calls import call_of
from hipport.translate.work import Work

_DISPATCH = re.compile(r"\bAT_DISPATCH_[A-Z_\d]+(?=\s*\()")
_TYPE = re.compile(r"(?:\.|->)\s*(type\s*\(\s*\))\s*\Z")
WORDS = (frozenset({"type"}),)
_SWITCHES = ("AT_DISPATCH_CASE", "AT_DISPATCH_V2_")


def run(work: Work) -> Iterator[Edit]:
    """Replace the call in the argument that the type is taken from."""
    for match in _DISPATCH.finditer(work.unit.code):
        call = None if match[0].startswith(_SWITCHES) else call_of(work.unit, Span(match.start(), match.end()))
        for argument in call.arguments if call is not None else ():
            found = _TYPE.search(work.unit.code, argument.start, argument.end)
            if found is not None:
                yield Replace(found.start(1), found.end(1), "scalar_type()")
                break
