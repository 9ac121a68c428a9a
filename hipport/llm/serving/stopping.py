"""Strings that end an answer, looked for while it is being written."""

from __future__ import annotations

from collections.abc import Sequence


class Stops:
    """Text goes through; what may be the beginning of a stop string is held back until that is known."""

    __slots__ = ("_held", "_longest", "_strings")

    def __init__(self, strings: Sequence[str]) -> None:
        self._strings = tuple(strings)
        self._longest = max(map(len, strings), default=0)
        self._held = ""

    def feed(self, piece: str) -> tuple[str, bool]:
        """What can be shown now that `piece` has come, and whether a stop string has, before which the answer ends."""
        text = self._held + piece
        found = [place for string in self._strings if (place := text.find(string)) >= 0]
        if found:
            self._held = ""
            return text[: min(found)], True
        known = len(text) - self._beginning(text)
        self._held = text[known:]
        return text[:known], False

    def rest(self) -> str:
        """What was held back, when nothing comes any more."""
        held, self._held = self._held, ""
        return held

    def _beginning(self, text: str) -> int:
        """The length of the longest end of a text with which a stop string begins."""
        for length in range(min(len(text), self._longest - 1), 0, -1):
            if text.endswith(tuple(string[:length] for string in self._strings if len(string) > length)):
                return length
        return 0
