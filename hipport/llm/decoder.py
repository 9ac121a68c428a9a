"""Tokens to text, one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_HELD = 4
"""A character has four bytes at most, so its tokens are no more. What is not whole by then never will be."""
_UNKNOWN = "\ufffd"


class Decoder:
    """Decodes each token behind those before it, on which its blanks may depend.

    The stream that comes with tokenizers does so too, but gives up where bytes that are no UTF-8 change how those
    before them are decoded. Here what has been shown stays, and the rest follows.
    """

    __slots__ = ("_before", "_context", "_held", "_tokenizer")

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._context: list[int] = []
        self._before = ""
        self._held: list[int] = []

    def __call__(self, token: int) -> str:
        """What is known of the text since the last time."""
        self._held.append(token)
        more = self._text([*self._context, *self._held])[len(self._before) :]
        if (not more or more.endswith(_UNKNOWN)) and len(self._held) < _HELD:
            return ""
        self._context, self._held = self._held, []
        self._before = self._text(self._context)
        return more

    def _text(self, tokens: Sequence[int]) -> str:
        return str(self._tokenizer.decode(tokens, skip_special_tokens=True))
