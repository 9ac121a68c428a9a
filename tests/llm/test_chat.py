"""`hipport llm chat` as a user runs it, in pipes and in a terminal."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = [pytest.mark.usefixtures("engine_cache"), pytest.mark.toolchain, pytest.mark.slow]
CHAT = (sys.executable, "-m", "hipport", "llm", "chat", "--random-weights", "tiny", "--target", "cpu")


def chat(*options: str, typed: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*CHAT, *options], cwd=cwd, input=typed, capture_output=True, text=True, check=False)


def test_in_a_pipe_only_answers_are_printed(tmp_path: Path) -> None:
    typed = 'hello\n/reset\n\n"""\nhello\n"""\n/save chat.json\n/quit\nnever\n'
    done = chat("-n", "4", "--system", "Be brief.", typed=typed, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first == second
    assert len([int(number) for number in first.split()]) == 4
    assert "saved 3 messages in chat.json" in done.stderr
    assert "tokens/s" not in done.stdout + done.stderr
    again = chat("-n", "4", typed="/load chat.json\n/retry\n", cwd=tmp_path)
    assert again.stdout.splitlines() == [first]
    assert "the answer is the same" in again.stderr


def test_in_a_pipe_the_first_failure_is_the_last_command(tmp_path: Path) -> None:
    done = chat("-n", "4", typed="/load missing.json\nhello\n", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "hipport: error: cannot read missing.json: No such file or directory" in done.stderr


def test_in_a_terminal(tmp_path: Path) -> None:
    master, terminal = pty.openpty()
    with (
        subprocess.Popen(
            CHAT, cwd=tmp_path, stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True
        ) as process,
        killed_at_the_end(process),
    ):
        os.close(terminal)
        assert "/help lists the commands" in until(master, "> ")
        os.write(master, b"hello\n")
        until(master, "hello\r\n")
        until(master, " ")
        os.killpg(process.pid, signal.SIGINT)  # as terminals do, to all processes in them
        seen = until(master, "\n> ")
        assert "(stopped)" in seen
        assert re.search(r"\[\d+ tokens?(, [\d.]+ tokens/s)?, first after [\d.]+ s, context \d+ of 512\]", seen)
        os.write(master, b"dropped")
        until(master, "dropped")
        assert "Ctrl-D exits" in interrupted_at_prompt(process.pid, master)
        os.write(master, b"/what\n")
        until(master, "unknown command /what")
        until(master, "\n> ")
        os.write(master, b"one\\\ntwo\n")
        until(master, "two\r\n")
        until(master, " ")
        os.killpg(process.pid, signal.SIGINT)
        assert "(stopped)" in until(master, "\n> ")
        os.write(master, b"/save chat.md\n")
        assert "saved 4 messages" in until(master, "\n> ")
        os.write(master, b"\x04")
        assert process.wait(20) == 0
    os.close(master)
    assert "one\ntwo" in (tmp_path / "chat.md").read_text()
    assert "dropped" not in (tmp_path / "chat.md").read_text()


@contextmanager
def killed_at_the_end(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Kill a process that a failed test leaves behind: `Popen` would wait for it without end."""
    try:
        yield
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def interrupted_at_prompt(group: int, master: int) -> str:
    """Press Ctrl-C until the prompt comes again; return everything read.

    Python's `input` with readline does not notice a signal that arrives between the echo of a key and the wait for the
    next one until that key or another signal comes. On a loaded machine a test is that fast in 4 of 10 runs.
    """
    for _ in range(20):
        os.killpg(group, signal.SIGINT)
        if select.select([master], [], [], 3.0)[0]:
            break
    return until(master, "> ")


def until(master: int, text: str, seconds: float = 60.0) -> str:
    """Read from a terminal until `text` appears; return everything read."""
    seen, ends = "", time.monotonic() + seconds
    while text not in seen:
        assert select.select([master], [], [], ends - time.monotonic())[0], seen
        seen += os.read(master, 1).decode(errors="replace")
    return seen
