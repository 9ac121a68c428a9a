"""`case` labels of a `switch`."""

from __future__ import annotations

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.syntax.unit import Unit

_BEFORE = re.compile(r"\bcase\s+\Z")
_AFTER = re.compile(r"\s*:(?!:)")
_LONGEST = 256
"""How far before a name to look for `case`, in characters."""


def case_label(unit: Unit, name: Span) -> Span | None:
    """Return the range of the label `case NAME:` that consists of this name alone; None if it is not one."""
    before = _BEFORE.search(unit.code, max(0, name.start - _LONGEST), name.start)
    after = _AFTER.match(unit.code, name.end)
    return Span(before.start(), after.end()) if before and after else None
