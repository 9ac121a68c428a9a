"""Calls of tools in answers, in one piece and in many."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.llm.serving.tool_formats import FORMATS, Call, FormatName, ToolReader, format_of

HERMES = '<tool_call>\n{"name": "f", "arguments": {"a": "}</b>"}}\n</tool_call>'
F = Call("f", '{"a": "}</b>"}')


def read(form: FormatName, pieces: list[str]) -> tuple[str, list[Call]]:
    reader = ToolReader(FORMATS[form])
    text, calls = "", []
    for piece in pieces:
        more, found = reader.feed(piece)
        text, calls = text + more, calls + found
    more, found = reader.rest()
    return text + more, calls + found


@pytest.mark.parametrize(
    ("form", "answer", "text", "calls"),
    [
        ("hermes", "Hello", "Hello", []),
        ("hermes", HERMES, "", [F]),
        ("hermes", f"I look.\n{HERMES}\n{HERMES}\n", "I look.\n", [F, F]),
        ("hermes", f"{HERMES} ] x ", "] x ", [F]),
        ("hermes", "a < b <tool", "a < b <tool", []),
        ("hermes", "<tool_call>\nnothing\n</tool_call>", "<tool_call>\nnothing\n</tool_call>", []),
        ("hermes", '<tool_call>{"name": "f", "arguments": {}}', "", None),
        (
            "hermes",
            '<tool_call>{"name": 5, "arguments": {}}</tool_call>',
            '<tool_call>{"name": 5, "arguments": {}}</tool_call>',
            [],
        ),
        ("hermes", f"<tool_call>{'[' * 5000}</tool_call>", f"<tool_call>{'[' * 5000}</tool_call>", []),
        ("llama3", '{"name": "f", "parameters": {"x": 1}}', "", [Call("f", '{"x": 1}')]),
        (
            "llama3",
            '<|python_tag|>{"name": "f", "parameters": {}}; {"name": "g", "parameters": {}}',
            "",
            [Call("f", "{}"), Call("g", "{}")],
        ),
        ("llama3", '{"just": "JSON"}', '{"just": "JSON"}', []),
        ("llama3", 'The set {"a"}', 'The set {"a"}', []),
        (
            "mistral",
            '[TOOL_CALLS][{"name": "f", "arguments": {"x": 1}}, {"name": "g", "arguments": {}}]',
            "",
            [Call("f", '{"x": 1}'), Call("g", "{}")],
        ),
        ("mistral", "[TOOL] no", "[TOOL] no", []),
        ("mistral", "[TOOL_CALLS]no", "[TOOL_CALLS]no", []),
    ],
)
def test_answers(form: FormatName, answer: str, text: str, calls: list[Call] | None) -> None:
    if calls is None:  # cut off before its end: what is JSON is a call
        calls = [Call("f", "{}")]
    assert read(form, [answer]) == (text, calls)
    assert read(form, list(answer)) == (text, calls)
    chance = random.Random(len(answer))
    for _ in range(20):
        cuts = sorted(chance.randrange(len(answer) + 1) for _ in range(4))
        pieces = [answer[a:b] for a, b in zip([0, *cuts], [*cuts, len(answer)], strict=True)]
        assert read(form, pieces) == (text, calls)


PIECES = st.sampled_from(
    [
        "<tool_call>",
        "</tool_call>",
        '{"name": "f", "arguments": {}}',
        "\n",
        "x",
        "<",
        "[TOOL_CALLS]",
        "{",
        "<|python_tag|>",
    ]
)


@given(st.lists(PIECES, max_size=8), st.sampled_from(list(FORMATS)))
def test_pieces_make_no_difference(pieces: list[str], form: FormatName) -> None:
    assert read(form, pieces) == read(form, ["".join(pieces)])


@pytest.mark.parametrize(
    ("template", "form"),
    [
        ("{% if tools %}<tool_call>{% endif %}", "hermes"),
        ("{% if tools %}[AVAILABLE_TOOLS][TOOL_CALLS]{% endif %}", "mistral"),
        ('{% if tools is not none %}Respond in the format {"name": function name, "parameters": ...}', "llama3"),
        ("{{ messages }}", None),
        ("<tool_call>", None),
    ],
)
def test_templates(template: str, form: str | None) -> None:
    assert format_of(template) == form
