"""A server as users start it, in a separate process."""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TINY = ("--random-weights", "tiny")


@dataclass(frozen=True, slots=True)
class Running:
    """A running server: `url` has no slash at its end; `said` is what it printed before it was ready.

    It prints to the file `log`: a pipe that nobody reads would stop it.
    """

    process: subprocess.Popen[bytes]
    url: str
    said: str
    log: Path

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
    with (
        tempfile.NamedTemporaryFile(suffix=".log") as log,
        subprocess.Popen(command, cwd=cwd, stderr=log) as process,
    ):
        try:
            yield _ready(process, Path(log.name))
        finally:
            process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(60)
            process.kill()


def _ready(process: subprocess.Popen[bytes], log: Path) -> Running:
    while process.poll() is None:
        said = log.read_text()
        if found := re.search(r"http://\S+\n", said):
            return Running(process, found[0].strip(), said, log)
        time.sleep(0.05)
    raise RuntimeError(f"the server did not start:\n{log.read_text()}")
