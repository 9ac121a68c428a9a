"""The server while its model is being opened."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx2 as httpx

from hipport.llm.runtime.opening import Listener
from tests.llm.serving.conftest import SEQUENCES, StartSite
from tests.llm.serving.fake import ENDLESS

BODY = {"prompt": "abc", "max_tokens": 5, "seed": ENDLESS}


def test_requests_are_refused_until_the_model_is_open(start_site: StartSite) -> None:
    site = start_site(opened=False)
    with site.client() as http:
        for path in ("/v1/completions", "/v1/chat/completions"):
            refused = http.post(path, json=BODY)
            assert (refused.status_code, refused.json()["error"]["code"]) == (503, "model_opening")
            assert refused.headers["retry-after"] == "2"
        assert http.get("/v1/models").json()["data"][0]["id"] == "fake"
        assert http.get("/").status_code == http.get("/metrics").status_code == 200
        health = http.get("/health")
        assert (health.status_code, health.json()) == (503, {"status": "opening", "step": ""})
        said: list[object] = []
        listener = site.served.listener(Listener(said.append, lambda done, total: said.append((done, total))))
        listener.say("link")
        assert http.get("/health").json() == {"status": "opening", "step": "link"}
        listener.loaded(1, 3)
        assert http.get("/health").json() == {"status": "opening", "step": "loading weights", "loaded": 0.333}
        assert said == ["link", (1, 3)]
        site.served.open(site.scheduler, SEQUENCES)
        assert http.get("/health").json() == {"status": "ok", "running": 0, "waiting": 0}
        assert http.post("/v1/completions", json=BODY).status_code == 200
        assert "hipport_running" in http.get("/metrics").text


SLOW = """
import sys, time
from hipport.cli.llm import serve
def open_chosen(weights, target, context, listener, sequences):
    listener.say("waiting")
    {}
serve.open_chosen = open_chosen
from hipport.cli import main
main()
"""


def started(tmp_path: Path, opening: str) -> tuple[subprocess.Popen[str], str]:
    """Start a server whose model is opened by this code; return its URL, too."""
    command = [sys.executable, "-c", SLOW.format(opening), "llm", "serve", "--random-weights", "tiny", "--port", "0"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    return process, process.stderr.readline().split()[2]


def test_ctrl_c_while_the_model_is_opened(tmp_path: Path) -> None:
    process, url = started(tmp_path, "time.sleep(60)")
    with process:
        assert httpx.get(f"{url}/health").json() == {"status": "opening", "step": "waiting"}
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
    assert process.returncode != 0
    assert time.monotonic() - began < 10
    assert "Traceback" not in said


def test_a_model_that_cannot_be_opened(tmp_path: Path) -> None:
    process, _ = started(tmp_path, "from hipport.errors import HipportError; raise HipportError('no memory')")
    _, said = process.communicate(timeout=20)
    assert process.returncode == 1
    assert said.splitlines()[-1] == "hipport: error: no memory"
    assert "Traceback" not in said
