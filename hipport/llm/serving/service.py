"""Shared by the endpoints: checks of requests, and their jobs and answers."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hipport.errors import HipportError
from hipport.llm.runtime.engine import Sampling
from hipport.llm.serving.answers import Answers
from hipport.llm.serving.errors import ApiError
from hipport.llm.serving.jobs import Job
from hipport.llm.serving.scheduler import QueueFull, Scheduler
from hipport.llm.serving.schema import ChatRequest, Common, CompletionRequest
from hipport.llm.text.chat_template import ChatTemplate, needed
from hipport.llm.text.tokenizer import Text

_COMPLETION_TOKENS = 16
"""Default maximum length of a completion; a chat answer may fill the context."""

_COLDEST = 1e-3
"""Below this temperature only the most likely token is left, and single precision soon runs out of range."""


@dataclass(frozen=True, slots=True)
class Model:
    """The served model. `positions`: the longest sequence, prompt and answer together."""

    name: str
    text: Text
    vocabulary: int
    positions: int
    template: ChatTemplate | None = None
    created: int = field(default_factory=lambda: int(time.time()))


class Service:
    """Turns requests into answers. Raises `ApiError` for requests that it cannot serve."""

    def __init__(
        self, model: Model, scheduler: Scheduler, sequences: int, first_token: Callable[[float], None]
    ) -> None:
        self.model = model
        self.scheduler = scheduler
        self._most = scheduler.queue + sequences
        self._first_token = first_token

    def complete(self, asked: CompletionRequest) -> list[Job]:
        """Return the jobs of a completion request."""
        self._expect_model(asked)
        prompts = [self.model.text.tokens(p) if isinstance(p, str) else p for p in asked.prompt]
        return self._jobs(asked, prompts, asked.max_tokens or _COMPLETION_TOKENS, "prompt")

    def chat(self, asked: ChatRequest) -> list[Job]:
        """Return the jobs of a chat request."""
        self._expect_model(asked)
        try:
            text = needed(self.model.template, self.model.name).render([m.for_template() for m in asked.messages])
        except HipportError as error:
            raise ApiError(400, f"{error}. {error.hint}" if error.hint else str(error), param="messages") from None
        prompt = self.model.text.tokens(text, whole=False)
        wanted = asked.max_completion_tokens or asked.max_tokens
        return self._jobs(asked, [prompt], wanted or max(self.model.positions - len(prompt), 1), "messages")

    def answers(self, asked: Common, jobs: Sequence[Job]) -> Answers:
        """Submit jobs and return their answers."""
        try:
            return Answers(self.scheduler, self.model.text, jobs, asked.stops, self._first_token)
        except QueueFull as error:
            raise ApiError(429, str(error), code="queue_full", headers={"Retry-After": "1"}) from None
        except HipportError as error:
            raise ApiError(503, str(error), headers={"Retry-After": "5"}) from None

    def _expect_model(self, asked: Common) -> None:
        if asked.model not in (None, self.model.name):
            message = f"unknown model {asked.model!r}; this server has {self.model.name!r}"
            raise ApiError(404, message, code="model_not_found", param="model")

    def _jobs(self, asked: Common, prompts: Sequence[Sequence[int]], max_tokens: int, param: str) -> list[Job]:
        choices = asked.n or 1
        if len(prompts) * choices > self._most:
            message = f"{len(prompts) * choices} answers at once exceed the limit of {self._most}"
            raise ApiError(400, message, param="n")
        for prompt in prompts:
            self._expect_tokens(prompt, max_tokens, param)
        seed = secrets.randbits(64) if asked.seed is None else asked.seed
        return [
            Job(tuple(prompt), max_tokens, _sampling(asked, seed + i)) for prompt in prompts for i in range(choices)
        ]

    def _expect_tokens(self, prompt: Sequence[int], max_tokens: int, param: str) -> None:
        if not prompt:
            raise ApiError(400, "the prompt has no tokens", param=param)
        if not all(0 <= token < self.model.vocabulary for token in prompt):
            raise ApiError(
                400, f"the prompt has tokens outside the model's vocabulary of {self.model.vocabulary}", param=param
            )
        if len(prompt) >= self.model.positions:
            message = f"a prompt of {len(prompt)} tokens exceeds the context of {self.model.positions}"
            raise ApiError(400, message, code="context_length_exceeded", param=param)
        if len(prompt) + max_tokens > self.model.positions:
            message = (
                f"a prompt of {len(prompt)} tokens and an answer of up to {max_tokens} exceed the context of "
                f"{self.model.positions}"
            )
            raise ApiError(400, message, code="context_length_exceeded", param=param)


def _sampling(asked: Common, seed: int) -> Sampling:
    temperature = 1.0 if asked.temperature is None else asked.temperature
    return Sampling(
        temperature=temperature if temperature >= _COLDEST else 0.0,
        top_k=asked.top_k or 0,
        top_p=1.0 if asked.top_p is None else asked.top_p,
        min_p=asked.min_p or 0.0,
        repetition_penalty=asked.repetition_penalty or 1.0,
        seed=seed % 2**64,
    )
