"""Clients that hold connections: unfinished headers, slow bodies, unread answers. Only on loopback, bounded."""

from __future__ import annotations

import contextlib
import logging
import resource
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2 as httpx
import pytest

from hipport.llm.serving.connections import HEADER_SECONDS, MOST_CONNECTIONS, Limits
from tests.llm.serving.conftest import StartSite
from tests.llm.serving.fake import ENDLESS
from tests.llm.serving.running import TINY, served
from tests.llm.serving.test_server import LONG, request

UNFINISHED = b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-A: "
SILENT = b""
BODY_MISSING = request({"prompt": "a"}, length=1000)
UNREAD_BODY = b"GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
KINDS = {"unfinished": UNFINISHED, "silent": SILENT, "body_missing": BODY_MISSING, "unread_body": UNREAD_BODY}


def address(url: str) -> tuple[str, int]:
    host, _, port = url.removeprefix("http://").partition(":")
    return host, int(port)


@contextlib.contextmanager
def hanging(url: str, count: int, begun: bytes) -> Iterator[list[socket.socket]]:
    """Open connections that have sent the beginning of a request."""
    with contextlib.ExitStack() as stack:
        found = []
        for _ in range(count):
            one = stack.enter_context(socket.create_connection(address(url), timeout=20))
            with contextlib.suppress(OSError):  # closed by the server already
                one.sendall(begun)
            found.append(one)
        yield found


def closed(one: socket.socket, seconds: float) -> bool:
    """Return whether the server closes a connection within a few seconds, ignoring what it sends before."""
    one.settimeout(max(seconds, 0.01))
    until = time.monotonic() + seconds
    try:
        while time.monotonic() < until:
            if not one.recv(65536):
                return True
    except ConnectionError:
        return True
    except TimeoutError:
        pass
    return False


