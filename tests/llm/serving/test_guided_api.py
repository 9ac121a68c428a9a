"""Log probabilities, penalties, formats of answers, tools and embeddings through OpenAI's client."""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Iterator
from typing import Any, Literal

import jsonschema
import numpy as np
import openai
import pytest
from pydantic import BaseModel, Field

from tests.llm.serving.conftest import Site, StartSite
from tests.llm.serving.fake import ENDLESS

MESSAGES: Any = [{"role": "user", "content": "hi"}]
TOOLS_TEMPLATE = (
    "{% if tools %}Tools: {% for tool in tools %}{{ tool | tojson }}{% endfor %} <tool_call>{% endif %}"
    "{% for message in messages %}{{ message.role }}: {{ message.content }}"
    "{% for call in message.tool_calls or [] %}{{ call.function.name }} {{ call.function.arguments | tojson }}"
    "{% endfor %}{{ '\n' }}{% endfor %}assistant: "
)
WEATHER: Any = {
    "type": "function",
    "function": {
        "name": "weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"enum": ["Oslo", "Rome"]}, "days": {"type": "integer", "minimum": 1, "maximum": 9}},
            "required": ["city", "days"],
            "additionalProperties": False,
        },
    },
}
CLOCK: Any = {"type": "function", "function": {"name": "clock"}}


@pytest.fixture
def client(site: Site) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{site.url}/v1", api_key="any", max_retries=0) as client:
        yield client


def tools_client(start_site: StartSite, answers: dict[str, str] | None = None) -> openai.OpenAI:
    site = start_site(template=TOOLS_TEMPLATE, answers=answers, positions=2048)
    return openai.OpenAI(base_url=f"{site.url}/v1", api_key="any", max_retries=0)


@pytest.mark.parametrize("stream", [False, True])
def test_log_probabilities_of_a_chat(client: openai.OpenAI, stream: bool) -> None:
    made: Any = client.chat.completions.create(
        model="fake", messages=MESSAGES, max_tokens=6, seed=ENDLESS, logprobs=True, top_logprobs=3, stream=stream
    )
    choices = [piece.choices[0] for piece in made] if stream else made.choices
    tokens = [token for choice in choices if choice.logprobs for token in choice.logprobs.content]
    text = "".join((choice.delta if stream else choice.message).content or "" for choice in choices)
    assert "".join(token.token for token in tokens) == text
    assert bytes(byte for token in tokens for byte in token.bytes) == text.encode()
    for token in tokens:
        assert [token.token, *("\0", "\1")] == [each.token for each in token.top_logprobs]
        assert token.logprob == token.top_logprobs[0].logprob < 0
        assert math.exp(token.logprob) == pytest.approx(math.e**5 / (math.e**5 + 512 * (math.e - 1)), rel=0.02)


def test_log_probabilities_of_a_completion(client: openai.OpenAI) -> None:
    made = client.completions.create(model="fake", prompt="abc", max_tokens=4, seed=ENDLESS, logprobs=2)
    choice = made.choices[0]
    assert choice.logprobs
    assert "".join(choice.logprobs.tokens or []) == choice.text
    assert choice.logprobs.text_offset == [0, 1, 2, 3]
    assert [len(each) for each in choice.logprobs.top_logprobs or []] == [2] * 4
    pieces = client.completions.create(model="fake", prompt="abc", max_tokens=4, seed=ENDLESS, logprobs=2, stream=True)
    found = [piece.choices[0].logprobs for piece in pieces if piece.choices[0].logprobs]
    assert [offset for each in found for offset in each.text_offset or []] == [0, 1, 2, 3]
    assert [value for each in found for value in each.token_logprobs or []] == choice.logprobs.token_logprobs


def test_biases_and_penalties(client: openai.OpenAI) -> None:
    made = client.completions.create(
        model="fake", prompt="abc", max_tokens=4, seed=ENDLESS, logit_bias={"97": 100, "98": 98}, frequency_penalty=2
    )
    assert made.choices[0].text == "aaba"
    with pytest.raises(openai.BadRequestError, match="vocabulary has 512 tokens") as caught:
        client.completions.create(model="fake", prompt="abc", logit_bias={"512": 1})
    assert caught.value.param == "logit_bias"


def test_echo(client: openai.OpenAI) -> None:
    plain = client.completions.create(model="fake", prompt="abc", max_tokens=4, seed=ENDLESS).choices[0].text
    for prompt in ("abc", [97, 98, 99]):
        made = client.completions.create(model="fake", prompt=prompt, max_tokens=4, seed=ENDLESS, echo=True)
        assert made.choices[0].text == "abc" + plain
        pieces = client.completions.create(
            model="fake", prompt=prompt, max_tokens=4, seed=ENDLESS, echo=True, stream=True
        )
        assert "".join(piece.choices[0].text for piece in pieces) == "abc" + plain


