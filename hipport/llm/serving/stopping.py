"""Detection of stop strings while an answer is being generated."""

from __future__ import annotations

from collections.abc import Sequence


class Stops:
    """Passes text through, holding back what may be the beginning of a stop string until that is known."""

    __slots__ = ("_held", "_longest", "_strings")

    def __init__(self, strings: Sequence[str]) -> None:
        self._strings = tuple(strings)
        self._longest = max(map(len, strings), default=0)
        self._held = ""

    def feed(self, piece: str) -> tuple[str, bool]:
        """Add text; return what can be shown, and whether a stop string was found, before which the answer ends."""
        text = self._held + piece
        found = [place for string in self._strings if (place := text.find(string)) >= 0]
        if found:
            self._held = ""
            return text[: min(found)], True
        known = len(text) - self._beginning(text)
        self._held = text[known:]
        return text[:known], False

    def rest(self) -> str:
        """Return what was held back, once there is no more text."""
        held, self._held = self._held, ""
        return held

    def _beginning(self, text: str) -> int:
        """Return the length of the text's longest suffix that is a proper prefix of a stop string."""
        for length in range(min(len(text), self._longest - 1), 0, -1):
            if text.endswith(tuple(string[:length] for string in self._strings if len(string) > length)):
                return length
        return 0
