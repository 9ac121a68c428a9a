"""Many clients, slow, disconnecting and unauthorized clients; and size limits."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import httpx2 as httpx
import pytest

from hipport.errors import HipportError
from hipport.llm.serving.app import LOCAL_HOSTS, Settings
from hipport.llm.serving.server import is_loopback, listening
from tests.llm.serving.conftest import Site, StartSite
from tests.llm.serving.fake import ENDLESS

LONG = {"prompt": "abc", "max_tokens": 500, "seed": ENDLESS}


def error(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["message"]


def connected(site: Site) -> socket.socket:
    host, _, port = site.url.removeprefix("http://").partition(":")
    return socket.create_connection((host, int(port)), timeout=10)


def request(body: object, path: str = "/v1/completions", length: int | None = None) -> bytes:
    data = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
    return f"{head}{len(data) if length is None else length}\r\n\r\n".encode() + data


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_leaves(start_site: StartSite, stream: bool) -> None:
    site = start_site(seconds=0.01)
    with connected(site) as client:
        client.sendall(request(LONG | {"stream": stream}))
        if stream:
            assert b"200 OK" in client.recv(1000)
        while not site.scheduler.running:
            time.sleep(0.01)
    assert site.idle()
    assert len(site.engine.calls) < 490
    with site.client() as http:
        assert "hipport_running 0.0" in http.get("/metrics").text


def test_a_client_that_leaves_while_it_waits(start_site: StartSite) -> None:
    site = start_site(seconds=0.01)
    with contextlib.ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(connected(site)).sendall(request(LONG | {"stream": True}))
        while site.scheduler.running < 3:
            time.sleep(0.01)
        with connected(site) as client:
            client.sendall(request(LONG))
            while not site.scheduler.waiting:
                time.sleep(0.01)
        until = time.monotonic() + 3
        while site.scheduler.waiting:
            assert time.monotonic() < until
            time.sleep(0.01)
    assert site.idle()


def test_a_full_queue(start_site: StartSite) -> None:
    site = start_site(seconds=0.02)
    with ThreadPoolExecutor(12) as pool, site.client() as http:
        body = {"prompt": "abc", "max_tokens": 10, "seed": ENDLESS}
        answers = list(pool.map(lambda i: http.post("/v1/completions", json=body), range(12)))
    refused = [answer for answer in answers if answer.status_code != 200]
    assert 1 <= len(refused) <= 12 - 4
    assert len({answer.json()["choices"][0]["text"] for answer in answers if answer.status_code == 200}) == 1
    for answer in refused:
        assert answer.status_code == 429
        assert answer.headers["retry-after"] == "1"
        assert answer.json()["error"]["code"] == "queue_full"


def test_a_slow_reader_does_not_hold_others(start_site: StartSite) -> None:
    site = start_site()
    with connected(site) as slow, site.client() as http:
        slow.sendall(request(LONG | {"stream": True, "n": 3}))
        assert site.idle()
        assert http.post("/v1/completions", json=LONG | {"max_tokens": 5}).status_code == 200
        time.sleep(0.1)
        got = b""
        while b"[DONE]" not in got:
            got += slow.recv(65536)
        assert got.count(b'"finish_reason":"length"') == 3


def test_the_wrong_path_method_and_type(http: httpx.Client) -> None:
    assert error(http.get("/v1/nothing")) == (404, "GET /v1/nothing: Not Found")
    assert error(http.get("/v1/completions"))[0] == 405
    status, message = error(http.post("/v1/completions", content=b"{}", headers={"content-type": "text/plain"}))
    assert (status, message) == (415, "the body must be application/json, not text/plain")
    assert error(http.post("/v1/completions", content=b"{}"))[0] == 415
    status, message = error(
        http.post("/v1/chat/completions", content=b"{", headers={"content-type": "application/json"})
    )
    assert status == 400
    assert "JSON" in message


@pytest.mark.parametrize("megabytes", [2, 10, 40])
def test_bodies_that_are_too_large(http: httpx.Client, site: Site, megabytes: int) -> None:
    body = {"prompt": "a" * (megabytes << 20)}
    try:
        assert error(http.post("/v1/completions", json=body)) == (
            413,
            "the body exceeds the limit of 1048576 bytes",
        )
    except httpx.TransportError:  # beyond what is read and dropped, the connection is closed while the client writes
        assert megabytes == 40
    assert http.get("/health").status_code == 200


def test_a_body_that_does_not_come(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hipport.llm.serving.guard._BODY_SECONDS", 0.2)
    with connected(site) as client:
        client.sendall(request({"prompt": "a"}, length=1000))
        assert b"408" in client.recv(1000)


def test_half_a_body(site: Site, http: httpx.Client) -> None:
    with connected(site) as client:
        client.sendall(request({"prompt": "a"}, length=1000))
    assert http.get("/health").json()["status"] == "ok"


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8000", 200),
        ("127.0.0.1", 200),
        ("[::1]:80", 200),
        ("evil.example", 403),
        ("localhost.evil.example:80", 403),
        ("", 403),
    ],
)
def test_names_that_are_not_this_machine_s(start_site: StartSite, host: str, status: int) -> None:
    site = start_site(Settings(hosts=LOCAL_HOSTS))
    with site.client() as http:
        assert http.get("/health", headers={"host": host}).status_code == status


def test_the_page_may_run_only_its_own_files(start_site: StartSite) -> None:
    with start_site(Settings(key="secret")).client() as http:
        page = http.get("/")
        policy = page.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'")
        assert "unsafe" not in policy
        assert not re.search(r"<style|<script[^>]*>[^<]|\son\w+=|\sstyle=|//", page.text)
        files = re.findall(r'(?:src|href)="(page/[^"]+)"', page.text)
        modules = {f"page/{name}" for name in re.findall(r'from "\./([^"]+)"', http.get("/page/main.js").text)}
        assert {"page/main.js", "page/layout.css"} <= set(files)
        for path in (*files, *modules):
            found = http.get(f"/{path}")
            assert found.status_code == 200
            assert found.headers["content-type"].startswith("text/javascript" if path.endswith("js") else "text/css")
            assert found.headers["x-content-type-options"] == "nosniff"
        assert http.get("/page/../app.py").status_code == http.get("/page/%2e%2e/app.py").status_code == 401


def test_metrics(http: httpx.Client) -> None:
    http.post("/v1/completions", json=LONG | {"max_tokens": 5})
    http.post("/v1/completions", json={})
    http.get("/wp-admin")
    text = http.get("/metrics").text
    for line in (
        'hipport_requests_total{path="/v1/completions",status="200"} 1.0',
        'hipport_requests_total{path="/v1/completions",status="400"} 1.0',
        'hipport_requests_total{path="other",status="404"} 1.0',
        "hipport_tokens_total 5.0",
        "hipport_prompt_tokens_total 2.0",
        "hipport_first_token_seconds_count 1.0",
    ):
        assert line in text.splitlines()


def test_a_port_that_is_taken() -> None:
    with listening("127.0.0.1", 0) as first:
        first.listen()
        port = first.getsockname()[1]
        with pytest.raises(HipportError, match=rf"127\.0\.0\.1 port {port}: Address already in use"):
            listening("127.0.0.1", port)


def test_a_host_that_is_not_there() -> None:
    with pytest.raises(HipportError, match=r"unknown host nowhere\.invalid"):
        listening("nowhere.invalid", 0)
    with pytest.raises(HipportError, match=r"cannot listen at 192\.0\.2\.1"):
        listening("192.0.2.1", 0)


def test_loopback() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.8.8.8", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "10.0.0.1", "example.org", "")))
