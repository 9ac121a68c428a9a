"""`/v1/responses` through OpenAI's client, with the fake engine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import openai
import pytest

from tests.llm.serving.conftest import Site, StartSite
from tests.llm.serving.fake import DEVICE_LOST
from tests.llm.serving.test_guided_api import TOOLS_TEMPLATE, WEATHER, Order

TOOL: Any = {"type": "function"} | WEATHER["function"]
CALLED = 'I look.<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo", "days": 2}}\n</tool_call>'
AFTER = 'Oslo?\nassistant: I look.weather {"city": "Oslo", "days": 2}\ntool: rain'


@pytest.fixture
def site(start_site: StartSite) -> Site:
    return start_site(template=TOOLS_TEMPLATE, answers={"Hi": "Hello there.", "Oslo?": CALLED, AFTER: "It rains."})


@pytest.fixture
def client(site: Site) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{site.url}/v1", api_key="any", max_retries=0) as client:
        yield client


def test_a_text(client: openai.OpenAI) -> None:
    made = client.responses.create(model="fake", input="Hi", instructions="Be brief.")
    assert (made.output_text, made.status, made.model) == ("Hello there.", "completed", "fake")
    assert made.usage
    assert made.usage.input_tokens == len("system: Be brief.\nuser: Hi\nassistant: ")
    assert made.usage.output_tokens == len("Hello there.")


def test_a_text_that_is_too_long(client: openai.OpenAI) -> None:
    made = client.responses.create(model="fake", input=[{"role": "user", "content": "Hi"}], max_output_tokens=5)
    assert (made.output_text, made.status) == ("Hello", "incomplete")
    assert made.incomplete_details
    assert made.incomplete_details.reason == "max_output_tokens"


def test_a_stream(client: openai.OpenAI) -> None:
    with client.responses.stream(model="fake", input="Hi") as stream:
        events = list(stream)
        final = stream.get_final_response()
    kinds = [event.type for event in events]
    assert kinds[:4] == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
    ]
    assert kinds[-4:] == [
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert "".join(event.delta for event in events if event.type == "response.output_text.delta") == "Hello there."
    assert final.output_text == "Hello there."


@pytest.mark.parametrize("stream", [False, True])
def test_a_conversation_with_a_tool(client: openai.OpenAI, stream: bool) -> None:
    asked: list[Any] = [{"role": "user", "content": "Oslo?"}]
    if stream:
        with client.responses.stream(model="fake", input=asked, tools=[TOOL]) as events:
            first: Any = events.get_final_response()
    else:
        first = client.responses.create(model="fake", input=asked, tools=[TOOL])
    message, call = first.output
    assert (message.type, message.content[0].text, call.type) == ("message", "I look.", "function_call")
    assert (call.name, json.loads(call.arguments)) == ("weather", {"city": "Oslo", "days": 2})
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "rain"}
    again = [*asked, *(each.to_dict() for each in first.output), result]
    for each in again:
        each.pop("parsed_arguments", None)
        for part in each.get("content") or [] if isinstance(each.get("content"), list) else []:
            part.pop("parsed", None)
    assert client.responses.create(model="fake", input=again, tools=[TOOL]).output_text == "It rains."


def test_a_schema(client: openai.OpenAI) -> None:
    made = client.responses.parse(model="fake", input="Give me an order.", text_format=Order)
    assert isinstance(made.output_parsed, Order)


@pytest.mark.parametrize("stream", [False, True])
def test_an_engine_that_fails(site: Site, client: openai.OpenAI, stream: bool) -> None:
    site.engine.broken = DEVICE_LOST
    if not stream:
        with pytest.raises(openai.APIError, match="it is lost"):
            client.responses.create(model="fake", input="Hi")
        return
    *_, last = client.responses.create(model="fake", input="Hi", stream=True)
    assert last.type == "response.failed"
    assert last.response.error
    assert "it is lost" in last.response.error.message


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "input: Field required"),
        ({"input": []}, "at least 1 item"),
        ({"input": "a", "previous_response_id": "x"}, "previous_response_id is not supported"),
        ({"input": "a", "temperature": 9}, "temperature: Input should be less"),
        ({"input": "a", "tools": [{"type": "web_search"}]}, "'function'"),
        ({"input": [{"type": "function_call", "name": "f"}]}, "call_id: Field required"),
        ({"input": [{"role": "user", "content": [{"type": "input_image", "image_url": "x"}]}]}, "input"),
        ({"input": "a", "text": {"format": {"type": "json_schema", "name": "n"}}}, "json_schema.schema is given"),
        ({"input": "a", "wrong": 1}, "wrong: unknown parameter"),
    ],
)
def test_wrong_requests(site: Site, body: dict[str, Any], said: str) -> None:
    with site.client() as http:
        refusal = http.post("/v1/responses", json=body)
        assert refusal.status_code == 400
        assert said in refusal.json()["error"]["message"]
