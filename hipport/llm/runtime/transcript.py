"""Conversations as files: Markdown to read, JSON to continue."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hipport.errors import HipportError
from hipport.files.documents import parse_json
from hipport.llm.text.chat_template import Message

LARGEST = 64 << 20
"""Size limit of a file in bytes."""
_NAMES = {"system": "System prompt", "user": "Question", "assistant": "Answer"}


def as_json(messages: Sequence[Message], model: str) -> str:
    """Return a conversation in the form of a request to `hipport llm serve`."""
    return (
        json.dumps({"model": model, "messages": [dict(each) for each in messages]}, indent=2, ensure_ascii=False) + "\n"
    )


def as_markdown(messages: Sequence[Message], model: str) -> str:
    """Return a conversation as a page with a section per message. Messages stay as written, with their headings."""
    sections = (f"## {_NAMES[each['role']]}\n\n{each['content'].strip()}\n" for each in messages)
    return "\n".join([f"# Conversation with {model}\n", *sections])


def read_messages(text: str, where: str) -> list[Message]:
    """Return the messages in `as_json`'s form. Raises `HipportError` if it is another."""
    try:
        found = parse_json(text, where)
    except ValueError as error:
        raise HipportError(
            f"{where} is not valid JSON: {error}", hint="Load what /save wrote to a .json file."
        ) from None
    messages = found.get("messages") if isinstance(found, dict) else None
    if not isinstance(messages, list) or not all(map(_is_message, messages)):
        hint = 'A conversation is {"messages": [{"role": "user", "content": "..."}, ...]}.'
        raise HipportError(f"{where} is not a conversation", hint=hint)
    said = [each["role"] for each in messages[bool(messages) and messages[0]["role"] == "system" :]]
    if said != ["user", "assistant"] * (len(said) // 2):
        raise HipportError(f"{where}: questions and answers do not alternate, up to an answer")
    return [{"role": each["role"], "content": _text(each["content"])} for each in messages]


def _text(content: str) -> str:
    """Replace lone surrogates, which JSON can spell and no file can hold."""
    return content.encode(errors="replace").decode()


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("content"), str):
        return False
    return isinstance(value.get("role"), str) and value["role"] in _NAMES  # other values may have no hash
