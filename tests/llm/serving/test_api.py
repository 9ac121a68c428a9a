"""The API through OpenAI's client."""

from __future__ import annotations

from collections.abc import Iterator

import openai
import pytest

from hipport.llm.runtime.engine import Sampling
from hipport.llm.serving.app import Settings
from hipport.llm.serving.jobs import Job
from tests.llm.serving.conftest import Site, StartSite
from tests.llm.serving.fake import DEVICE_LOST, ENDLESS, alone

MESSAGES = [{"role": "user", "content": "hi"}]


def expected(prompt: str, max_tokens: int, seed: int = ENDLESS) -> str:
    tokens, _ = alone(Job(tuple(prompt.encode()), max_tokens, Sampling(seed=seed)))
    return "".join(map(chr, tokens))


@pytest.fixture
def client(site: Site) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{site.url}/v1", api_key="any", max_retries=0) as client:
        yield client


def test_a_completion(client: openai.OpenAI) -> None:
    made = client.completions.create(model="fake", prompt="abc", max_tokens=8, seed=ENDLESS)
    assert made.object == "text_completion"
    assert [(c.index, c.text, c.finish_reason) for c in made.choices] == [(0, expected("abc", 8), "length")]
    assert made.usage
    assert (made.usage.prompt_tokens, made.usage.completion_tokens, made.usage.total_tokens) == (3, 8, 11)


def test_completions_of_several_prompts_with_several_choices(client: openai.OpenAI) -> None:
    made = client.completions.create(model="fake", prompt=["a", "b"], n=2, max_tokens=5, seed=ENDLESS)
    wanted = [expected(prompt, 5, ENDLESS + i) for prompt in "ab" for i in (0, 1)]
    assert [choice.text for choice in made.choices] == wanted
    assert [choice.index for choice in made.choices] == [0, 1, 2, 3]
    assert made.usage
    assert (made.usage.prompt_tokens, made.usage.completion_tokens) == (2, 20)


def test_a_prompt_of_tokens(client: openai.OpenAI) -> None:
    made = client.completions.create(model="fake", prompt=[97, 98], max_tokens=4, seed=ENDLESS)
    assert made.choices[0].text == expected("ab", 4)


def test_a_completion_in_a_stream(client: openai.OpenAI) -> None:
    pieces = list(client.completions.create(model="fake", prompt="abc", max_tokens=8, seed=ENDLESS, stream=True))
    assert "".join(piece.choices[0].text for piece in pieces) == expected("abc", 8)
    assert [piece.choices[0].finish_reason for piece in pieces] == [None] * 8 + ["length"]
    assert len({(piece.id, piece.created) for piece in pieces}) == 1


def test_a_chat(client: openai.OpenAI) -> None:
    made = client.chat.completions.create(model="fake", messages=MESSAGES, max_tokens=6, seed=ENDLESS)  # type: ignore[call-overload]
    choice = made.choices[0]
    assert (choice.message.role, choice.finish_reason) == ("assistant", "length")
    assert choice.message.content == expected("user: hi\nassistant: ", 6)
    assert made.usage.prompt_tokens == len("user: hi\nassistant: ")


def test_a_chat_in_a_stream_with_usage(client: openai.OpenAI) -> None:
    stream = client.chat.completions.create(
        model="fake",
        messages=MESSAGES,
        max_completion_tokens=6,
        seed=ENDLESS,
        n=2,
        stream=True,
        stream_options={"include_usage": True},
    )  # type: ignore[call-overload]
    *pieces, last = stream
    for number in (0, 1):
        own = [piece.choices[0] for piece in pieces if piece.choices[0].index == number]
        assert own[0].delta.role == "assistant"
        assert "".join(one.delta.content or "" for one in own) == expected("user: hi\nassistant: ", 6, ENDLESS + number)
        assert [one.finish_reason for one in own] == [None] * (len(own) - 1) + ["length"]
    assert last.choices == []
    assert (last.usage.prompt_tokens, last.usage.completion_tokens) == (20, 12)


def test_a_stream_with_usage_in_each_piece(client: openai.OpenAI) -> None:
    options = {"include_usage": True, "continuous_usage_stats": True}
    pieces = list(
        client.completions.create(
            model="fake",
            prompt="abc",
            max_tokens=4,
            seed=ENDLESS,
            stream=True,
            stream_options=options,  # type: ignore[arg-type]
        )
    )
    counts = [(piece.usage.prompt_tokens, piece.usage.completion_tokens) for piece in pieces if piece.usage]
    assert counts == [(3, 1), (3, 2), (3, 3), (3, 4), (3, 4), (3, 4)]


