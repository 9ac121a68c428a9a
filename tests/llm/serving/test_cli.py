"""`hipport llm serve` as users start it, with the engine on the CPU."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx2 as httpx
import pytest

from tests.llm.serving.load import measured
from tests.llm.serving.running import TINY, served

pytestmark = pytest.mark.usefixtures("engine_cache")
CPU = (*TINY, "--target", "cpu")
CHAT = {"messages": [{"role": "user", "content": "hi"}], "max_tokens": 5, "temperature": 0}


def hipport(*arguments: str, cwd: Path, typed: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hipport", "llm", *arguments]
    return subprocess.run(
        command, cwd=cwd, env=os.environ | environment, input=typed, capture_output=True, text=True, check=False
    )


@pytest.mark.toolchain
@pytest.mark.slow
def test_serve(tmp_path: Path) -> None:
    with served(*CPU, "--name", "small", "--grace", "20", cwd=tmp_path) as server:
        assert "small on hipport CPU target" in server.said
        first = httpx.post(f"{server.url}/v1/chat/completions", json=CHAT, timeout=60).json()
        assert len(first["choices"][0]["message"]["content"].split()) == 5
        port = server.url.rpartition(":")[2]
        second = hipport("serve", *CPU, "--port", port, cwd=tmp_path)
        assert (second.returncode, second.stdout) == (1, "")
        assert f"cannot listen at 127.0.0.1 port {port}: Address already in use" in second.stderr
        late: list[httpx.Response] = []
        body = CHAT | {"max_tokens": 30}
        thread = threading.Thread(
            target=lambda: late.append(httpx.post(f"{server.url}/v1/chat/completions", json=body, timeout=60))
        )
        thread.start()
        while not httpx.get(f"{server.url}/health").json()["running"]:
            time.sleep(0.05)
        server.process.send_signal(signal.SIGTERM)
        thread.join()
        assert late[0].status_code == 200
        assert late[0].json()["usage"]["completion_tokens"] == 30
        assert server.process.wait(30) == 0
    assert not list(tmp_path.iterdir())


@pytest.mark.toolchain
@pytest.mark.slow
def test_answers_that_take_too_long_are_told_so_at_the_end(tmp_path: Path) -> None:
    with served(*CPU, "--grace", "0", cwd=tmp_path) as server:
        path, body = f"{server.url}/v1/completions", {"prompt": "a", "max_tokens": 400}
        with httpx.stream("POST", path, json=body | {"stream": True}, timeout=60) as response:
            lines = response.iter_lines()
            assert next(lines).startswith("data: ")
            server.process.send_signal(signal.SIGTERM)
            *_, last = (line for line in lines if line)
        assert "the server is shutting down" in last
        assert server.process.wait(30) == 0
        assert server.log.read_text() == server.said


@pytest.mark.toolchain
@pytest.mark.slow
def test_many_clients(engine_cache: Path) -> None:
    tally = measured(clients=20, seconds=2, target="cpu")
    assert tally.done.total() >= 20
    assert tally.problems() == []


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        ((), 2, "Give either MODEL"),
        (("nowhere",), 2, "nowhere"),
        ((*CPU, "--host", "0.0.0.0"), 2, "listening at 0.0.0.0 needs a key"),
        ((*CPU, "--host", "nowhere.invalid", "--api-key", "k"), 1, "unknown host nowhere.invalid"),
        ((*CPU, "--api-key", "two words"), 2, "visible ASCII"),
        ((*CPU, "--api-key-file", "missing"), 1, "cannot read missing"),
        ((*CPU, "--port", "70000"), 2, "--port"),
        ((*CPU, "--log", "missing/log"), 1, "cannot write the log missing/log: No such file or directory"),
        ((*CPU, "--log", "."), 2, "'.' is a directory"),
        ((*CPU, "--log-text"), 2, "--log-text needs --log"),
        ((*CPU, "--context", "513"), 1, "513 tokens exceed the model's limit of 512"),
        ((*CPU, "--chat-template", "missing"), 1, "cannot read missing"),
    ],
)
def test_serve_used_wrongly(arguments: tuple[str, ...], status: int, said: str, tmp_path: Path) -> None:
    done = hipport("serve", "--port", "0", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (status, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_an_empty_key_is_none(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("\n")
    for arguments, environment in ((("--api-key-file", "key"), {}), (("--api-key", ""), {})):
        done = hipport("serve", *CPU, "--host", "0.0.0.0", *arguments, cwd=tmp_path, **environment)
        assert done.returncode == 2
        assert "key" in done.stderr


def test_a_missing_package_is_named(tmp_path: Path) -> None:
    start = "import sys; sys.modules['uvicorn'] = None; from hipport.cli import main; main()"
    command = [sys.executable, "-c", start, "llm", "serve", *CPU]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "uvicorn" in done.stderr
    assert "pip install 'hipport[serve]'" in done.stderr
