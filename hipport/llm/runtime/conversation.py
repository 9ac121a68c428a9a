"""A conversation with a model, one question after another."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import takewhile

from hipport.errors import HipportError
from hipport.llm.runtime.engine import Engine, Sampling
from hipport.llm.text.chat_template import ChatTemplate, needed
from hipport.llm.text.tokenizer import Text


class Conversation:
    """Remembers the conversation, and prefills only what is not yet in the engine's KV cache.

    It uses the engine's sequence 0. Raises `HipportError` if there is no template.
    """

    def __init__(
        self,
        engine: Engine,
        text: Text,
        template: ChatTemplate | None,
        sampling: Sampling,
        *,
        system: str | None = None,
    ) -> None:
        self._engine = engine
        self._text = text
        self._template = needed(template, "the model")
        self._sampling = sampling
        self._beginning = [{"role": "system", "content": system}] if system else []
        self._said: list[dict[str, str]] = []
        self._cached: list[int] = []

    def reset(self) -> None:
        """Forget everything except the system prompt."""
        self._said.clear()
        self._cached.clear()
        self._engine.reset()

    def ask(self, question: str, max_tokens: int | None = None) -> Generator[str, None, None]:
        """Yield the answer piece by piece, up to `max_tokens` or the end of the context.

        An interrupted answer is remembered as far as it came; a question without any answer is not remembered. Raises
        `HipportError` if the context has no room left or the template rejects the conversation.
        """
        asked = {"role": "user", "content": question}
        prompt = self._text.tokens(self._template.render([*self._beginning, *self._said, asked]), whole=False)
        room = self._engine.positions - len(prompt)
        if not prompt or room < 1:
            hint = "Start a new conversation, or use a longer context."
            raise HipportError(f"the context is full: {len(prompt)} tokens of {self._engine.positions}", hint=hint)
        pieces: list[str] = []
        try:
            for piece in self._text.pieces(self._tokens(prompt, min(room, max_tokens or room))):
                pieces.append(piece)
                yield piece
        finally:
            if pieces:
                self._said += [asked, {"role": "assistant", "content": "".join(pieces)}]

    def _tokens(self, prompt: list[int], count: int) -> Iterator[int]:
        self._read(prompt[:-1])
        token = prompt[-1]
        for _ in range(count):
            (following,), _ = self._engine.decode([token], [len(self._cached)], [0], [self._sampling])
            self._cached.append(token)
            if following in self._engine.config.end_tokens:
                return
            token = following
            yield token

    def _read(self, tokens: list[int]) -> None:
        """Make the KV cache hold exactly these tokens."""
        kept = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(self._cached, tokens, strict=False)))
        del self._cached[kept:]
        if tokens[kept:]:
            self._engine.prefill(tokens[kept:], position=kept)
            self._cached += tokens[kept:]
