"""Messages of a chat, and the tools that they call, in request bodies."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from hipport.errors import HipportError
from hipport.files.documents import parse_json
from hipport.llm.serving.bodies import MOST_ITEMS, STRICT, without_nulls


def _parts(value: Any) -> Any:
    return [{"type": "text", "text": value}] if isinstance(value, str) else value


class TextPart(BaseModel):
    """A part of a message."""

    model_config = STRICT
    type: Literal["text"]
    text: str


class FunctionCall(BaseModel):
    """The function of a tool call."""

    model_config = STRICT
    name: str = Field(min_length=1, max_length=256)
    arguments: str


class ToolCall(BaseModel):
    """A call in an earlier answer."""

    model_config = STRICT
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

    model_config = STRICT
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: Annotated[list[TextPart], BeforeValidator(_parts)] = Field(default_factory=list)
    name: str | None = None
    tool_calls: list[ToolCall] | None = Field(None, max_length=MOST_ITEMS)
    tool_call_id: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, data: Any) -> Any:
        return without_nulls(data)

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

    model_config = STRICT
    name: str = Field(pattern=r"^[A-Za-z0-9_.-]{1,64}$")
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class Tool(BaseModel):
    """An element of `tools`."""

    model_config = STRICT
    type: Literal["function"]
    function: Function


class NamedFunction(BaseModel):
    """The function that `tool_choice` names."""

    model_config = STRICT
    name: str


class NamedTool(BaseModel):
    """`tool_choice` as an object."""

    model_config = STRICT
    type: Literal["function"]
    function: NamedFunction
