"""Signals that end the program unwind it, wherever they come."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

_PROGRAM = """
import os, sys, time
from hipport.files.system import unwound_by_signals

class Closed:
    def __del__(self):
        os.kill(os.getpid(), int(sys.argv[1]))
        sum(range(100))

with unwound_by_signals():
    try:
        {body}
        time.sleep(20)
        print("not interrupted")
    finally:
        print("unwound")
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("body", ["Closed()", "os.kill(os.getpid(), int(sys.argv[1]))"], ids=["destructor", "block"])
def test_a_signal_ends_the_block_at_once(body: str, number: signal.Signals) -> None:
    command = [sys.executable, "-c", _PROGRAM.format(body=body), str(int(number))]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == "unwound\n"
    assert "Exception ignored" not in done.stderr
    assert done.returncode == -number
