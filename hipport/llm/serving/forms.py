"""The two response formats of OpenAI's API: completions and chat messages."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hipport.llm.serving.jobs import FinishReason

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Form:
    """The format of an API's whole answers and their pieces; `opening` is the first piece of an answer in a stream."""

    prefix: str
    whole: str
    piece: str
    whole_choice: Callable[[str], Json]
    piece_choice: Callable[[str, bool], Json]
    opening: Json | None = None


@dataclass(frozen=True, slots=True)
class Writer:
    """Builds the response bodies of one request, all with the same id and creation time."""

    form: Form
    model: str
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    created: int = field(default_factory=lambda: int(time.time()))

    def whole(self, texts: Sequence[tuple[str, FinishReason]], usage: Json) -> Json:
        """Return the body with all answers."""
        choices = [self._choice(i, self.form.whole_choice(text), finish) for i, (text, finish) in enumerate(texts)]
        return self._head(self.form.whole) | {"choices": choices, "usage": usage}

    def opening(self, number: int) -> Json | None:
        """Return what a stream sends of an answer before its text, or None."""
        return None if self.form.opening is None else self._piece(self._choice(number, self.form.opening, None))

    def piece(self, number: int, text: str, finish: FinishReason | None) -> Json:
        """Return a piece of an answer."""
        return self._piece(self._choice(number, self.form.piece_choice(text, finish is not None), finish))

    def usage(self, usage: Json) -> Json:
        """Return the last object of a stream, for requests that ask for usage."""
        return self._head(self.form.piece) | {"choices": [], "usage": usage}

    def _piece(self, choice: Json) -> Json:
        return self._head(self.form.piece) | {"choices": [choice]}

    def _head(self, kind: str) -> Json:
        return {"id": f"{self.form.prefix}-{self.id}", "object": kind, "created": self.created, "model": self.model}

    def _choice(self, number: int, content: Json, finish: FinishReason | None) -> Json:
        return {"index": number} | content | {"logprobs": None, "finish_reason": finish}


def usage(prompt_tokens: int, tokens: int) -> Json:
    """Return the token counts."""
    return {"prompt_tokens": prompt_tokens, "completion_tokens": tokens, "total_tokens": prompt_tokens + tokens}


COMPLETION = Form(
    "cmpl", "text_completion", "text_completion", lambda text: {"text": text}, lambda text, last: {"text": text}
)
CHAT = Form(
    "chatcmpl",
    "chat.completion",
    "chat.completion.chunk",
    lambda text: {"message": {"role": "assistant", "content": text}},
    lambda text, last: {"delta": {"content": text} if text or not last else {}},
    {"delta": {"role": "assistant", "content": ""}},
)
