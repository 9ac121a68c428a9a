"""The known name that a misspelled one was probably meant to be."""

from __future__ import annotations

import functools
from collections.abc import Set

_CLOSE = 0.8
"""How alike a known name must be to be suggested, as difflib measures it."""
_SAME_START, _LENGTHS_APART = 4, 4


@functools.lru_cache(maxsize=256)
def nearest(name: str, known: Set[str]) -> str | None:
    """Return the known name that is most like an unknown one."""
    import difflib  # needed for mistakes only

    alike = _by_start(known).get(name[:_SAME_START], ())
    near = [each for each in alike if abs(len(each) - len(name)) <= _LENGTHS_APART]
    return next(iter(difflib.get_close_matches(name, near, n=1, cutoff=_CLOSE)), None)


@functools.lru_cache(maxsize=2)
def _by_start(known: Set[str]) -> dict[str, list[str]]:
    """Group names by their first letters."""
    groups: dict[str, list[str]] = {}
    for name in sorted(known):
        groups.setdefault(name[:_SAME_START], []).append(name)
    return groups
