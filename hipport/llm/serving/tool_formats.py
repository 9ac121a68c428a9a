"""The formats in which models write calls of tools, and how calls are found in answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from hipport.errors import HipportError
from hipport.files.documents import parse_json
from hipport.llm.guided.compiling import WITHOUT_SPACES
from hipport.llm.guided.grammar import Grammars

FormatName: TypeAlias = Literal["hermes", "llama3", "mistral"]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function, whose arguments are JSON."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolFormat:
    """A format: `begin` is before calls, `end` after each (none: calls are a JSON array or object to the end).

    `arguments`: the key of the arguments. `bare`: a call without `begin` is one, too, if the answer begins with `{`.
    """

    begin: str
    end: str
    arguments: str = "arguments"
    bare: bool = False
    array: bool = False

    def calls(self, text: str) -> list[Call] | None:
        """Return the calls in the text between the markers, or None if it is not JSON of the right form."""
        parts = text.split("; ") if self.bare else [text]
        found: list[Any] = []
        for part in parts:
            try:
                value = parse_json(part.strip(), "the call")
            except (ValueError, HipportError):
                return None
            found += value if isinstance(value, list) else [value]
        calls = [self._call(each) for each in found]
        return [call for call in calls if call] if calls and all(calls) else None

    def _call(self, value: Any) -> Call | None:
        if not isinstance(value, dict) or not isinstance(value.get("name"), str):
            return None
        arguments = value.get(self.arguments, value.get("arguments", value.get("parameters", {})))
        if isinstance(arguments, str):  # some models write JSON in a string
            return Call(value["name"], arguments)
        return Call(value["name"], json.dumps(arguments, ensure_ascii=False)) if isinstance(arguments, dict) else None

    def grammar(self, functions: Mapping[str, Any], grammars: Grammars, *, parallel: bool) -> str:
        """Return the Lark grammar of an answer that consists of calls of these functions (name: JSON schema)."""
        calls = [self._schema(i, name, schema) for i, (name, schema) in enumerate(functions.items())]
        call = json.dumps({"anyOf": calls, "x-guidance": WITHOUT_SPACES})
        begin, end = (grammars.marker(text) if text else "" for text in (self.begin, self.end))
        if self.array:
            more = ' ("," call)*' if parallel else ""
            start = f'{begin} "[" call{more} "]"'
        elif self.end:
            one = f'{begin} "\\n" call "\\n" {end}'
            start = f'({one}) ("\\n" {one})*' if parallel else one
        else:
            start = "call"
        return f"start: {start}\ncall: %json {call}\n"

    def _schema(self, number: int, name: str, schema: Any) -> dict[str, Any]:
        arguments = moved(schema, f"#/anyOf/{number}/properties/{self.arguments}") if schema else {"type": "object"}
        return {
            "type": "object",
            "properties": {"name": {"const": name}, self.arguments: arguments},
            "required": ["name", self.arguments],
            "additionalProperties": False,
        }


FORMATS: Mapping[FormatName, ToolFormat] = {
    "hermes": ToolFormat("<tool_call>", "</tool_call>"),
    "llama3": ToolFormat("<|python_tag|>", "", arguments="parameters", bare=True),
    "mistral": ToolFormat("[TOOL_CALLS]", "", array=True),
}
"""Qwen and Hermes; Llama 3 (JSON); Mistral."""

_MARKS: Sequence[tuple[str, FormatName]] = (
    ("[TOOL_CALLS]", "mistral"),
    ("<tool_call>", "hermes"),
    ("<|python_tag|>", "llama3"),
    ("<|eom_id|>", "llama3"),
    ('"parameters":', "llama3"),
)


def format_of(template: str) -> FormatName | None:
    """Return the format that a chat template shows to the model, or None if it has no tools or an unknown format."""
    if "tools" not in template:
        return None
    return next((name for mark, name in _MARKS if mark in template), None)


def moved(schema: Any, place: str) -> Any:
    """Return a schema that is now at `place` of another one, with its references to its own parts."""
    if isinstance(schema, list):
        return [moved(each, place) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: moved(value, place) for key, value in schema.items()}
    own = schema.get("$ref")
    return found | {"$ref": place + own[1:]} if isinstance(own, str) and own.startswith("#") else found


class ToolReader:
    """Separates an answer's text from its calls, piece by piece. Calls that are no JSON stay text."""

    __slots__ = ("_after_call", "_format", "_held", "_in_call", "_started", "found")

    def __init__(self, form: ToolFormat) -> None:
        self._format = form
        self._held = ""
        self._in_call = False
        self._started = False
        self._after_call = False
        self.found = 0

    def feed(self, piece: str) -> tuple[str, list[Call]]:
        """Add text; return what is text for sure, and calls that are complete."""
        self._held += piece
        text, calls = "", list[Call]()
        while True:
            if not self._in_call:
                text += self._before_call()
                if not self._in_call:
                    return text, calls
            end = self._held.find(self._format.end) if self._format.end else -1
            if end < 0:
                return text, calls
            inner, self._held = self._held[:end], self._held[end + len(self._format.end) :]
            self._in_call = False
            text += self._made(inner, calls)

    def rest(self) -> tuple[str, list[Call]]:
        """Return what was held back, once there is no more text."""
        calls = list[Call]()
        held, self._held = self._held, ""
        if not self._in_call:
            return self._shown(held), calls
        self._in_call = False
        return self._made(held, calls), calls

    def _before_call(self) -> str:
        """Return text before the next call, which begins if its marker is there."""
        form, held = self._format, self._held
        if form.bare and not self._started and held.lstrip().startswith("{"):
            self._in_call = self._started = True
            return ""
        place = held.find(form.begin)
        if place >= 0:
            self._in_call = self._started = True
            self._held = held[place + len(form.begin) :]
            return self._shown(held[:place])
        if form.bare and not self._started and not held.strip():
            return ""
        kept = next(
            (n for n in range(min(len(held), len(form.begin) - 1), 0, -1) if form.begin.startswith(held[-n:])), 0
        )
        text, self._held = held[: len(held) - kept], held[len(held) - kept :]
        self._started = self._started or bool(text.strip())
        return self._shown(text)

    def _shown(self, text: str) -> str:
        """Return text without spaces and line breaks after a call."""
        text = text.lstrip() if self._after_call else text
        self._after_call = self._after_call and not text
        return text

    def _made(self, inner: str, calls: list[Call]) -> str:
        """Add the calls in a text; return the text if it has none."""
        made = self._format.calls(inner)
        if made is None:
            begin = "" if self._format.bare and inner.lstrip().startswith("{") else self._format.begin
            return self._shown(begin + inner + self._format.end)
        calls += made
        self._after_call = True
        self.found += len(made)
        return ""