def test_usage_tells_what_was_in_the_cache(client: openai.OpenAI) -> None:
    for cached in (0, 64):
        made = client.completions.create(
            model="fake", prompt="x" * 70, max_tokens=2, n=2 if cached else 1, seed=ENDLESS
        )
        assert made.usage
        assert made.usage.prompt_tokens_details
        assert (made.usage.prompt_tokens, made.usage.prompt_tokens_details.cached_tokens) == (70, cached)


class Order(BaseModel):
    """What the model must answer with."""

    dish: Literal["soup", "bread"]
    count: int = Field(ge=1, le=20)
    notes: list[Literal["hot", "cold"]] = Field(max_length=2)


@pytest.mark.parametrize("seed", range(ENDLESS, ENDLESS + 4))
def test_answers_match_a_schema(client: openai.OpenAI, seed: int) -> None:
    made = client.chat.completions.parse(model="fake", messages=MESSAGES, response_format=Order, seed=seed)
    choice = made.choices[0]
    assert isinstance(choice.message.parsed, Order)
    assert choice.finish_reason == "stop"
    with client.chat.completions.stream(model="fake", messages=MESSAGES, response_format=Order, seed=seed) as stream:
        assert stream.get_final_completion().choices[0].message.parsed == choice.message.parsed
    schema = Order.model_json_schema() | {"additionalProperties": False}
    made = client.chat.completions.create(
        model="fake", messages=MESSAGES, seed=seed, extra_body={"guided_json": schema}
    )
    jsonschema.validate(json.loads(made.choices[0].message.content or ""), schema)


@pytest.mark.parametrize(
    ("guide", "pattern"),
    [
        ({"guided_regex": "[0-9]{3}-[a-c]{2}"}, r"[0-9]{3}-[a-c]{2}"),
        ({"guided_choice": ["yes", 'no "never"']}, 'yes|no "never"'),
        ({"guided_grammar": 'start: "<" word "," word ">"\nword: /[x-z]{1,3}/'}, r"<[x-z]{1,3},[x-z]{1,3}>"),
    ],
)
def test_answers_match_a_grammar(client: openai.OpenAI, guide: dict[str, Any], pattern: str) -> None:
    for seed in (ENDLESS, ENDLESS + 1):
        made = client.completions.create(
            model="fake", prompt="abc", max_tokens=100, seed=seed, temperature=0, extra_body=guide
        )
        assert re.fullmatch(pattern, made.choices[0].text)
        assert made.choices[0].finish_reason == "stop"


def test_json_of_any_form(client: openai.OpenAI) -> None:
    made = client.chat.completions.create(
        model="fake", messages=MESSAGES, max_tokens=5, response_format={"type": "json_object"}, seed=ENDLESS
    )
    assert (made.choices[0].message.content or "").startswith("{")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"guided_regex": "("}, "guided_regex: the grammar is invalid"),
        ({"guided_regex": "(a{1000}){1000}"}, "written out"),
        ({"guided_grammar": "start: nothing"}, "unknown name"),
        ({"guided_json": {"type": "nonsense"}}, "Invalid type: nonsense"),
        ({"guided_json": {"$ref": "http://localhost:1/x"}}, "not present"),
        ({"guided_grammar": "start: " + " " * 70000}, "larger than 64 KiB"),
    ],
)
def test_grammars_that_are_refused(client: openai.OpenAI, body: dict[str, Any], said: str) -> None:
    with pytest.raises(openai.BadRequestError, match=said) as caught:
        client.completions.create(model="fake", prompt="abc", extra_body=body)
    assert caught.value.param == next(iter(body))


@pytest.mark.parametrize("stream", [False, True])
def test_a_forced_call(start_site: StartSite, stream: bool) -> None:
    with tools_client(start_site) as client:
        choice: Any = {"type": "function", "function": {"name": "weather"}}
        made: Any = client.chat.completions.create(
            model="fake", messages=MESSAGES, tools=[CLOCK, WEATHER], tool_choice=choice, seed=ENDLESS, stream=stream
        )
        if stream:
            deltas = [piece.choices[0] for piece in made]
            calls = [call for each in deltas for call in each.delta.tool_calls or []]
            assert [call.index for call in calls] == [0]
            assert "".join(each.delta.content or "" for each in deltas) == ""
            finish = deltas[-1].finish_reason
        else:
            (answer,) = made.choices
            calls, finish = answer.message.tool_calls, answer.finish_reason
            assert answer.message.content is None
        (call,) = calls
        assert (call.type, call.function.name, finish) == ("function", "weather", "tool_calls")
        jsonschema.validate(json.loads(call.function.arguments), WEATHER["function"]["parameters"])


def test_a_required_call(start_site: StartSite) -> None:
    with tools_client(start_site) as client:
        made = client.chat.completions.create(
            model="fake",
            messages=MESSAGES,
            tools=[WEATHER],
            tool_choice="required",
            parallel_tool_calls=False,
            seed=ENDLESS,
        )
        (call,) = made.choices[0].message.tool_calls or []
        assert call.type == "function"
        jsonschema.validate(json.loads(call.function.arguments), WEATHER["function"]["parameters"])


