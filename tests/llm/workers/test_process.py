"""Processes that answer requests, and requests that are interrupted."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest

from hipport.errors import HipportError
from hipport.llm.workers import process
from hipport.llm.workers.process import Worker


def markdown() -> Worker:
    return Worker("hipport.llm.serving.markdown_worker", "Markdown", 30)


def ask(worker: Worker, text: str) -> dict[str, str]:
    return worker.ask({"text": text, "colors": True})


def test_an_interrupted_request_does_not_answer_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = markdown()
    assert ask(worker, "one") == {"html": "<p>one</p>\n"}

    def interrupted(*arguments: Any) -> bytes:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(process, "_read_line", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ask(worker, "two")
    assert ask(worker, "three") == {"html": "<p>three</p>\n"}


def test_ctrl_c_does_not_reach_the_process() -> None:
    worker = markdown()
    ask(worker, "one")
    assert worker._running is not None
    assert os.getpgid(worker._running.pid) != os.getpgid(0)
    first = worker._running.pid
    ask(worker, "two")
    assert worker._running.pid == first


def test_a_process_that_ends_is_started_again() -> None:
    worker = markdown()
    ask(worker, "one")
    assert worker._running is not None
    os.kill(worker._running.pid, signal.SIGKILL)
    worker._running.wait()
    assert ask(worker, "two")["kind"] == "ended"
    assert ask(worker, "three") == {"html": "<p>three</p>\n"}


def test_a_process_that_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    with pytest.raises(HipportError, match="the process for Markdown does not start: No such file"):
        ask(markdown(), "one")
