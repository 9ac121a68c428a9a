"""The two shapes of answers in OpenAI's API: texts and messages."""

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
    """How one API writes a whole answer, and pieces of it; `opening` is a stream's first piece of each answer."""

    prefix: str
    whole: str
    piece: str
    whole_choice: Callable[[str], Json]
    piece_choice: Callable[[str, bool], Json]
    opening: Json | None = None


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes the bodies of one request's answers, all with the same number and time."""

    form: Form
    model: str
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    created: int = field(default_factory=lambda: int(time.time()))

    def whole(self, texts: Sequence[tuple[str, FinishReason]], usage: Json) -> Json:
        """All answers."""
        choices = [self._choice(i, self.form.whole_choice(text), finish) for i, (text, finish) in enumerate(texts)]
        return self._head(self.form.whole) | {"choices": choices, "usage": usage}

    def opening(self, number: int) -> Json | None:
        """What a stream has of an answer before its text."""
        return None if self.form.opening is None else self._piece(self._choice(number, self.form.opening, None))

    def piece(self, number: int, text: str, finish: FinishReason | None) -> Json:
        """More of an answer."""
        return self._piece(self._choice(number, self.form.piece_choice(text, finish is not None), finish))

    def usage(self, usage: Json) -> Json:
        """A stream's last object, where usage was asked for."""
        return self._head(self.form.piece) | {"choices": [], "usage": usage}

    def _piece(self, choice: Json) -> Json:
        return self._head(self.form.piece) | {"choices": [choice]}

    def _head(self, kind: str) -> Json:
        return {"id": f"{self.form.prefix}-{self.id}", "object": kind, "created": self.created, "model": self.model}

    def _choice(self, number: int, content: Json, finish: FinishReason | None) -> Json:
        return {"index": number} | content | {"logprobs": None, "finish_reason": finish}


def usage(prompt_tokens: int, tokens: int) -> Json:
    """The numbers of tokens."""
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
