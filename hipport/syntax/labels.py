"""The labels of a `switch`."""

from __future__ import annotations

import re

from hipport.source import Span
from hipport.syntax.unit import Unit

_BEFORE = re.compile(r"\bcase\s+\Z")
_AFTER = re.compile(r"\s*:(?!:)")
_LONGEST = 256
"""So far before a name `case` is looked for."""


def case_label(unit: Unit, name: Span) -> Span | None:
    """The label `case NAME:` with nothing but this name in it; None for any other place of a name."""
    before = _BEFORE.search(unit.code, max(0, name.start - _LONGEST), name.start)
    after = _AFTER.match(unit.code, name.end)
    return Span(before.start(), after.end()) if before and after else None
