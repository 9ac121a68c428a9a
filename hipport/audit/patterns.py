"""Shell patterns for names."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Patterns:
    """Match any of several shell patterns; an empty tuple matches nothing."""

    patterns: tuple[str, ...] = ()
    _any: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_any", re.compile("|".join(map(fnmatch.translate, self.patterns)) or r"(?!)"))

    def match(self, name: str) -> bool:
        """Return whether one of the patterns matches the whole name."""
        return self._any.match(name) is not None

    def any_of(self, names: Iterable[str]) -> bool:
        """Return whether any of the names matches."""
        return any(map(self.match, names))
