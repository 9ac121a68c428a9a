"""Resolve conflicts between the edits of several rules."""

from __future__ import annotations

import bisect
from collections.abc import Iterable

from hipport.source import Replace


def without_overlaps(edits: Iterable[Replace]) -> list[Replace]:
    """Return the edits without those that overlap one of an earlier rule, since specific rules come first."""
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
    """Return whether an edit shares bytes with one already kept, or one is an insertion inside the other."""
    at = bisect.bisect_left(spans, (edit.start, edit.start))
    if at > 0 and spans[at - 1][1] > edit.start:
        return True
    if edit.start == edit.end:
        return False
    inside = bisect.bisect_right(points, edit.start) < bisect.bisect_left(points, edit.end)
    return inside or (at < len(spans) and spans[at][0] < edit.end)
