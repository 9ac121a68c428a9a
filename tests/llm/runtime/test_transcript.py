"""Conversations as files."""

from __future__ import annotations

import pytest

from hipport.errors import HipportError
from hipport.llm.runtime.transcript import as_json, as_markdown, read_messages

SAID = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Why?\n\n```c\nint x;\n```"},
    {"role": "assistant", "content": 'Because "é".'},
]


@pytest.mark.parametrize("messages", [SAID, SAID[1:], SAID[:1], []])
def test_json_is_read_again(messages: list[dict[str, str]]) -> None:
    assert read_messages(as_json(messages, "tiny"), "file") == messages


def test_text_that_no_file_can_hold_is_replaced() -> None:
    text = '{"messages": [{"role": "user", "content": "a\\ud800"}, {"role": "assistant", "content": ""}]}'
    messages = read_messages(text, "file")
    assert messages[0]["content"] == "a?"
    assert as_markdown(messages, "tiny").encode()


def test_markdown() -> None:
    assert as_markdown(SAID[:2], "tiny") == (
        "# Conversation with tiny\n\n## System prompt\n\nBe brief.\n\n## Question\n\nWhy?\n\n```c\nint x;\n```\n"
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "file is not valid JSON"),
        ("[" * 100000, "file"),
        ("[]", "file is not a conversation"),
        ('{"messages": {}}', "not a conversation"),
        ('{"messages": [1]}', "not a conversation"),
        ('{"messages": [{"role": "tool", "content": "a"}]}', "not a conversation"),
        ('{"messages": [{"role": {"": []}, "content": "a"}]}', "not a conversation"),
        ('{"messages": [{"role": ["user"], "content": "a"}]}', "not a conversation"),
        ('{"messages": [{"role": "user", "content": 1}]}', "not a conversation"),
        ('{"messages": [{"role": "user", "content": "a"}]}', "do not alternate"),
        ('{"messages": [{"role": "assistant", "content": "a"}, {"role": "user", "content": "a"}]}', "do not alternate"),
    ],
)
def test_other_files(text: str, reason: str) -> None:
    with pytest.raises(HipportError, match=reason):
        read_messages(text, "file")
