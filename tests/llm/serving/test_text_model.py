"""`hipport llm serve` with a tiny model with a tokenizer on the CPU: schemas, tools, log probabilities, drafts."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2 as httpx
import jsonschema
import openai
import pytest

from tests.llm.serving.running import Running, served
from tests.llm.serving.text_model import VOCABULARY, write_text_model

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

MESSAGES: Any = [{"role": "user", "content": "hi"}]
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 5},
        "sizes": {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 99}, "maxItems": 3},
        "good": {"type": "boolean"},
    },
    "required": ["name", "sizes", "good"],
    "additionalProperties": False,
}
TOOL: Any = {"type": "function", "function": {"name": "set", "parameters": SCHEMA}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_text_model(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def server(folder: Path, engine_cache: Path) -> Iterator[Running]:
    with served(str(folder), "--target", "cpu", "--name", "small", "--sequences", "4") as server:
        yield server


@pytest.fixture
def client(server: Running) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="any", max_retries=0, timeout=300) as client:
        yield client


def test_answers_are_valid(client: openai.OpenAI) -> None:
    schema: Any = {"type": "json_schema", "json_schema": {"name": "s", "schema": SCHEMA, "strict": True}}
    for temperature in (0.0, 1.5):
        made = client.chat.completions.create(
            model="small",
            messages=MESSAGES,
            response_format=schema,
            max_tokens=120,
            temperature=temperature,
            seed=3,
        )
        assert made.choices[0].finish_reason == "stop"
        jsonschema.validate(json.loads(made.choices[0].message.content or ""), SCHEMA)


def test_a_forced_call(client: openai.OpenAI) -> None:
    made = client.chat.completions.create(
        model="small",
        messages=MESSAGES,
        tools=[TOOL],
        tool_choice={"type": "function", "function": {"name": "set"}},
        max_tokens=140,
        seed=5,
    )
    (call,) = made.choices[0].message.tool_calls or []
    assert call.type == "function"
    jsonschema.validate(json.loads(call.function.arguments), SCHEMA)


def test_greedy_tokens_are_the_likeliest(client: openai.OpenAI) -> None:
    made = client.completions.create(model="small", prompt="abc", max_tokens=5, temperature=0, logprobs=3)
    found = made.choices[0].logprobs
    assert found
    for own, top in zip(found.token_logprobs or [], found.top_logprobs or [], strict=True):
        assert own == max(top.values())
        assert sum(map(math.exp, top.values())) < 1.0
    everything = {str(token): -100 for token in range(VOCABULARY) if token != 72}  # 72 is a letter
    other = client.completions.create(model="small", prompt="abc", max_tokens=3, temperature=0, logit_bias=everything)
    (letter,) = set(other.choices[0].text)
    assert letter.isprintable()


def test_embeddings_differ_and_have_length_one(client: openai.OpenAI) -> None:
    found = client.embeddings.create(model="small", input=["a cat", "a cat", "0123456789" * 9])
    first, same, other = (each.embedding for each in found.data)
    assert len(first) == 128
    assert sum(x * x for x in first) == pytest.approx(1.0, rel=1e-3)
    assert first == pytest.approx(same, abs=1e-3)
    assert sum(a * b for a, b in zip(first, other, strict=True)) < 0.99


def test_a_prompt_is_reused(client: openai.OpenAI, server: Running) -> None:
    prompt = "The quick brown fox jumps over the lazy dog, which sleeps. " * 2
    texts = []
    for _ in range(2):
        made = client.completions.create(model="small", prompt=prompt, max_tokens=4, temperature=0)
        texts.append(made.choices[0].text)
    assert texts[0] == texts[1]
    metrics = httpx.get(f"{server.url}/metrics").text
    reused = next(line for line in metrics.splitlines() if line.startswith("hipport_reused_prompt_tokens_total"))
    assert float(reused.split()[1]) >= 96


def certain(client: openai.OpenAI, prompt: str) -> int:
    """Return how many greedy tokens no rounding changes: batches of other sizes add in another order."""
    made = client.completions.create(model="small", prompt=prompt, max_tokens=24, temperature=0, logprobs=2)
    assert made.choices[0].logprobs
    for number, top in enumerate(made.choices[0].logprobs.top_logprobs or []):
        first, second = sorted(top.values(), reverse=True)[:2]
        if first - second < 0.02:
            return number
    return 24


def completed(client: openai.OpenAI, counts: dict[str, int]) -> list[str]:
    """Return what the model says to all prompts at once, of so many tokens each."""

    def one(prompt: str) -> str:
        made = client.completions.create(model="small", prompt=prompt, max_tokens=counts[prompt], temperature=0)
        return made.choices[0].text

    with ThreadPoolExecutor(len(counts)) as pool:
        return list(pool.map(one, counts))


@pytest.mark.parametrize("draft", [False, True])
def test_drafts_change_nothing(draft: bool, folder: Path, client: openai.OpenAI) -> None:
    prompts = ["abc abc abc abc abc ab", "x", "0 1 2 3 4 5 6 7 8 9 0 1 2 3"]
    options: list[str] = ["--speculate", "3"]
    if draft:  # the same weights: all guesses are right
        options += ["--draft-model", str(folder)]
    counts = {prompt: certain(client, prompt) for prompt in prompts}
    assert sum(counts.values()) >= 36
    wanted = completed(client, counts)
    with (
        served(str(folder), "--target", "cpu", "--name", "small", *options) as server,
        openai.OpenAI(base_url=f"{server.url}/v1", api_key="any", timeout=300) as other,
    ):
        found = completed(other, counts)
        metrics = dict(
            line.split() for line in httpx.get(f"{server.url}/metrics").text.splitlines() if line.startswith("hipport_")
        )
    assert found == wanted
    drafted, accepted = (float(metrics[f"hipport_{name}_tokens_total"]) for name in ("drafted", "accepted"))
    assert drafted > 0
    if draft:
        assert accepted > 0.7 * drafted