def test_references_in_a_tool_s_schema(start_site: StartSite) -> None:
    schema = {
        "type": "object",
        "$defs": {"size": {"enum": ["s", "m"]}},
        "properties": {"size": {"$ref": "#/$defs/size"}},
        "required": ["size"],
        "additionalProperties": False,
    }
    buy: Any = {"type": "function", "function": {"name": "buy", "parameters": schema}}
    choice: Any = {"type": "function", "function": {"name": "buy"}}
    with tools_client(start_site) as client:
        made = client.chat.completions.create(
            model="fake", messages=MESSAGES, tools=[WEATHER, buy], tool_choice=choice, seed=ENDLESS
        )
        (call,) = made.choices[0].message.tool_calls or []
        assert call.type == "function"
        assert json.loads(call.function.arguments)["size"] in ("s", "m")


def test_a_conversation_with_a_tool(start_site: StartSite) -> None:
    called = 'I look.<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo", "days": 2}}\n</tool_call>'
    asked: Any = [{"role": "user", "content": "Oslo?"}]
    after = 'Oslo?\nassistant: I look.weather {"city": "Oslo", "days": 2}\ntool: rain'
    with tools_client(start_site, {"Oslo?": called, after: "It rains."}) as client:
        first = client.chat.completions.create(model="fake", messages=asked, tools=[WEATHER]).choices[0]
        assert (first.message.content, first.finish_reason) == ("I look.", "tool_calls")
        (call,) = first.message.tool_calls or []
        tool: Any = {"role": "tool", "tool_call_id": call.id, "content": "rain"}
        messages = [*asked, first.message.to_dict(), tool]
        second = client.chat.completions.create(model="fake", messages=messages, tools=[WEATHER]).choices[0]
        assert (second.message.content, second.finish_reason) == ("It rains.", "stop")
        assert second.message.tool_calls is None
        unasked = client.chat.completions.create(
            model="fake", messages=asked, tools=[WEATHER], tool_choice="none"
        ).choices[0]
        assert unasked.message.content == called


def test_a_template_without_tools(client: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError, match="no tools in a known format") as caught:
        client.chat.completions.create(model="fake", messages=MESSAGES, tools=[WEATHER])
    assert caught.value.param == "tools"


def test_embeddings(client: openai.OpenAI, site: Site) -> None:
    made = client.embeddings.create(model="fake", input=["abc", "d"], encoding_format="float")
    wanted = np.array([[99, 2, 1], [100, 0, 1]], float)
    assert [each.embedding for each in made.data] == pytest.approx(
        wanted / np.linalg.norm(wanted, axis=1, keepdims=True), rel=1e-5
    )
    assert (made.usage.prompt_tokens, made.usage.total_tokens) == (4, 4)
    packed = client.embeddings.create(model="fake", input=[[97, 98, 99]], dimensions=2)  # the client asks for base64
    assert packed.data[0].embedding == pytest.approx([99 / math.hypot(99, 2), 2 / math.hypot(99, 2)])
    with site.client() as http:
        body = {"input": "abc", "encoding_format": "base64"}
        data = http.post("/v1/embeddings", json=body).json()["data"][0]["embedding"]
        assert np.frombuffer(base64.b64decode(data), "<f4") == pytest.approx(made.data[0].embedding)
    for wrong, said in (({"input": ""}, "no tokens"), ({"input": []}, "must be"), ({"input": ["a"] * 9}, "limit of 7")):
        with pytest.raises(openai.BadRequestError, match=said):
            client.embeddings.create(model="fake", **wrong)  # type: ignore[arg-type]
    with pytest.raises(openai.BadRequestError, match="the model's vectors have 3"):
        client.embeddings.create(model="fake", input="a", dimensions=4)
    assert site.idle()


def test_tokens_of_texts_and_chats(site: Site) -> None:
    with site.client() as http:
        found = http.post("/tokenize", json={"prompt": "abc"}).json()
        assert found == {"count": 3, "max_model_len": 512, "tokens": [97, 98, 99]}
        chat = http.post("/tokenize", json={"messages": MESSAGES}).json()
        assert bytes(chat["tokens"]).decode() == "user: hi\nassistant: "
        assert http.post("/detokenize", json={"tokens": [97, 98]}).json() == {"prompt": "ab"}
        for path, body, said in (
            ("/tokenize", {}, "either prompt or messages"),
            ("/tokenize", {"prompt": "a", "model": "other"}, "unknown model"),
            ("/detokenize", {"tokens": [512]}, "vocabulary of 512"),
            ("/detokenize", {"tokens": "a"}, "valid array"),
        ):
            refusal = http.post(path, json=body)
            assert refusal.status_code in (400, 404)
            assert said in refusal.json()["error"]["message"]