@pytest.fixture(autouse=True)
def open_files() -> None:
    """Raise the limit of open files, because this process holds the clients' ends, too."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard if hard < 8192 and hard > 0 else 8192, hard))


@pytest.mark.parametrize("begun", KINDS.values(), ids=KINDS)
def test_the_oldest_that_wait_make_room(start_site: StartSite, begun: bytes) -> None:
    site = start_site(limits=Limits(connections=10))
    with hanging(site.url, 30, begun) as held:
        assert sum(closed(one, 10) for one in held[:20]) == 20
        for _ in range(5):
            with site.client() as http:
                assert http.get("/health").status_code == 200
        answer = site.client().post("/v1/completions", json=LONG | {"max_tokens": 3})
        assert answer.status_code == 200


@pytest.mark.parametrize("begun", [UNFINISHED, SILENT, UNREAD_BODY], ids=["unfinished", "silent", "unread_body"])
def test_headers_have_a_deadline(start_site: StartSite, begun: bytes) -> None:
    site = start_site(limits=Limits(header=0.5))
    with hanging(site.url, 1, begun) as (one,):
        assert closed(one, 5)


def test_a_header_that_comes_byte_by_byte_is_told_that_it_is_late(start_site: StartSite) -> None:
    site = start_site(limits=Limits(header=0.6))
    with hanging(site.url, 1, b"GET /health HTTP/1.1\r\nX: ") as (one,):
        got, until = b"", time.monotonic() + 5
        while not got and time.monotonic() < until:
            with contextlib.suppress(OSError):
                one.sendall(b"x")
            if select.select([one], [], [], 0.05)[0]:
                got = one.recv(1000)
        assert got.startswith(b"HTTP/1.1 408 ")
        assert closed(one, 2)


def test_a_body_that_drips_behind_an_answer_does_not_hold_the_connection(start_site: StartSite) -> None:
    site = start_site(limits=Limits(header=0.6))
    with hanging(site.url, 1, UNREAD_BODY) as (one,):
        until = time.monotonic() + 5
        while time.monotonic() < until and not closed(one, 0.1):
            with contextlib.suppress(OSError):
                one.sendall(b"x")
        assert time.monotonic() < until


@pytest.mark.parametrize(
    ("pause", "rest"),
    [(0, b"ZZ\r\n"), (0.2, b"-1\r\n"), (0.2, b"5\r\nabcdefgh")],
    ids=["no-number-at-once", "negative", "too-long"],
)
@pytest.mark.parametrize(
    ("target", "kind"),
    [
        (b"/v1/completions", b"application/json"),
        (b"/v1/completions", b"text/plain"),
        (b"/nowhere", b"application/json"),
        (b"/health", b"application/json"),
    ],
)
def test_a_malformed_body_is_no_exception_of_the_server(
    start_site: StartSite, caplog: pytest.LogCaptureFixture, target: bytes, kind: bytes, pause: float, rest: bytes
) -> None:
    site = start_site()
    head = b"POST " + target + b" HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + kind
    with hanging(site.url, 1, head + b"\r\nTransfer-Encoding: chunked\r\n\r\n" + (b"" if pause else rest)) as (one,):
        time.sleep(pause)
        with contextlib.suppress(OSError):
            one.sendall(rest if pause else b"")
        assert closed(one, 5)
    with site.client() as http:
        assert http.get("/health").status_code == 200
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_a_malformed_body_behind_the_begin_of_an_answer_ends_it(
    start_site: StartSite, caplog: pytest.LogCaptureFixture
) -> None:
    site = start_site(seconds=0.02)
    begun = request(LONG | {"max_tokens": 100, "stream": True, "seed": ENDLESS})
    with hanging(site.url, 1, begun) as (one,):
        assert one.recv(1000).startswith(b"HTTP/1.1 200")
        one.sendall(b"garbage\r\n\r\n")
        closed(one, 0.5)
    assert site.idle()
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_the_deadline_begins_anew_after_an_answer(start_site: StartSite) -> None:
    site = start_site(limits=Limits(header=1.0))
    with site.client() as http:
        for _ in range(4):
            assert http.get("/health").status_code == 200
            time.sleep(0.5)


def test_requests_that_are_worked_on_are_not_closed_for_others(start_site: StartSite) -> None:
    site = start_site(seconds=0.02, limits=Limits(connections=4, header=0.5))
    with hanging(site.url, 3, request(LONG | {"max_tokens": 100, "stream": True, "seed": ENDLESS})) as held:
        while site.scheduler.running < 3:
            time.sleep(0.01)
        with hanging(site.url, 20, UNFINISHED), site.client() as http:
            assert http.get("/health").status_code == 200
            for one in held:
                got = b""
                while b"[DONE]" not in got:
                    got += one.recv(65536)


def test_connections_above_the_limit_get_503_where_all_are_worked_on(start_site: StartSite) -> None:
    site = start_site(seconds=0.02, limits=Limits(connections=3))
    with hanging(site.url, 3, request(LONG | {"max_tokens": 200, "stream": True})):
        while site.scheduler.running < 3:
            time.sleep(0.01)
        with site.client() as first, site.client() as second:
            codes = [http.get("/health").status_code for http in (first, second)]
        assert 503 in codes


def test_a_client_that_does_not_read_loses_its_connection(start_site: StartSite) -> None:
    site = start_site(limits=Limits(stalled=0.5))
    with contextlib.closing(socket.socket()) as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.connect(address(site.url))
        one.settimeout(1)
        until, lost = time.monotonic() + 20, False
        while time.monotonic() < until and not lost:
            try:
                one.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100)
                time.sleep(0.05)
            except TimeoutError:
                continue
            except ConnectionError:
                lost = True
        assert lost


def test_the_soft_limit_of_open_files_is_raised() -> None:
    code = (
        "import resource; from hipport.llm.serving.connections import room_for_connections as room;"
        "hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1];"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (256, {})); found = room();"
        "print(found.connections, found.at_once, resource.getrlimit(7)[0])"
    )
    for hard, wanted in (("1024", (640, 64, 1024)), ("700", (316, 64, 700)), ("300", (88, 21, 300))):
        done = subprocess.run([sys.executable, "-c", code.format(hard)], capture_output=True, text=True, check=True)
        assert tuple(map(int, done.stdout.split())) == wanted
    done = subprocess.run([sys.executable, "-c", code.format("hard")], capture_output=True, text=True, check=True)
    assert int(done.stdout.split()[0]) <= MOST_CONNECTIONS


@pytest.mark.toolchain
@pytest.mark.usefixtures("engine_cache")
def test_a_burst_of_connections_leaves_files_free(tmp_path: Path) -> None:
    with served(*TINY, "--target", "cpu", cwd=tmp_path, files=400) as server:
        for _ in range(3):
            server.process.send_signal(signal.SIGSTOP)  # what comes meanwhile is accepted at once afterwards
            with hanging(server.url, 500, UNFINISHED):
                server.process.send_signal(signal.SIGCONT)
                assert httpx.get(f"{server.url}/health", timeout=20).status_code == 200
        assert server.log.read_text() == server.said


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.usefixtures("engine_cache")
@pytest.mark.parametrize("files", [None, 1024], ids=["usual_limit", "1024_files"])
def test_honest_clients_of_a_real_server_are_served(files: int | None, tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(served(*TINY, "--target", "cpu", cwd=tmp_path, files=files))
        begun = time.monotonic()
        stack.enter_context(hanging(server.url, 300, BODY_MISSING))
        held = stack.enter_context(hanging(server.url, 1100, UNFINISHED))
        body = {"prompt": "a", "max_tokens": 3, "temperature": 0}
        for _ in range(5):
            started = time.monotonic()
            assert httpx.get(f"{server.url}/health", timeout=20).status_code == 200
            assert httpx.post(f"{server.url}/v1/completions", json=body, timeout=20).status_code == 200
            assert time.monotonic() - started < 10
        left = HEADER_SECONDS + 10 - (time.monotonic() - begun)
        until = time.monotonic() + max(left, 10)
        assert all(closed(one, until - time.monotonic()) for one in held)
    assert server.process.returncode == 0