@pytest.mark.parametrize("stream", [False, True])
def test_a_stop_string_ends_an_answer_and_the_engine_s_work(site: Site, client: openai.OpenAI, stream: bool) -> None:
    site.engine.seconds = 0.01
    text = expected("abc", 300)
    stop = text[40:43]
    made = client.completions.create(model="fake", prompt="abc", max_tokens=300, seed=ENDLESS, stop=stop, stream=stream)
    choices = [piece.choices[0] for piece in made] if stream else made.choices
    assert "".join(choice.text for choice in choices) == text[: text.index(stop)]
    assert choices[-1].finish_reason == "stop"
    assert site.idle()
    assert sum(tokens for name, tokens in site.engine.calls if name == "decode") < 290


def test_an_end_token_ends_an_answer(client: openai.OpenAI) -> None:
    seed = next(s for s in range(50) if 1 < len(alone(Job((97,), 60, Sampling(seed=s)))[0]) < 60)
    made = client.completions.create(model="fake", prompt="a", max_tokens=60, seed=seed)
    assert (made.choices[0].text, made.choices[0].finish_reason) == (expected("a", 60, seed), "stop")


def test_seeds(client: openai.OpenAI) -> None:
    def text(**how: int) -> str:
        return client.completions.create(model="fake", prompt="a", max_tokens=12, **how).choices[0].text  # type: ignore[call-overload,no-any-return]

    assert text(seed=-5) == text(seed=-5)
    assert len({text() for _ in range(4)}) > 1


def test_models(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["fake"]
    assert client.models.retrieve("fake").owned_by == "hipport"
    assert client.models.retrieve("fake").to_dict()["max_model_len"] == 512
    with pytest.raises(openai.NotFoundError, match="unknown model 'other/one'"):
        client.models.retrieve("other/one")
    with pytest.raises(openai.NotFoundError, match="this server has 'fake'") as caught:
        client.completions.create(model="gpt-9", prompt="a")
    assert caught.value.code == "model_not_found"


def test_errors_are_what_the_client_expects(client: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError, match="a prompt of 600 tokens") as caught:
        client.completions.create(model="fake", prompt="a" * 600)
    assert (caught.value.code, caught.value.param) == ("context_length_exceeded", "prompt")
    with pytest.raises(openai.BadRequestError, match="the prompt has no tokens"):
        client.completions.create(model="fake", prompt="")
    with pytest.raises(openai.BadRequestError, match="tokens outside"):
        client.completions.create(model="fake", prompt=[5, 512])
    with pytest.raises(openai.BadRequestError, match="exceed the limit of 7"):
        client.completions.create(model="fake", prompt=["a"] * 8)


@pytest.mark.parametrize("stream", [False, True])
def test_an_engine_that_fails(site: Site, client: openai.OpenAI, stream: bool) -> None:
    site.engine.broken = DEVICE_LOST
    with pytest.raises(openai.APIError, match="it is lost"):
        list(client.completions.create(model="fake", prompt="abc", stream=stream))  # type: ignore[call-overload]
    with site.client() as http:
        health = http.get("/health")
        assert (health.status_code, health.json()["status"]) == (503, "failing")
        assert "it is lost" in health.json()["error"]
        site.engine.broken = None
        assert client.completions.create(model="fake", prompt="a", max_tokens=2, seed=ENDLESS).choices[0].text
        assert http.get("/health").json() == {"status": "ok", "running": 0, "waiting": 0}


def test_a_model_without_a_template(start_site: StartSite) -> None:
    site = start_site(template=None)
    with openai.OpenAI(base_url=f"{site.url}/v1", api_key="any", max_retries=0) as client:
        with pytest.raises(openai.BadRequestError, match="fake has no chat template"):
            client.chat.completions.create(model="fake", messages=MESSAGES)  # type: ignore[call-overload]
        assert client.completions.create(model="fake", prompt="a", max_tokens=1, seed=ENDLESS).choices[0].text


def test_what_a_template_refuses_is_said(start_site: StartSite) -> None:
    site = start_site(template="{{ raise_exception('roles must take turns') }}")
    with (
        openai.OpenAI(base_url=f"{site.url}/v1", api_key="any", max_retries=0) as client,
        pytest.raises(openai.BadRequestError, match="roles must take turns"),
    ):
        client.chat.completions.create(model="fake", messages=MESSAGES)  # type: ignore[call-overload]


def test_a_key(start_site: StartSite) -> None:
    site = start_site(Settings(key="secret"))
    with site.client() as http:
        for header in (b"Bearer other", b"Bearer secret2", b"Bearer s\xe9cret", b"Bearer", b"Basic secret", b""):
            refusal = http.get("/v1/models", headers={"authorization": header})
            assert (refusal.status_code, refusal.json()["error"]["code"]) == (401, "invalid_api_key")
        assert [http.get(path).status_code for path in ("/v1/models", "/metrics", "/nothing")] == [401] * 3
        assert [http.get(path).status_code for path in ("/", "/health")] == [200] * 2
    with openai.OpenAI(base_url=f"{site.url}/v1", api_key="secret", max_retries=0) as client:
        assert client.completions.create(model="fake", prompt="a", max_tokens=1, seed=ENDLESS).choices[0].text
