"""The two response formats of OpenAI's API: completions and chat messages."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hipport.llm.serving.answers import Delta, MadeCall
from hipport.llm.serving.jobs import FinishReason
from hipport.llm.serving.token_texts import TokenTexts

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Form:
    """The format of an API's whole answers and their pieces; `opening` is the first piece of an answer in a stream."""

    prefix: str
    whole: str
    piece: str
    whole_choice: Callable[[Delta], Json]
    piece_choice: Callable[[Delta], Json]
    opening: Json | None = None


@dataclass(frozen=True, slots=True)
class Writer:
    """Builds the response bodies of one request, all with the same id and creation time."""

    form: Form
    model: str
    tokens: TokenTexts | None = None
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    created: int = field(default_factory=lambda: int(time.time()))

    def whole(self, answers: Sequence[Delta], usage: Json) -> Json:
        """Return the body with all answers."""
        choices = [self._choice(answer.choice, self.form.whole_choice(answer), answer) for answer in answers]
        return self._head(self.form.whole) | {"choices": choices, "usage": usage}

    def opening(self, number: int) -> Json | None:
        """Return what a stream sends of an answer before its text, or None."""
        if self.form.opening is None:
            return None
        return self._piece(_choice(number, self.form.opening, None, None))

    def piece(self, delta: Delta) -> Json:
        """Return a piece of an answer."""
        return self._piece(self._choice(delta.choice, self.form.piece_choice(delta), delta))

    def usage(self, usage: Json) -> Json:
        """Return the last object of a stream, for requests that ask for usage."""
        return self._head(self.form.piece) | {"choices": [], "usage": usage}

    def _piece(self, choice: Json) -> Json:
        return self._head(self.form.piece) | {"choices": [choice]}

    def _head(self, kind: str) -> Json:
        return {"id": f"{self.form.prefix}-{self.id}", "object": kind, "created": self.created, "model": self.model}

    def _choice(self, number: int, content: Json, delta: Delta) -> Json:
        logprobs = self.tokens.logprobs(number, delta.tokens) if self.tokens and delta.tokens else None
        return _choice(number, content, logprobs, delta.finish)


def _choice(number: int, content: Json, logprobs: Json | None, finish: FinishReason | None) -> Json:
    return {"index": number} | content | {"logprobs": logprobs, "finish_reason": finish}


def usage(prompt_tokens: int, tokens: int, reused: int) -> Json:
    """Return the token counts; `reused` tokens of the prompt were in the cache."""
    counts = {"prompt_tokens": prompt_tokens, "completion_tokens": tokens, "total_tokens": prompt_tokens + tokens}
    return counts | {"prompt_tokens_details": {"cached_tokens": reused}}


def call_json(made: MadeCall) -> Json:
    """Return the call of a tool as the API writes it."""
    return {
        "id": made.id,
        "type": "function",
        "function": {"name": made.call.name, "arguments": made.call.arguments},
    }


def _message(answer: Delta) -> Json:
    message: Json = {"role": "assistant", "content": answer.text}
    if answer.calls:
        message |= {"content": answer.text or None, "tool_calls": [call_json(made) for made in answer.calls]}
    return {"message": message}


def _piece_of_message(delta: Delta) -> Json:
    found: Json = {"content": delta.text} if delta.text or not (delta.finish or delta.calls) else {}
    if delta.calls:
        found["tool_calls"] = [{"index": made.index} | call_json(made) for made in delta.calls]
    return {"delta": found}


COMPLETION = Form(
    "cmpl",
    "text_completion",
    "text_completion",
    lambda answer: {"text": answer.text},
    lambda delta: {"text": delta.text},
)
CHAT = Form(
    "chatcmpl",
    "chat.completion",
    "chat.completion.chunk",
    _message,
    _piece_of_message,
    {"delta": {"role": "assistant", "content": ""}},
)
