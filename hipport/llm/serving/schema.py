"""Request bodies: OpenAI's parameters, and others that vLLM has: top_k, min_p, guided_json, ignore_eos..."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, PlainValidator, field_validator, model_validator

from hipport.llm.serving.bodies import MOST_ITEMS, STRICT, without_neutral
from hipport.llm.serving.message_schema import ChatMessage, NamedTool, Tool

_UNSUPPORTED: Mapping[str, tuple[object, ...]] = {
    "best_of": (1,),
    "suffix": ("",),
    "functions": ([],),
    "function_call": ("none",),
    "modalities": (["text"],),
    "audio": (),
    "prediction": (),
    "reasoning_effort": (),
    "verbosity": (),
    "web_search_options": (),
}
"""Unsupported parameters, with the values that, like null, request nothing."""

_GUIDED = ("guided_json", "guided_regex", "guided_grammar", "guided_choice")
_MOST_CHOICES, _MOST_STOPS, _LONGEST_STOP = 16, 16, 256
_MOST_BIASES, _MOST_LOGPROBS = 1024, 20

_StopString = Annotated[str, Field(min_length=1, max_length=_LONGEST_STOP)]
_Bias = Annotated[float, Field(ge=-100, le=100)]
_Biases = Annotated[dict[int, _Bias], Field(max_length=_MOST_BIASES)]
_Choice = Annotated[str, Field(min_length=1, max_length=4096)]
_Stops = Annotated[list[_StopString], Field(max_length=_MOST_STOPS)]


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _prompts(value: Any) -> list[str] | list[list[int]]:
    """Convert one or several texts or lists of tokens to a list."""
    if isinstance(value, str) or _all_are(int, value):
        return [value]
    if _all_are(str, value) or (_all_are(list, value) and all(_all_are(int, item) for item in value)):
        return list(value)
    raise ValueError("must be a string, a list of strings, a list of tokens, or a list of such lists")


def _all_are(kind: type, values: Any) -> bool:
    return isinstance(values, list) and bool(values) and all(type(value) is kind for value in values)


def _biases(value: Any) -> Any:
    """Convert the keys, which JSON spells as strings, to tokens."""
    if not isinstance(value, dict):
        return value
    if not all(isinstance(key, str) and key.isascii() and key.isdigit() and len(key) < 10 for key in value):
        raise ValueError("its keys must be numbers of tokens")
    return {int(key): bias for key, bias in value.items()}


def _number_or_none(value: Any) -> Any:
    return None if value is False else value


class StreamOptions(BaseModel):
    """`stream_options`."""

    model_config = STRICT
    include_usage: bool | None = None
    include_obfuscation: bool | None = None
    continuous_usage_stats: bool | None = None


class JsonSchema(BaseModel):
    """The schema in `response_format`."""

    model_config = STRICT
    name: str | None = None
    description: str | None = None
    schema_: dict[str, Any] | None = Field(None, alias="schema")
    strict: bool | None = None


class ResponseFormat(BaseModel):
    """`response_format`."""

    model_config = STRICT
    type: Literal["text", "json_object", "json_schema"]
    json_schema: JsonSchema | None = None

    @model_validator(mode="after")
    def _has_a_schema(self) -> ResponseFormat:
        if (self.type == "json_schema") != bool(self.json_schema and self.json_schema.schema_ is not None):
            raise ValueError("json_schema.schema is given with the type json_schema, and only with it")
        return self


class Common(BaseModel):
    """Parameters of all kinds of requests for text. None is the same as absent."""

    model_config = STRICT
    model: str | None = None
    temperature: float | None = Field(None, ge=0, le=2)
    top_p: float | None = Field(None, ge=0, le=1)
    top_k: int | None = Field(None, ge=0, lt=2**31)
    min_p: float | None = Field(None, ge=0, le=1)
    repetition_penalty: float | None = Field(None, ge=0.01, le=100)
    seed: int | None = Field(None, ge=-(2**63), lt=2**63)
    n: int | None = Field(None, ge=1, le=_MOST_CHOICES)
    max_tokens: int | None = Field(None, ge=1)
    stop: Annotated[_Stops | None, BeforeValidator(_listed)] = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    presence_penalty: float | None = Field(None, ge=-2, le=2)
    frequency_penalty: float | None = Field(None, ge=-2, le=2)
    logit_bias: Annotated[_Biases | None, BeforeValidator(_biases)] = None
    response_format: ResponseFormat | None = None
    guided_json: dict[str, Any] | None = None
    guided_regex: str | None = None
    guided_grammar: str | None = None
    guided_choice: Annotated[list[_Choice], Field(min_length=1, max_length=MOST_ITEMS)] | None = None
    ignore_eos: bool | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_neutral(cls, data: Any) -> Any:
        return without_neutral(data, _UNSUPPORTED)

    @model_validator(mode="after")
    def _has_one_grammar(self) -> Common:
        if len(given := self._grammars()) > 1:
            raise ValueError(f"{' and '.join(given)} exclude each other")
        return self

    def _grammars(self) -> list[str]:
        """Return the names of the given parameters that restrict the form of the answer."""
        structured = self.response_format is not None and self.response_format.type != "text"
        return [name for name in _GUIDED if getattr(self, name) is not None] + ["response_format"] * structured

    @property
    def is_guided(self) -> bool:
        """Whether a grammar or schema for the answer is given."""
        return bool(self._grammars())

    @property
    def has_grammar(self) -> bool:
        """Whether a grammar is compiled for the answer."""
        return self.is_guided

    @property
    def most_logprobs(self) -> int | None:
        """The number of the likeliest tokens whose log probabilities are requested; None: not even the own one's."""
        return None

    @property
    def stops(self) -> tuple[str, ...]:
        return tuple(self.stop or ())

    @property
    def include_usage(self) -> bool:
        """Return whether a stream ends with the token counts."""
        return bool(self.stream_options and self.stream_options.include_usage)

    @property
    def continuous_usage(self) -> bool:
        """Return whether each piece of a stream has the token counts so far, as in vLLM."""
        return bool(self.include_usage and self.stream_options and self.stream_options.continuous_usage_stats)


