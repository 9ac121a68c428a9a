"""Request bodies: OpenAI's parameters, and others that vLLM has: top_k, min_p, guided_json, ignore_eos..."""

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

from hipport.errors import HipportError
from hipport.files.documents import parse_json
from hipport.llm.serving.errors import ApiError

_IGNORED = frozenset(
    {"user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key", "prompt_cache_retention"}
)
"""Parameters that do not affect the answer."""

_NOT_HERE: Mapping[str, tuple[object, ...]] = {
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
_STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
_MOST_CHOICES, _MOST_STOPS, _LONGEST_STOP = 16, 16, 256
_MOST_BIASES, _MOST_LOGPROBS, _MOST_TEXTS = 1024, 20, 256

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


def _parts(value: Any) -> Any:
    return [{"type": "text", "text": value}] if isinstance(value, str) else value


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

    model_config = _STRICT
    include_usage: bool | None = None
    include_obfuscation: bool | None = None
    continuous_usage_stats: bool | None = None


class JsonSchema(BaseModel):
    """The schema in `response_format`."""

    model_config = _STRICT
    name: str | None = None
    description: str | None = None
    schema_: dict[str, Any] | None = Field(None, alias="schema")
    strict: bool | None = None


class ResponseFormat(BaseModel):
    """`response_format`."""

    model_config = _STRICT
    type: Literal["text", "json_object", "json_schema"]
    json_schema: JsonSchema | None = None

    @model_validator(mode="after")
    def _has_a_schema(self) -> ResponseFormat:
        if (self.type == "json_schema") != bool(self.json_schema and self.json_schema.schema_ is not None):
            raise ValueError("json_schema.schema is given with the type json_schema, and only with it")
        return self


class Common(BaseModel):
    """Parameters of all kinds of requests for text. None is the same as absent."""

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
    presence_penalty: float | None = Field(None, ge=-2, le=2)
    frequency_penalty: float | None = Field(None, ge=-2, le=2)
    logit_bias: Annotated[_Biases | None, BeforeValidator(_biases)] = None
    response_format: ResponseFormat | None = None
    guided_json: dict[str, Any] | None = None
    guided_regex: str | None = None
    guided_grammar: str | None = None
    guided_choice: Annotated[list[_Choice], Field(min_length=1, max_length=_MOST_TEXTS)] | None = None
    ignore_eos: bool | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_neutral(cls, data: Any) -> Any:
        """Drop parameters without effect, so that programs which send all parameters are accepted."""
        return dropped(data, _NOT_HERE)

    @model_validator(mode="after")
    def _has_one_grammar(self) -> Common:
        structured = self.response_format is not None and self.response_format.type != "text"
        given = [name for name in _GUIDED if getattr(self, name) is not None] + ["response_format"] * structured
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} exclude each other")
        return self

    @property
    def is_guided(self) -> bool:
        """Whether a grammar or schema for the answer is given."""
        structured = self.response_format is not None and self.response_format.type != "text"
        return structured or any(getattr(self, name) is not None for name in _GUIDED)

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


class TextPart(BaseModel):
    """A part of a message."""

    model_config = _STRICT
    type: Literal["text"]
    text: str


class FunctionCall(BaseModel):
    """The function of a tool call."""

    model_config = _STRICT
    name: str = Field(min_length=1, max_length=256)
    arguments: str


class ToolCall(BaseModel):
    """A call in an earlier answer."""

    model_config = _STRICT
    id: str = Field(min_length=1, max_length=256)
    type: Literal["function"] = "function"
    function: FunctionCall
    index: int | None = None

    def for_template(self) -> dict[str, Any]:
        """Return the call with its arguments as an object, from which templates write JSON."""
        try:
            arguments = parse_json(self.function.arguments or "{}", "arguments")
        except (ValueError, HipportError):
            arguments = self.function.arguments
        function = {"name": self.function.name, "arguments": arguments}
        return {"id": self.id, "type": "function", "function": function}


class ChatMessage(BaseModel):
    """A message of a conversation."""

    model_config = _STRICT
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: Annotated[list[TextPart], BeforeValidator(_parts)] = Field(default_factory=list)
    name: str | None = None
    tool_calls: list[ToolCall] | None = Field(None, max_length=_MOST_TEXTS)
    tool_call_id: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, data: Any) -> Any:
        """Drop nulls: programs send answers back as received, with null for every absent field."""
        return {k: v for k, v in data.items() if v is not None} if isinstance(data, dict) else data

    @model_validator(mode="after")
    def _has_what_its_role_needs(self) -> ChatMessage:
        if "content" not in self.model_fields_set and not self.tool_calls:
            raise ValueError("content: Field required")
        if self.tool_calls and self.role != "assistant":
            raise ValueError("tool_calls: only the assistant's messages have them")
        if (self.role == "tool") != (self.tool_call_id is not None):
            raise ValueError("tool_call_id: messages of tools have it, and only they")
        return self

    def for_template(self) -> dict[str, Any]:
        """Return the message in the form that chat templates expect."""
        text = "".join(part.text for part in self.content)
        role = "system" if self.role == "developer" else self.role
        found: dict[str, Any] = {"role": role, "content": text}
        found |= {"name": self.name} if self.name else {}
        found |= {"tool_calls": [call.for_template() for call in self.tool_calls]} if self.tool_calls else {}
        return found | ({"tool_call_id": self.tool_call_id} if self.tool_call_id else {})


class Function(BaseModel):
    """A function that the model may call."""

    model_config = _STRICT
    name: str = Field(pattern=r"^[A-Za-z0-9_.-]{1,64}$")
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class Tool(BaseModel):
    """An element of `tools`."""

    model_config = _STRICT
    type: Literal["function"]
    function: Function


class NamedFunction(BaseModel):
    """The function that `tool_choice` names."""

    model_config = _STRICT
    name: str


class NamedTool(BaseModel):
    """`tool_choice` as an object."""

    model_config = _STRICT
    type: Literal["function"]
    function: NamedFunction


class ChatRequest(Common):
    """`/v1/chat/completions`."""

    messages: list[ChatMessage] = Field(min_length=1)
    max_completion_tokens: int | None = Field(None, ge=1)
    logprobs: bool | None = None
    top_logprobs: int | None = Field(None, ge=0, le=_MOST_LOGPROBS)
    tools: list[Tool] | None = Field(None, max_length=_MOST_TEXTS)
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

    model_config = _STRICT
    input: Annotated[list[str] | list[list[int]], PlainValidator(_prompts)]
    model: str | None = None
    encoding_format: Literal["float", "base64"] | None = None
    dimensions: int | None = Field(None, ge=1)
    user: str | None = None


class TokenizeRequest(BaseModel):
    """`/tokenize`: a text, or the messages of a chat."""

    model_config = _STRICT
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

    model_config = _STRICT
    model: str | None = None
    tokens: list[int]


def dropped(data: Any, not_here: Mapping[str, tuple[object, ...]]) -> Any:
    """Return a body without parameters that have no effect. Raises ValueError for unsupported ones that would."""
    if not isinstance(data, dict):
        return data
    for name, neutral in not_here.items():
        if not _asks_nothing(data.get(name), neutral):
            raise ValueError(f"{name} is not supported")
    return {name: value for name, value in data.items() if name not in not_here and name not in _IGNORED}


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
