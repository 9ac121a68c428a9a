"""Bodies of requests to `/v1/responses`, and the chat request that each one is."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from hipport.llm.serving.bodies import STRICT, without_neutral, without_nulls

_MOST = 4096

_UNSUPPORTED: dict[str, tuple[object, ...]] = {
    "previous_response_id": (),
    "conversation": (),
    "background": (False,),
    "include": ([],),
    "prompt": (),
    "reasoning": (),
    "truncation": ("disabled",),
    "max_tool_calls": (),
    "top_logprobs": (0,),
}
"""Unsupported parameters, with the values that, like null, request nothing. Responses are not stored."""


class ContentPart(BaseModel):
    """A part of a message, also as it was in an answer."""

    model_config = STRICT
    type: Literal["input_text", "output_text", "text"]
    text: str
    annotations: list[Any] | None = None
    logprobs: list[Any] | None = None


class Item(BaseModel):
    """An element of `input`: a message, a call of a function or its result; also as it was in an answer."""

    model_config = STRICT
    type: Literal["message", "function_call", "function_call_output"] = "message"
    role: Literal["system", "developer", "user", "assistant"] | None = None
    content: str | list[ContentPart] | None = None
    id: str | None = None
    status: str | None = None
    call_id: str | None = Field(None, min_length=1, max_length=256)
    name: str | None = Field(None, min_length=1, max_length=256)
    arguments: str | None = None
    output: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, data: Any) -> Any:
        return without_nulls(data)

    @model_validator(mode="after")
    def _has_what_its_type_needs(self) -> Item:
        for name in _NEEDED[self.type]:
            if getattr(self, name) is None:
                raise ValueError(f"{name}: Field required for a {self.type}")
        return self

    def message(self) -> dict[str, Any]:
        """Return the message of a chat."""
        if self.type == "function_call":
            call = {"id": self.call_id, "function": {"name": self.name, "arguments": self.arguments}}
            return {"role": "assistant", "tool_calls": [call]}
        if self.type == "function_call_output":
            return {"role": "tool", "tool_call_id": self.call_id, "content": self.output}
        parts = self.content if isinstance(self.content, list) else []
        text = self.content if isinstance(self.content, str) else "".join(part.text for part in parts)
        return {"role": self.role, "content": text}


_NEEDED = {
    "message": ("role", "content"),
    "function_call": ("call_id", "name", "arguments"),
    "function_call_output": ("call_id", "output"),
}


class TextFormat(BaseModel):
    """`text.format`."""

    model_config = STRICT
    type: Literal["text", "json_object", "json_schema"]
    name: str | None = None
    description: str | None = None
    schema_: dict[str, Any] | None = Field(None, alias="schema")
    strict: bool | None = None


class TextOptions(BaseModel):
    """`text`."""

    model_config = STRICT
    format: TextFormat | None = None


class FunctionTool(BaseModel):
    """An element of `tools`, flatter than in chats."""

    model_config = STRICT
    type: Literal["function"]
    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class ChosenTool(BaseModel):
    """`tool_choice` as an object."""

    model_config = STRICT
    type: Literal["function"]
    name: str


def _items(value: Any) -> Any:
    return [{"role": "user", "content": value}] if isinstance(value, str) else value


class ResponsesRequest(BaseModel):
    """`/v1/responses`."""

    model_config = STRICT
    model: str | None = None
    input: Annotated[list[Item], BeforeValidator(_items), Field(min_length=1, max_length=_MOST)]
    instructions: str | None = None
    max_output_tokens: int | None = Field(None, ge=1)
    temperature: float | None = None
    top_p: float | None = None
    text: TextOptions | None = None
    tools: list[FunctionTool] | None = None
    tool_choice: Literal["none", "auto", "required"] | ChosenTool | None = None
    parallel_tool_calls: bool | None = None
    stream: bool | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_neutral(cls, data: Any) -> Any:
        return without_neutral(data, _UNSUPPORTED)

    def chat(self) -> dict[str, Any]:
        """Return the body of the same request for a chat. Calls next to each other are of one message."""
        messages: list[dict[str, Any]] = []
        if self.instructions:
            messages.append({"role": "system", "content": self.instructions})
        for item in self.input:
            message = item.message()
            if item.type == "function_call" and messages and messages[-1]["role"] == "assistant":
                messages[-1].setdefault("tool_calls", []).extend(message["tool_calls"])
            else:
                messages.append(message)
        same = ("model", "temperature", "top_p", "parallel_tool_calls", "stream")
        found = {name: getattr(self, name) for name in same}
        return found | {
            "messages": messages,
            "max_completion_tokens": self.max_output_tokens,
            "response_format": self._format(),
            "tools": [_nested(tool) for tool in self.tools] if self.tools else None,
            "tool_choice": _choice(self.tool_choice),
        }

    def _format(self) -> dict[str, Any] | None:
        form = self.text.format if self.text else None
        if form is None or form.type != "json_schema":
            return {"type": form.type} if form else None
        return {"type": form.type, "json_schema": {"name": form.name, "schema": form.schema_}}


def _nested(tool: FunctionTool) -> dict[str, Any]:
    return {"type": "function", "function": tool.model_dump(exclude={"type"}, exclude_none=True)}


def _choice(choice: str | ChosenTool | None) -> Any:
    return {"type": "function", "function": {"name": choice.name}} if isinstance(choice, ChosenTool) else choice