class CompletionRequest(Common):
    """`/v1/completions`."""

    prompt: Annotated[list[str] | list[list[int]], PlainValidator(_prompts)]
    echo: bool | None = None
    logprobs: Annotated[int | None, BeforeValidator(_number_or_none)] = Field(None, ge=0, le=_MOST_LOGPROBS)

    @model_validator(mode="after")
    def _logprobs_are_of_the_answer(self) -> CompletionRequest:
        if self.echo and self.logprobs is not None:
            raise ValueError("logprobs of the prompt (echo) are not supported")
        return self

    @property
    def most_logprobs(self) -> int | None:
        return self.logprobs


class ChatRequest(Common):
    """`/v1/chat/completions`."""

    messages: list[ChatMessage] = Field(min_length=1)
    max_completion_tokens: int | None = Field(None, ge=1)
    logprobs: bool | None = None
    top_logprobs: int | None = Field(None, ge=0, le=_MOST_LOGPROBS)
    tools: list[Tool] | None = Field(None, max_length=MOST_ITEMS)
    tool_choice: Literal["none", "auto", "required"] | NamedTool | None = None
    parallel_tool_calls: bool | None = None

    @field_validator("messages")
    @classmethod
    def _ends_with_a_question(cls, messages: list[ChatMessage]) -> list[ChatMessage]:
        if messages[-1].role == "assistant":
            raise ValueError("the last message is the assistant's; nothing to answer")
        return messages

    @model_validator(mode="after")
    def _fits_together(self) -> ChatRequest:
        if self.top_logprobs and not self.logprobs:
            raise ValueError("top_logprobs needs logprobs")
        names = [tool.function.name for tool in self.tools or ()]
        if len(set(names)) < len(names):
            raise ValueError("tools: two functions have the same name")
        if isinstance(self.tool_choice, NamedTool) and self.tool_choice.function.name not in names:
            raise ValueError(f"tool_choice: {self.tool_choice.function.name!r} is not among the tools")
        if self.tool_choice == "required" and not names:
            raise ValueError("tool_choice: required needs tools")
        if self.forced_tools and self.is_guided:
            raise ValueError("tool_choice: a forced call and another format of the answer exclude each other")
        return self

    @property
    def offered_tools(self) -> list[Tool]:
        """The tools that the model gets to know."""
        return [] if self.tool_choice == "none" else self.tools or []

    @property
    def forced_tools(self) -> list[Tool]:
        """The tools of which one must be called; none if the model may answer otherwise."""
        if isinstance(self.tool_choice, NamedTool):
            wanted = self.tool_choice.function.name
            return [tool for tool in self.tools or () if tool.function.name == wanted]
        return self.offered_tools if self.tool_choice == "required" else []

    @property
    def has_grammar(self) -> bool:
        return self.is_guided or bool(self.forced_tools)

    @property
    def most_logprobs(self) -> int | None:
        return (self.top_logprobs or 0) if self.logprobs else None


class EmbeddingRequest(BaseModel):
    """`/v1/embeddings`."""

    model_config = STRICT
    input: Annotated[list[str] | list[list[int]], PlainValidator(_prompts)]
    model: str | None = None
    encoding_format: Literal["float", "base64"] | None = None
    dimensions: int | None = Field(None, ge=1)
    user: str | None = None


class TokenizeRequest(BaseModel):
    """`/tokenize`: a text, or the messages of a chat."""

    model_config = STRICT
    model: str | None = None
    prompt: str | None = None
    messages: list[ChatMessage] | None = Field(None, min_length=1)
    add_special_tokens: bool = True

    @model_validator(mode="after")
    def _has_one(self) -> TokenizeRequest:
        if (self.prompt is None) == (self.messages is None):
            raise ValueError("either prompt or messages is needed")
        return self


class DetokenizeRequest(BaseModel):
    """`/detokenize`."""

    model_config = STRICT
    model: str | None = None
    tokens: list[int]
