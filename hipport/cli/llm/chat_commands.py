"""Run the commands of a chat: /save, /load, /system and others."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from hipport.counts import count_of
from hipport.errors import HipportError

if TYPE_CHECKING:
    from hipport.llm.runtime.conversation import Conversation

HELP = """\
/system TEXT   replace the system prompt; without TEXT, show it; "" removes it
/retry         answer the last question again, with another seed
/reset         start a new conversation; /clear is the same
/save FILE     save the conversation as Markdown (.md) or JSON (.json);
               /save! overwrites
/load FILE     continue a conversation saved as JSON
/exit          exit; also /quit and Ctrl-D
Ctrl-C stops an answer. A line that ends with \\ continues on the next one;
lines between \"\"\" and \"\"\" are one message.\
"""


class Chat(Struct, frozen=True):
    """A conversation with the model `name`; `say` shows a notice."""

    conversation: Conversation
    name: str
    say: Callable[[str], None]


def run_command(text: str, chat: Chat) -> None:
    """Run a command other than those that end the chat or answer. Raises `HipportError`."""
    name, _, rest = text.partition(" ")
    command = _COMMANDS.get(name)
    if command is None:
        raise HipportError(f"unknown command {name}", hint='/help lists the commands; text after """ is a message.')
    command(chat, rest.strip())


def _system(chat: Chat, text: str) -> None:
    conversation = chat.conversation
    if text:
        conversation.system = None if text in ('""', "''") else text
    chat.say(f"system prompt: {conversation.system}" if conversation.system else "no system prompt")


def _reset(chat: Chat, text: str) -> None:
    _expect_nothing(text)
    chat.conversation.reset()
    chat.say("new conversation")


def _help(chat: Chat, text: str) -> None:
    _expect_nothing(text)
    chat.say(HELP)


def _save(chat: Chat, text: str) -> None:
    path = _path(text)
    if os.path.lexists(path):
        raise HipportError(f"{path} exists", hint="Give another name, or overwrite it: /save! FILE")
    _overwrite(chat, text)


def _overwrite(chat: Chat, text: str) -> None:
    from hipport.files import atomic
    from hipport.llm.runtime.transcript import as_json, as_markdown

    path, messages = _path(text), chat.conversation.messages
    form = {".json": as_json, ".md": as_markdown, ".markdown": as_markdown}.get(path.suffix.lower())
    if form is None:
        raise HipportError(f"{path} has no suffix that says its format", hint="Name a file FILE.md or FILE.json.")
    try:
        atomic.write(path, form(messages, chat.name).encode())
    except OSError as error:
        raise HipportError(f"cannot write {path}: {error.strerror}") from None
    chat.say(f"saved {count_of(len(messages), 'message')} in {path}")


def _load(chat: Chat, text: str) -> None:
    from hipport.files.documents import read_text
    from hipport.llm.runtime.transcript import LARGEST, read_messages

    path = _path(text)
    try:
        found = read_text(path, LARGEST)
    except OSError as error:
        raise HipportError(f"cannot read {path}: {error.strerror}") from None
    messages = read_messages(found, str(path))
    chat.conversation.restore(messages)
    chat.say(f"loaded {count_of(len(messages), 'message')} from {path}")


def _path(text: str) -> Path:
    if not text:
        raise HipportError("no file is named", hint="For example: /save chat.md")
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise HipportError(f"{text}: {error}") from None


def _expect_nothing(text: str) -> None:
    if text:
        raise HipportError(f"this command takes nothing, not {text!r}")


_COMMANDS: Mapping[str, Callable[[Chat, str], None]] = {
    "/system": _system,
    "/reset": _reset,
    "/clear": _reset,
    "/save": _save,
    "/save!": _overwrite,
    "/load": _load,
    "/help": _help,
}
