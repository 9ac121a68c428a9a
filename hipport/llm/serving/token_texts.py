"""Log probabilities of tokens in the two formats of OpenAI's API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from hipport.llm.serving.jobs import Logprobs, Token
from hipport.llm.text.vocabulary import Vocabulary

Json = dict[str, Any]


class TokenTexts:
    """Writes the tokens of one request; in completions, each with the place of its text."""

    __slots__ = ("_form", "_offsets", "_vocabulary")

    def __init__(self, vocabulary: Vocabulary, form: Literal["completion", "chat"]) -> None:
        self._vocabulary = vocabulary
        self._form = form
        self._offsets: dict[int, int] = {}

    def logprobs(self, choice: int, tokens: Sequence[Token]) -> Json:
        """Return the next tokens of an answer."""
        found = [(token.number, token.logprobs) for token in tokens if token.logprobs is not None]
        if self._form == "chat":
            return {"content": [self._chat_token(number, each) for number, each in found], "refusal": None}
        return {
            "tokens": [self._text(number) for number, _ in found],
            "token_logprobs": [each.own for _, each in found],
            "top_logprobs": [{self._text(token): value for token, value in each.top} for _, each in found],
            "text_offset": [self._offset(choice, number) for number, _ in found],
        }

    def _chat_token(self, number: int, found: Logprobs) -> Json:
        return self._spelled(number, found.own) | {
            "top_logprobs": [self._spelled(token, value) for token, value in found.top]
        }

    def _spelled(self, token: int, value: float) -> Json:
        return {"token": self._text(token), "logprob": value, "bytes": list(self._bytes(token))}

    def _offset(self, choice: int, token: int) -> int:
        offset = self._offsets.get(choice, 0)
        self._offsets[choice] = offset + len(self._bytes(token).decode(errors="ignore"))
        return offset

    def _text(self, token: int) -> str:
        """Return a token's text, or its bytes if those are a part of a character."""
        own = self._bytes(token)
        try:
            return own.decode()
        except UnicodeDecodeError:
            return "bytes:" + "".join(f"\\x{byte:02x}" for byte in own)

    def _bytes(self, token: int) -> bytes:
        pieces = self._vocabulary.pieces
        return pieces[token] if token < len(pieces) else b""
