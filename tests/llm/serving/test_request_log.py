"""The log of requests, also of those that fail, are refused or are left by their client."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from hipport.errors import HipportError
from hipport.llm.serving.app import Settings
from hipport.llm.serving.request_log import RequestLog, opened_log
from tests.llm.serving.conftest import Site, StartSite
from tests.llm.serving.fake import DEVICE_LOST, ENDLESS

PROMPT = "a secret"
BODY = {"prompt": PROMPT, "max_tokens": 5, "seed": ENDLESS}


@pytest.fixture
def log(tmp_path: Path) -> Iterator[RequestLog]:
    with opened_log(tmp_path / "log", text=False, warn=pytest.fail) as opened:
        yield opened


def lines(tmp_path: Path, count: int) -> list[dict[str, Any]]:
    """Return the lines of the log, once there are at least `count`: the server writes after the client has it all."""
    until = time.monotonic() + 5
    while len(found := (tmp_path / "log").read_text().splitlines()) < count and time.monotonic() < until:
        time.sleep(0.01)
    return [json.loads(line) for line in found]


def logged(start_site: StartSite, log: RequestLog, **settings: Any) -> Site:
    return start_site(Settings(log=log, **settings), seconds=0.01)


def test_a_completion(start_site: StartSite, log: RequestLog, tmp_path: Path) -> None:
    with logged(start_site, log).client() as http:
        http.post("/v1/completions?a=b", json=BODY)
    (line,) = lines(tmp_path, 1)
    assert (
        abs(datetime.now().timestamp() - datetime.fromisoformat(line.pop("time").replace("Z", "+00:00")).timestamp())
        < 30
    )
    assert 0 < line.pop("first_token_seconds") < line.pop("seconds") < 5
    assert line == {
        "client": "127.0.0.1",
        "method": "POST",
        "path": "/v1/completions",
        "status": 200,
        "prompt_tokens": len(PROMPT),
        "generated_tokens": 5,
        "finish_reasons": ["length"],
    }


def test_prompts_and_answers_are_not_in_it_unless_asked_for(start_site: StartSite, tmp_path: Path) -> None:
    chat = {"messages": [{"role": "user", "content": PROMPT}], "max_tokens": 5, "seed": ENDLESS, "stream": True}
    for text in (False, True):
        with opened_log(tmp_path / "log", text=text, warn=pytest.fail) as log, logged(start_site, log).client() as http:
            answer = http.post("/v1/completions", json=BODY | {"n": 2}).json()
            http.post("/v1/chat/completions", json=chat)
            http.post("/v1/completions", json=BODY | {"temperature": -1})
            http.get(f"/v1/models/{PROMPT}")
            found = lines(tmp_path, 8 if text else 4)
    assert all("prompt" not in line and "messages" not in line and "answers" not in line for line in found[:4])
    whole, streamed, wrong, _ = found[4:]
    assert (whole["prompt"], whole["answers"]) == ([PROMPT], [choice["text"] for choice in answer["choices"]])
    assert (whole["prompt_tokens"], whole["generated_tokens"]) == (len(PROMPT), 10)
    assert streamed["messages"] == [{"role": "user", "content": PROMPT}]
    assert len(streamed["answers"][0]) == 5
    assert "prompt" not in wrong


def test_requests_that_fail(start_site: StartSite, log: RequestLog, tmp_path: Path) -> None:
    site = logged(start_site, log, key="key")
    with site.client() as http:
        http.post("/v1/completions", json=BODY)
        http.headers["authorization"] = "Bearer key"
        http.post("/v1/completions", json={})
        http.get("/nothing%0A%E2%80%A8é")
        site.engine.broken = DEVICE_LOST
        http.post("/v1/completions", json=BODY)
        http.post("/v1/completions", json=BODY | {"stream": True})
        http.get("/health")
    found = lines(tmp_path, 6)
    assert [line["status"] for line in found] == [401, 400, 404, 500, 200, 503]
    assert [line.get("finish_reasons") for line in found] == [None, None, None, ["error"], ["error"], None]
    assert found[2]["path"] == "/nothing\n\u2028é"
    assert (found[3]["generated_tokens"], found[3]["first_token_seconds"]) == (0, None)


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_leaves(start_site: StartSite, log: RequestLog, tmp_path: Path, stream: bool) -> None:
    site = logged(start_site, log)
    with site.client() as http, pytest.raises(httpx.ReadTimeout):
        body = BODY | {"max_tokens": 400, "stream": stream}
        with http.stream("POST", "/v1/completions", json=body, timeout=0.5) as response:
            next(response.iter_lines())
            raise httpx.ReadTimeout("left")
    assert site.idle()
    (line,) = lines(tmp_path, 1)
    assert (line["status"], line["finish_reasons"]) == (200 if stream else 499, ["cancelled"])
    assert line["generated_tokens"] < 390
    assert line["seconds"] < 4


def test_many_clients_at_once(start_site: StartSite, log: RequestLog, tmp_path: Path) -> None:
    site = start_site(Settings(log=log))
    bodies = [BODY | {"prompt": "x" * (i + 1), "max_tokens": i % 7 + 1, "stream": i % 2 == 0} for i in range(60)]

    def post(body: dict[str, Any]) -> int:
        with site.client() as http:
            return http.post("/v1/completions", json=body).status_code

    with ThreadPoolExecutor(6) as pool:
        statuses = Counter(pool.map(post, bodies))
    found = lines(tmp_path, 60)
    assert statuses == Counter(line["status"] for line in found) == {200: 60}
    sent = Counter((len(body["prompt"]), body["max_tokens"]) for body in bodies)  # type: ignore[arg-type]
    assert Counter((line["prompt_tokens"], line["generated_tokens"]) for line in found) == sent


def test_the_log_is_appended_to_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    for number in range(2):
        with opened_log(tmp_path / "log", text=False, warn=pytest.fail) as log:
            log.write({"number": number, "text": "\ud800"})
            assert [line["number"] for line in lines(tmp_path, 1)] == list(range(number + 1))
    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o600


def test_a_log_that_cannot_be_opened(tmp_path: Path) -> None:
    for path, reason in (
        (tmp_path, "Is a directory"),
        (tmp_path / "no" / "log", "No such file"),
        (Path("/dev/null/log"), "Not a directory"),
    ):
        with (
            pytest.raises(HipportError, match=f"cannot write the log .*{reason}"),
            opened_log(path, text=False, warn=pytest.fail),
        ):
            pass


def test_a_log_that_fails_later_is_told_once_and_requests_go_on(start_site: StartSite) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    told: list[str] = []
    with start_site(Settings(log=RequestLog(writing, text=False, warn=told.append))).client() as http:
        assert [http.post("/v1/completions", json=BODY).status_code for _ in range(3)] == [200] * 3
    os.close(writing)
    assert told == ["cannot write the log of requests: Broken pipe; lines are lost"]
