"""Shared by the endpoints: checks of requests, and their jobs and answers."""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from hipport.errors import HipportError
from hipport.llm.runtime.engine import Sampling
from hipport.llm.serving.answers import Answers, Questions
from hipport.llm.serving.errors import ApiError
from hipport.llm.serving.grammars import GrammarsOf
from hipport.llm.serving.jobs import Controls, Job, Pooling
from hipport.llm.serving.scheduler import QueueFull, Scheduler
from hipport.llm.serving.schema import ChatRequest, Common, CompletionRequest, EmbeddingRequest
from hipport.llm.serving.tool_formats import FORMATS, FormatName, ToolFormat, format_of
from hipport.llm.serving.vectors import Vectors
from hipport.llm.text.chat_template import ChatTemplate, needed
from hipport.llm.text.tokenizer import Text
from hipport.llm.text.vocabulary import Vocabulary

_COMPLETION_TOKENS = 16
"""Default maximum length of a completion; a chat answer may fill the context."""

_COLDEST = 1e-3
"""Below this temperature only the most likely token is left, and single precision soon runs out of range."""


@dataclass(frozen=True, slots=True)
class Model:
    """The served model. `positions`: the longest sequence, prompt and answer together.

    `tools`: the format of calls of tools, by default what the template shows. `pooling`: how prompts are embedded.
    """

    name: str
    text: Text
    vocabulary: int
    positions: int
    template: ChatTemplate | None = None
    end_tokens: tuple[int, ...] = ()
    tools: FormatName | None = None
    pooling: Pooling = "last"
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
        self._grammars = GrammarsOf(model.text, model.vocabulary, model.end_tokens)

    def vocabulary(self) -> Vocabulary:
        """Return the texts of tokens. Takes a while at first."""
        try:
            return self._grammars.vocabulary()
        except HipportError as error:
            raise ApiError(400, str(error), param="logprobs") from None

    def complete(self, asked: CompletionRequest) -> Questions:
        """Return the jobs of a completion request."""
        self.expect_model(asked.model)
        prompts = [self.model.text.tokens(p) if isinstance(p, str) else p for p in asked.prompt]
        controls = self._controls(asked)
        jobs = self._jobs(asked, prompts, asked.max_tokens or _COMPLETION_TOKENS, "prompt", controls)
        echoes = [self.text_of(p) for p in asked.prompt for _ in range(asked.n or 1)] if asked.echo else ()
        return Questions(jobs, asked.stops, echoes)

    def chat(self, asked: ChatRequest) -> Questions:
        """Return the jobs of a chat request."""
        self.expect_model(asked.model)
        form = self._tool_format() if asked.offered_tools else None
        prompt = self.chat_tokens(asked)
        wanted = asked.max_completion_tokens or asked.max_tokens
        controls = self._controls(asked)
        if form and asked.forced_tools:
            parallel = asked.parallel_tool_calls is not False and asked.tool_choice == "required"
            functions = {tool.function.name: tool.function.parameters for tool in asked.forced_tools}
            controls = replace(controls, grammar=self._grammars.calls(form, functions, parallel=parallel))
        room = max(self.model.positions - len(prompt), 1)
        jobs = self._jobs(asked, [prompt], wanted or room, "messages", controls)
        return Questions(jobs, asked.stops, (), form)

    def chat_tokens(self, asked: ChatRequest) -> list[int]:
        """Return the prompt of a conversation."""
        messages = [message.for_template() for message in asked.messages]
        tools = [tool.model_dump(exclude_none=True) for tool in asked.offered_tools]
        try:
            text = needed(self.model.template, self.model.name).render(messages, tools)
        except HipportError as error:
            raise ApiError(400, f"{error}. {error.hint}" if error.hint else str(error), param="messages") from None
        return self.model.text.tokens(text, whole=False)

    def text_of(self, prompt: str | Sequence[int]) -> str:
        """Return the text of a prompt."""
        if isinstance(prompt, str):
            return prompt
        self.expect_known(prompt, "prompt")
        return "".join(self.model.text.pieces(prompt))

    def answers(self, asked: Questions) -> Answers:
        """Submit jobs and return their answers."""
        with _submitting():
            return Answers(self.scheduler, self.model.text, asked, self._first_token)

    def embed(self, asked: EmbeddingRequest) -> list[Job]:
        """Return the jobs of a request for embeddings."""
        self.expect_model(asked.model)
        prompts = [self.model.text.tokens(p) if isinstance(p, str) else p for p in asked.input]
        if len(prompts) > self._most:
            message = f"{len(prompts)} inputs at once exceed the limit of {self._most}"
            raise ApiError(400, message, param="input")
        for prompt in prompts:
            self._expect_tokens(prompt, 0, "input")
        return [Job(tuple(prompt), 0, Sampling(), pooling=self.model.pooling) for prompt in prompts]

    def vectors(self, jobs: Sequence[Job]) -> Vectors:
        """Submit jobs and return their vectors."""
        with _submitting():
            return Vectors(self.scheduler, jobs)

    def expect_model(self, name: str | None) -> None:
        """Raise `ApiError` if a request is for another model."""
        if name not in (None, self.model.name):
            message = f"unknown model {name!r}; this server has {self.model.name!r}"
            raise ApiError(404, message, code="model_not_found", param="model")

    def expect_known(self, tokens: Sequence[int], param: str) -> None:
        """Raise `ApiError` for tokens that the model does not have."""
        if not all(0 <= token < self.model.vocabulary for token in tokens):
            message = f"the prompt has tokens outside the model's vocabulary of {self.model.vocabulary}"
            raise ApiError(400, message, param=param)

    def _tool_format(self) -> ToolFormat:
        template = self.model.template
        name = self.model.tools or (format_of(template.source) if template else None)
        if name is None or template is None or "tools" not in template.source:
            message = "the model's chat template has no tools in a known format (hermes, llama3, mistral)"
            raise ApiError(400, message, param="tools")
        return FORMATS[name]

    def _controls(self, asked: Common) -> Controls:
        bias = asked.logit_bias or {}
        if any(token >= self.model.vocabulary for token in bias):
            message = f"logit_bias: the model's vocabulary has {self.model.vocabulary} tokens"
            raise ApiError(400, message, param="logit_bias")
        return Controls(
            bias=bias,
            presence=asked.presence_penalty or 0.0,
            frequency=asked.frequency_penalty or 0.0,
            grammar=self._grammars.of(asked),
            logprobs=asked.most_logprobs,
            ignore_end=bool(asked.ignore_eos),
        )

    def _jobs(
        self, asked: Common, prompts: Sequence[Sequence[int]], max_tokens: int, param: str, controls: Controls
    ) -> list[Job]:
        choices = asked.n or 1
        if len(prompts) * choices > self._most:
            message = f"{len(prompts) * choices} answers at once exceed the limit of {self._most}"
            raise ApiError(400, message, param="n")
        for prompt in prompts:
            self._expect_tokens(prompt, max_tokens, param)
        seed = secrets.randbits(64) if asked.seed is None else asked.seed
        return [
            Job(tuple(prompt), max_tokens, _sampling(asked, seed + i), controls)
            for prompt in prompts
            for i in range(choices)
        ]

    def _expect_tokens(self, prompt: Sequence[int], max_tokens: int, param: str) -> None:
        if not prompt:
            raise ApiError(400, "the prompt has no tokens", param=param)
        self.expect_known(prompt, param)
        if len(prompt) + bool(max_tokens) > self.model.positions:
            message = f"a prompt of {len(prompt)} tokens exceeds the context of {self.model.positions}"
            raise ApiError(400, message, code="context_length_exceeded", param=param)
        if len(prompt) + max_tokens > self.model.positions:
            message = (
                f"a prompt of {len(prompt)} tokens and an answer of up to {max_tokens} exceed the context of "
                f"{self.model.positions}"
            )
            raise ApiError(400, message, code="context_length_exceeded", param=param)


@contextlib.contextmanager
def _submitting() -> Iterator[None]:
    """Turn refusals of the scheduler into `ApiError`."""
    try:
        yield
    except QueueFull as error:
        raise ApiError(429, str(error), code="queue_full", headers={"Retry-After": "1"}) from None
    except HipportError as error:
        raise ApiError(503, str(error), headers={"Retry-After": "5"}) from None


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
