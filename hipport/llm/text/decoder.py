"""Incremental decoding of tokens to text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_HELD = 4
"""A character has at most four bytes and so at most four tokens. If incomplete by then, it never completes."""
_UNKNOWN = "\ufffd"


class Decoder:
    """Decodes each token together with the ones before it, on which its spaces may depend.

    The stream in the package tokenizers does so too, but gives up when bytes that are not UTF-8 change how earlier ones
    are decoded. Here, text that has been returned stays as it is, and decoding continues.
    """

    __slots__ = ("_before", "_context", "_held", "_skip_special", "_tokenizer")

    def __init__(self, tokenizer: Tokenizer, *, skip_special: bool = True) -> None:
        self._tokenizer = tokenizer
        self._skip_special = skip_special
        self._context: list[int] = []
        self._before = ""
        self._held: list[int] = []

    def __call__(self, token: int) -> str:
        """Add a token and return the text that has become known since the last call."""
        self._held.append(token)
        more = self._text([*self._context, *self._held])[len(self._before) :]
        if (not more or more.endswith(_UNKNOWN)) and len(self._held) < _HELD:
            return ""
        self._context, self._held = self._held, []
        self._before = self._text(self._context)
        return more

    def _text(self, tokens: Sequence[int]) -> str:
        return str(self._tokenizer.decode(tokens, skip_special_tokens=self._skip_special))
