"""`#include` lines for hipport's own headers."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hipport.passes.work import Work
from hipport.source import Edit, Replace
from hipport.syntax.includes import includes
from hipport.syntax.prologue import guard_branch, insertion_point


def include_support(work: Work, headers: Collection[str], first_use: int) -> Iterator[Edit]:
    """Include headers behind the file's own `#include` lines, or where the first one would go.

    `first_use` is the offset in front of which they must stand.
    """
    present = {include.operand for include in includes(work.unit)}
    newline = work.unit.source.newline
    lines = [f"#include <{header}>{newline}" for header in sorted(headers) if header not in present]
    if lines:
        offset, set_apart = _place(work, first_use)
        yield Replace(offset, offset, "".join(lines) + (newline if set_apart else ""))


def _place(work: Work, first_use: int) -> tuple[int, bool]:
    """Where the lines go, and whether a blank line should follow."""
    unit = work.unit
    guard = guard_branch(unit)
    own = [i.directive for i in includes(unit) if i.directive.branch == guard and i.directive.span.end < first_use]
    if own:
        end = unit.source.text.find(b"\n", own[-1].span.end)
        if end >= 0:
            return end + 1, False
    at = insertion_point(unit)
    return at.offset, at.blank_after
