"""Fuzz targets for conversations: a model's Markdown and saved files."""

from __future__ import annotations

from contextlib import suppress

from hipport.errors import HipportError
from hipport.llm.runtime.transcript import as_json, as_markdown, read_messages
from hipport.llm.serving.markdown import html_of
from tests.fuzz.target import Target
from tests.llm.runtime.test_transcript import SAID
from tests.llm.serving.hostile import HOSTILE, PIECES, Elements


def _markdown(data: bytes) -> None:
    """Render Markdown; its HTML has only known elements and attributes."""
    text = data.decode(errors="replace")
    for colors in (True, False):
        found = Elements()
        found.feed(html_of(text, colors=colors))
        found.close()
        assert found.wrong == []


def _transcript(data: bytes) -> None:
    """Load a saved conversation, and save it again."""
    with suppress(HipportError):
        messages = read_messages(data.decode(errors="replace"), "x")
        assert read_messages(as_json(messages, "x"), "x") == messages
        assert as_markdown(messages, "x").encode()


_WORDS = ('"messages"', '"role"', '"content"', '"user"', '"assistant"', '"system"', "[", "]", "{", "}", ",", "\\ud800")

CHAT_TARGETS = {
    "markdown": Target(_markdown, lambda: [text.encode() for text in HOSTILE.values()], tuple(PIECES)),
    "transcript": Target(_transcript, lambda: [as_json(said, "x").encode() for said in (SAID, [])], _WORDS),
}
