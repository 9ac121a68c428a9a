"""Request bodies: OpenAI's parameters plus top_k, min_p and repetition_penalty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    field_validator,
    model_validator,
)

from hipport.llm.serving.errors import ApiError

_IGNORED = frozenset(
    {"user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key", "prompt_cache_retention"}
)
"""Parameters that do not affect the answer."""

_NOT_HERE: Mapping[str, tuple[object, ...]] = {
    "best_of": (1,),
    "echo": (False,),
    "suffix": ("",),
    "frequency_penalty": (0, 0.0),
    "presence_penalty": (0, 0.0),
    "logit_bias": ({},),
    "logprobs": (False,),
    "top_logprobs": (0,),
    "tools": ([],),
    "tool_choice": ("none",),
    "parallel_tool_calls": (True, False),
    "functions": ([],),
    "function_call": ("none",),
    "response_format": ({"type": "text"},),
    "modalities": (["text"],),
    "audio": (),
    "prediction": (),
    "reasoning_effort": (),
    "verbosity": (),
    "web_search_options": (),
}
"""Unsupported parameters, with the values that, like null, request nothing."""

_STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
_MOST_CHOICES, _MOST_STOPS, _LONGEST_STOP = 16, 16, 256

_StopString = Annotated[str, Field(min_length=1, max_length=_LONGEST_STOP)]
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


def _parts(value: Any) -> Any:
    return [{"type": "text", "text": value}] if isinstance(value, str) else value


class StreamOptions(BaseModel):
    """`stream_options`."""

    model_config = _STRICT
    include_usage: bool | None = None
    include_obfuscation: bool | None = None
    continuous_usage_stats: bool | None = None


class Common(BaseModel):
    """Parameters of both kinds of requests. None is the same as absent."""

    model_config = _STRICT
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

    @model_validator(mode="before")
    @classmethod
    def _without_neutral(cls, data: Any) -> Any:
        """Drop parameters without effect, so that programs which send all parameters are accepted."""
        if not isinstance(data, dict):
            return data
        for name, neutral in _NOT_HERE.items():
            if not _asks_nothing(data.get(name), neutral):
                raise ValueError(f"{name} is not supported")
        return {name: value for name, value in data.items() if name not in _NOT_HERE and name not in _IGNORED}

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


class TextPart(BaseModel):
    """A part of a message."""

    model_config = _STRICT
    type: Literal["text"]
    text: str


class ChatMessage(BaseModel):
    """A message of a conversation."""

    model_config = _STRICT
    role: Literal["system", "developer", "user", "assistant"]
    content: Annotated[list[TextPart], BeforeValidator(_parts)]
    name: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, data: Any) -> Any:
        """Drop nulls: programs send answers back as received, with null for every absent field."""
        return {k: v for k, v in data.items() if v is not None} if isinstance(data, dict) else data

    def for_template(self) -> dict[str, str]:
        """Return the message in the form that chat templates expect."""
        text = "".join(part.text for part in self.content)
        role = "system" if self.role == "developer" else self.role
        return {"role": role, "content": text} | ({"name": self.name} if self.name else {})


class ChatRequest(Common):
    """`/v1/chat/completions`."""

    messages: list[ChatMessage] = Field(min_length=1)
    max_completion_tokens: int | None = Field(None, ge=1)

    @field_validator("messages")
    @classmethod
    def _ends_with_a_question(cls, messages: list[ChatMessage]) -> list[ChatMessage]:
        if messages[-1].role == "assistant":
            raise ValueError("the last message is the assistant's; nothing to answer")
        return messages


def _asks_nothing(value: Any, neutral: tuple[object, ...]) -> bool:
    """Return whether a value is null or neutral; 0 is not False."""
    return value is None or any(type(value) is type(one) and value == one for one in neutral)


_R = TypeVar("_R", bound=BaseModel)


def parsed(kind: type[_R], body: bytes) -> _R:
    """Parse a request's body. Raises `ApiError` if it is not JSON or does not match the schema."""
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        raise _explained(error) from None


def _explained(error: ValidationError) -> ApiError:
    """Return the first validation error as an `ApiError`."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        message = "unknown parameter"
    return ApiError(400, f"{where}: {message}" if where else message, param=where or None)
