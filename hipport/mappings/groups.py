"""Groups of names without a counterpart that share a reason."""

from __future__ import annotations

import fnmatch
import re

from msgspec.structs import replace

from hipport.errors import HipportError
from hipport.mappings.rows import Group, Row


class Explainer:
    """Gives each row without a counterpart the reason of the first group that matches."""

    def __init__(self, file: str, groups: tuple[Group, ...]) -> None:
        self._file = file
        self._rules = [(re.compile("|".join(map(fnmatch.translate, g.patterns))), g) for g in groups]
        self._unused = set(groups)

    def explained(self, row: Row) -> Row:
        """Return the row with reason and alternative if it needs them; HipportError if no group provides them."""
        if row.hip or row.drop:
            return row
        if not (row.reason and row.alternative):
            row = self._from_group(row)
        if not (row.reason and row.alternative):
            raise HipportError(
                f"{self._file}:{row.line}: {row.name}: no counterpart, and no reason or alternative",
                hint="give the name a 'reason' and an 'alternative', or add a pattern to 'groups'",
            )
        return row

    def check_all_used(self) -> None:
        """Raise HipportError for a group that explains no name."""
        if self._unused:
            group = min(self._unused, key=lambda group: group.line)
            raise HipportError(
                f"{self._file}:{group.line}: groups: no name without a counterpart matches {', '.join(group.patterns)}",
                hint="remove the group or correct its patterns; a name belongs to the first group that matches",
            )

    def _from_group(self, row: Row) -> Row:
        name = f"{row.owner}.{row.name}" if row.owner else row.name
        for pattern, group in self._rules:
            if pattern.match(name):
                self._unused.discard(group)
                reason, alternative = row.reason or group.reason, row.alternative or group.alternative
                return replace(row, reason=reason, alternative=alternative)
        return row
