"""Validation of request bodies, and the messages for invalid ones."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hipport.llm.serving.bodies import parsed
from hipport.llm.serving.errors import ApiError
from hipport.llm.serving.responses_schema import ResponsesRequest
from hipport.llm.serving.schema import ChatRequest, CompletionRequest, EmbeddingRequest, TokenizeRequest

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
        ({"logit_bias": {"5": 101}}, "logit_bias", "less than or equal to 100"),
        ({"logit_bias": {"a": 1}}, "logit_bias", "its keys must be numbers of tokens"),
        ({"logit_bias": {"-1": 1}}, "logit_bias", "its keys must be numbers of tokens"),
        ({"logit_bias": {str(i): 1 for i in range(1025)}}, "logit_bias", "at most 1024 items"),
        ({"logit_bias": [1]}, "logit_bias", "should be an object"),
        ({"frequency_penalty": 2.5}, "frequency_penalty", "less than or equal to 2"),
        ({"presence_penalty": -2.5}, "presence_penalty", "greater than or equal to -2"),
        ({"response_format": {"type": "xml"}}, "response_format", "'text', 'json_object' or 'json_schema'"),
        ({"response_format": {"type": "json_schema"}}, "response_format", "json_schema.schema is given"),
        ({"response_format": {"type": "json_object"}, "guided_regex": "a"}, None, "exclude each other"),
        ({"guided_json": {}, "guided_choice": ["a"]}, None, "exclude each other"),
        ({"guided_choice": []}, "guided_choice", "at least 1 item"),
        ({"guided_json": "{}"}, "guided_json", "should be an object"),
        ({"ignore_eos": 1}, "ignore_eos", "valid boolean"),
        ({"suffix": "x"}, None, "suffix is not supported"),
        ({"best_of": 2}, None, "best_of is not supported"),
    ],
)
def test_wrong_parameters(change: dict[str, Any], param: str | None, said: str) -> None:
    for kind, rest in ((CompletionRequest, {"prompt": "hi"}), (ChatRequest, {"messages": [USER]})):
        message, where = refused(kind, rest | change)
        assert said in message
        assert (where or "").partition(".")[0] == (param or "").partition(".")[0]


def function(name: str = "f", **more: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, **more}}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"logprobs": 1}, "valid boolean"),
        ({"top_logprobs": 3}, "top_logprobs needs logprobs"),
        ({"logprobs": True, "top_logprobs": 21}, "less than or equal to 20"),
        ({"tools": [{"type": "web"}]}, "'function'"),
        ({"tools": [function("a b")]}, "match pattern"),
        ({"tools": [function("f"), function("f")]}, "two functions have the same name"),
        ({"tools": [function() for _ in range(300)]}, "at most 256 items"),
        ({"tools": [function()], "tool_choice": "always"}, "'none', 'auto' or 'required'"),
        ({"tools": [function()], "tool_choice": function("g")}, "'g' is not among the tools"),
        ({"tool_choice": "required"}, "required needs tools"),
        ({"tools": [function()], "tool_choice": "required", "guided_regex": "a"}, "exclude each other"),
    ],
)
def test_wrong_parameters_of_chats(change: dict[str, Any], said: str) -> None:
    assert said in refused(ChatRequest, {"messages": [USER]} | change)[0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"logprobs": True}, "valid integer"),
        ({"logprobs": 21}, "less than or equal to 20"),
        ({"logprobs": 1, "echo": True}, "logprobs of the prompt"),
        ({"tools": [function()]}, "unknown parameter"),
    ],
)
def test_wrong_parameters_of_completions(change: dict[str, Any], said: str) -> None:
    assert said in refused(CompletionRequest, {"prompt": "a"} | change)[0]


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
        [{"role": "assistant"}, USER],
        [{"role": "user", "content": "", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": ""}}]}],
        [USER, {"role": "tool", "content": "5"}],
        [{"role": "user", "content": "5", "tool_call_id": "a"}],
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
    sorted({*CompletionRequest.model_fields, *ChatRequest.model_fields, *ResponsesRequest.model_fields, "user", "x"})
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.dictionaries(NAMES, VALUES, max_size=6))
def test_any_json_is_understood_or_refused(data: dict[str, Any]) -> None:
    for kind in (CompletionRequest, ChatRequest, EmbeddingRequest, TokenizeRequest, ResponsesRequest):
        try:
            found: Any = parsed(kind, json.dumps(data).encode())
            if kind is ResponsesRequest:
                parsed(ChatRequest, json.dumps(found.chat()).encode())
        except ApiError as error:
            assert error.status == 400
            assert str(error)


@given(st.binary(max_size=50))
def test_any_bytes_are_refused(data: bytes) -> None:
    assert refused(ChatRequest, data)[0]
