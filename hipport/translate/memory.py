"""Files that were translated without knowledge of other files, and are likely to be translated again with it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from hipport.diagnostics import Diagnostic
from hipport.files.facts import Kind
from hipport.source import Edit
from hipport.translate.references import References
from hipport.translate.syntax.unit import Unit

_LARGEST = 96 << 20
"""Limit on the estimated memory of all parsed files together."""
_OF_TEXT = 8
"""Bytes of memory per byte of source, without a syntax tree, which few need again."""


class Said(Struct, frozen=True):
    """The edits and diagnostics of a pass or check for a file, and the kinds of facts of others that it asked for."""

    results: tuple[Edit | Diagnostic, ...]
    heard: frozenset[Kind]


class Kept(Struct, frozen=True):
    """Results of the first translation of a file, those of each pass and check, and the file if there is room.

    What is said stands under the name of the module of the pass or check.
    """

    references: References
    said: Mapping[str, Said]
    unit: Unit | None


class Memory(Struct):
    """The files that a run remembers, by name; those that do not fit in are parsed again."""

    _kept: dict[str, tuple[int, Kept]] = field(default_factory=dict)
    _size: int = 0

    def keep(self, name: str, data: bytes, kept: Kept) -> None:
        """Remember what was found in a file, and the file itself if there is room for it."""
        self._kept[name] = hash(data), replace(kept, unit=self._with_room(kept.unit, len(data) * _OF_TEXT))

    def _with_room(self, unit: Unit | None, size: int) -> Unit | None:
        """Return a file without what was computed of it, such as its tree; None if there is no room for it."""
        if unit is None or self._size + size > _LARGEST:
            return None
        self._size += size
        return replace(unit)

    def take(self, name: str, data: bytes) -> Kept | None:
        """Return a file and forget it, since it is translated twice at most; None if it has other bytes now."""
        found = self._kept.pop(name, None)
        return found[1] if found is not None and found[0] == hash(data) else None
