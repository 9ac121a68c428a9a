"""Which of the edits that several rules want are made."""

from __future__ import annotations

import bisect
from collections.abc import Iterable

from hipport.source import Replace


def settled(edits: Iterable[Replace]) -> list[Replace]:
    """The edits without those that cross one of an earlier rule: the more particular rule has the say."""
    spans: list[tuple[int, int]] = []
    points: list[int] = []
    kept: dict[Replace, None] = {}
    for edit in edits:
        if edit in kept or _crosses(spans, points, edit):
            continue
        kept[edit] = None
        if edit.start == edit.end:
            bisect.insort(points, edit.start)
        else:
            bisect.insort(spans, (edit.start, edit.end))
    return list(kept)


def _crosses(spans: list[tuple[int, int]], points: list[int], edit: Replace) -> bool:
    """Whether an edit shares bytes with one that is made, or one is inserted inside the other."""
    at = bisect.bisect_left(spans, (edit.start, edit.start))
    if at > 0 and spans[at - 1][1] > edit.start:
        return True
    if edit.start == edit.end:
        return False
    inside = bisect.bisect_right(points, edit.start) < bisect.bisect_left(points, edit.end)
    return inside or (at < len(spans) and spans[at][0] < edit.end)
