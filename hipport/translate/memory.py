"""Files that were translated without knowledge of other files, and are likely to be translated again with it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from hipport.translate.references import References
from hipport.translate.step import Said, Step
from hipport.translate.syntax.unit import Unit

_LARGEST = 96 << 20
"""Limit on the estimated memory of all files together."""
_OF_TEXT = 8
_OF_TREE = 40
"""Bytes of memory per byte of source, without and with a syntax tree, whose nodes are objects once they are visited."""


class Kept(Struct, frozen=True):
    """A file as the first translation left it: parsed, resolved, and what each pass and check said."""

    unit: Unit
    references: References
    said: Mapping[Step, Said]


class Memory(Struct):
    """The files that a run remembers, by name; what does not fit in is translated from the beginning."""

    _kept: dict[str, tuple[bytes, Kept]] = field(default_factory=dict)
    _size: int = 0

    def keep(self, name: str, data: bytes, kept: Kept) -> None:
        """Remember a file if there is room for it."""
        size = len(data) * (_OF_TREE if "tree" in vars(kept.unit) else _OF_TEXT)
        if self._size + size <= _LARGEST:
            self._size += size
            self._kept[name] = data, kept

    def take(self, name: str, data: bytes) -> Kept | None:
        """Return a file and forget it, since it is translated twice at most; None if it has other bytes now."""
        found = self._kept.pop(name, None)
        return found[1] if found is not None and found[0] == data else None
