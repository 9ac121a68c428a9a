"""A server as users start it, in a separate process."""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TINY = ("--random-weights", "tiny")


@dataclass(frozen=True, slots=True)
class Running:
    """A running server: `url` has no slash at its end; `said` is what it printed before it was ready."""

    process: subprocess.Popen[str]
    url: str
    said: str

    def resident(self) -> float:
        """Return resident memory in megabytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.findall(r"VmRSS:\s+(\d+) kB", status)[0]) / 1024


@contextlib.contextmanager
def served(*options: str, cwd: Path | None = None, files: int | None = None) -> Iterator[Running]:
    """Run `hipport llm serve` with these options at a free port, ended by SIGTERM; `files` limits its open files."""
    command = [sys.executable, "-m", "hipport", "llm", "serve", "--port", "0", *options]
    if files:
        command = ["prlimit", f"--nofile={files}:{files}", *command]
    with subprocess.Popen(command, cwd=cwd, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield _ready(process)
        finally:
            process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(60)
            process.kill()


def _ready(process: subprocess.Popen[str]) -> Running:
    assert process.stderr is not None
    said = ""
    for line in process.stderr:
        said += line
        if found := re.search(r"http://\S+", line):
            return Running(process, found[0], said)
    raise RuntimeError(f"the server did not start:\n{said}")
