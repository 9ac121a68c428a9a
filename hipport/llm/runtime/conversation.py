"""A conversation with a model, one question after another."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from hipport.errors import HipportError
from hipport.llm.runtime.engine import Engine, Sampling
from hipport.llm.text.chat_template import ChatTemplate, Message, needed
from hipport.llm.text.tokenizer import Text

_PIECE = 512
"""Prompt tokens per call of the engine: between calls, Ctrl-C interrupts a long prompt."""


class Conversation:
    """Remembers the conversation, and prefills only what is not yet in the engine's KV cache.

    It uses the engine's sequence 0. `system` is the system prompt, and may be changed at any time. Of the last answer,
    `prompt_tokens` and `tokens` are the numbers of tokens before it and in it. Raises `HipportError` if there is no
    template.
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
        self.system = system
        self.prompt_tokens = 0
        self.tokens = 0
        self._engine = engine
        self._text = text
        self._template = needed(template, "the model")
        self._sampling = sampling
        self._said: list[Message] = []
        self._cached: list[int] = []
        self._retries = 0

    @property
    def positions(self) -> int:
        """The length of the context in tokens."""
        return self._engine.positions

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages so far, each with `role` and `content`; first the system prompt, if any."""
        return (*self._beginning(), *self._said)

    def reset(self) -> None:
        """Forget everything except the system prompt."""
        self._said.clear()
        self._cached.clear()
        self._engine.reset()
        self.prompt_tokens = self.tokens = 0

    def restore(self, messages: Sequence[Message]) -> None:
        """Continue another conversation, `messages` of it, whose system prompt replaces this one's."""
        self.reset()
        self.system = next((each["content"] for each in messages if each["role"] == "system"), None)
        self._said = [each for each in messages if each["role"] != "system"]

    def ask(self, question: str, max_tokens: int | None = None) -> Generator[str, None, None]:
        """Yield the answer piece by piece, up to `max_tokens` or the end of the context.

        An interrupted answer is remembered as far as it came; a question without any answer is not remembered. Raises
        `HipportError` if the context has no room left or the template rejects the conversation.
        """
        return self._answer(self._said, question, max_tokens, self._sampling)

    def retry(self, max_tokens: int | None = None) -> Generator[str, None, None]:
        """Yield another answer to the last question, sampled with another seed; it replaces the last answer.

        Raises `HipportError` as `ask`, and if there is no question.
        """
        if not self._said:
            raise HipportError("there is no question to answer again")
        self._retries += 1
        sampling = replace(self._sampling, seed=(self._sampling.seed + self._retries) % 2**64)
        *before, asked, _ = self._said
        return self._answer(before, asked["content"], max_tokens, sampling)

    def _answer(
        self, before: Sequence[Message], question: str, max_tokens: int | None, sampling: Sampling
    ) -> Generator[str, None, None]:
        asked = {"role": "user", "content": question}
        prompt = self._text.tokens(self._template.render([*self._beginning(), *before, asked]), whole=False)
        room = self.positions - len(prompt)
        if not prompt or room < 1:
            hint = "Start a new conversation, or use a longer context."
            raise HipportError(f"the context is full: {len(prompt)} tokens of {self.positions}", hint=hint)
        self.prompt_tokens, self.tokens = len(prompt), 0
        pieces: list[str] = []
        try:
            for piece in self._text.pieces(self._decoded(prompt, min(room, max_tokens or room), sampling)):
                pieces.append(piece)
                yield piece
        finally:
            if pieces:
                self._said = [*before, asked, {"role": "assistant", "content": "".join(pieces)}]

    def _beginning(self) -> list[Message]:
        return [{"role": "system", "content": self.system}] if self.system else []

    def _decoded(self, prompt: list[int], count: int, sampling: Sampling) -> Iterator[int]:
        self._read(prompt[:-1])
        token = prompt[-1]
        for _ in range(count):
            (following,), _ = self._engine.decode([token], [len(self._cached)], [0], [sampling])
            self._cached.append(token)
            if following in self._engine.config.end_tokens:
                return
            token = following
            self.tokens += 1
            yield token

    def _read(self, tokens: list[int]) -> None:
        """Make the KV cache hold exactly these tokens."""
        kept = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(self._cached, tokens, strict=False)))
        del self._cached[kept:]
        for start in range(kept, len(tokens), _PIECE):
            self._engine.prefill(tokens[start : start + _PIECE], position=start)
            self._cached += tokens[start : start + _PIECE]
