"""Validation of request bodies, and the messages for invalid ones."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hipport.llm.serving.errors import ApiError
from hipport.llm.serving.schema import ChatRequest, CompletionRequest, parsed

USER = {"role": "user", "content": "hi"}


def refused(kind: type[Any], body: bytes | dict[str, Any]) -> tuple[str, str | None]:
    with pytest.raises(ApiError) as caught:
        parsed(kind, body if isinstance(body, bytes) else json.dumps(body).encode())
    assert caught.value.status == 400
    return str(caught.value), caught.value.param


@pytest.mark.parametrize(
    ("change", "param", "said"),
    [
        ({"temperature": float("nan")}, "temperature", "finite"),
        ({"temperature": float("inf")}, "temperature", "finite"),
        ({"temperature": 2.5}, "temperature", "less than or equal to 2"),
        ({"temperature": -0.1}, "temperature", "greater than or equal to 0"),
        ({"temperature": "0.5"}, "temperature", "valid number"),
        ({"temperature": True}, "temperature", "valid number"),
        ({"top_p": 1.5}, "top_p", "less than or equal to 1"),
        ({"top_k": -1}, "top_k", "greater than or equal to 0"),
        ({"repetition_penalty": 0}, "repetition_penalty", "greater than"),
        ({"max_tokens": -5}, "max_tokens", "greater than or equal to 1"),
        ({"max_tokens": 1.5}, "max_tokens", "valid integer"),
        ({"max_tokens": "many"}, "max_tokens", "valid integer"),
        ({"n": 0}, "n", "greater than or equal to 1"),
        ({"n": 1000}, "n", "less than or equal to 16"),
        ({"seed": 2**63}, "seed", "less than"),
        ({"stream": "yes"}, "stream", "valid boolean"),
        ({"stop": ""}, "stop", "at least 1 character"),
        ({"stop": ["a"] * 17}, "stop", "at most 16 items"),
        ({"stop": "x" * 300}, "stop", "at most 256 characters"),
        ({"stream_options": {"include_usage": 3}}, "stream_options.include_usage", "valid boolean"),
        ({"model": 3}, "model", "valid string"),
        ({"temprature": 1}, "temprature", "unknown parameter"),
        ({"logit_bias": {"5": 100}}, None, "logit_bias is not supported"),
        ({"logprobs": True}, None, "logprobs is not supported"),
        ({"logprobs": 0}, None, "logprobs is not supported"),
        ({"frequency_penalty": 0.5}, None, "frequency_penalty is not supported"),
        ({"response_format": {"type": "json_object"}}, None, "response_format is not supported"),
        ({"tools": [{"type": "function"}]}, None, "tools is not supported"),
    ],
)
def test_wrong_parameters(change: dict[str, Any], param: str | None, said: str) -> None:
    for kind, rest in ((CompletionRequest, {"prompt": "hi"}), (ChatRequest, {"messages": [USER]})):
        message, where = refused(kind, rest | change)
        assert said in message
        assert (where or "").partition(".")[0] == (param or "").partition(".")[0]


@pytest.mark.parametrize(
    "messages",
    [
        [],
        None,
        "hi",
        [{"role": "user"}],
        [{"content": "hi"}],
        [{"role": "wizard", "content": "hi"}],
        [{"role": "user", "content": 5}],
        [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}],
        [USER, {"role": "assistant", "content": "yes"}],
        [{"role": "assistant", "content": "", "tool_calls": [{}]}, USER],
    ],
)
def test_wrong_messages(messages: Any) -> None:
    message, param = refused(ChatRequest, {"messages": messages})
    assert (param or "").startswith("messages")
    assert message.startswith("messages")


@pytest.mark.parametrize("prompt", [None, 5, [], [[]], [["a"]], [1, "a"], [1.5], {"a": 1}, [True]])
def test_wrong_prompts(prompt: Any) -> None:
    assert (refused(CompletionRequest, {"prompt": prompt})[1] or "").startswith("prompt")


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b'"hi"', b"\xff\xfe", b'{"prompt": "\\ud800"}', b"[" * 100_000, b'{"prompt": "a"} x'],
)
def test_what_is_no_object(body: bytes) -> None:
    assert refused(CompletionRequest, body)[0]


@pytest.mark.parametrize(
    ("prompt", "prompts"),
    [("a", ["a"]), (["a", "b"], ["a", "b"]), ([1, 2], [[1, 2]]), ([[1], [2, 3]], [[1], [2, 3]]), ("", [""])],
)
def test_prompts(prompt: Any, prompts: list[Any]) -> None:
    assert parsed(CompletionRequest, json.dumps({"prompt": prompt}).encode()).prompt == prompts


def test_what_asks_for_nothing_is_taken() -> None:
    everything = {
        "messages": [USER, {"role": "assistant", "content": "a", "refusal": None, "tool_calls": None}, USER],
        "frequency_penalty": 0,
        "logit_bias": None,
        "n": None,
        "response_format": {"type": "text"},
        "stop": None,
        "stream": None,
        "temperature": None,
        "tools": [],
        "user": "somebody",
    }
    asked = parsed(ChatRequest, json.dumps(everything).encode())
    assert [message.role for message in asked.messages] == ["user", "assistant", "user"]
    assert asked.stops == ()


def test_parts_of_a_message_are_joined() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    asked = parsed(ChatRequest, json.dumps({"messages": [{"role": "developer", "content": parts}, USER]}).encode())
    assert [m.for_template() for m in asked.messages] == [{"role": "system", "content": "ab"}, USER]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(
    [*CompletionRequest.model_fields, *ChatRequest.model_fields, "tools", "logit_bias", "user", "x"]
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.dictionaries(NAMES, VALUES, max_size=6))
def test_any_json_is_understood_or_refused(data: dict[str, Any]) -> None:
    for kind in (CompletionRequest, ChatRequest):
        try:
            parsed(kind, json.dumps(data).encode())
        except ApiError as error:
            assert error.status == 400
            assert str(error)


@given(st.binary(max_size=50))
def test_any_bytes_are_refused(data: bytes) -> None:
    assert refused(ChatRequest, data)[0]
