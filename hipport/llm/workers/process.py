"""A process for work on untrusted text: started when needed, stopped when a request takes too long."""

from __future__ import annotations

import json
import select
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Mapping
from typing import IO, Any

from hipport.errors import HipportError

_LARGEST = 1 << 24


class Worker:
    """Runs a module that answers each line of its input, a JSON object, by one line; usable from any thread.

    `purpose` is for messages; `seconds` is the time that one request may take, the start of the process included. The
    process ends with this object, or with this program; it is in a session of its own, which Ctrl-C does not reach.
    """

    def __init__(self, module: str, purpose: str, seconds: float) -> None:
        self._module = module
        self._purpose = purpose
        self._seconds = seconds
        self._lock = threading.Lock()
        self._running: subprocess.Popen[bytes] | None = None

    def ask(self, request: Mapping[str, Any]) -> dict[str, str]:
        """Return the module's answer, or one whose `kind` is `time` or `ended` if there is none.

        Raises `HipportError` if the process does not start.
        """
        line = json.dumps(request).encode() + b"\n"
        with self._lock:
            running = self._started()
            assert running.stdin is not None and running.stdout is not None
            try:
                running.stdin.write(line)
                running.stdin.flush()
                found: dict[str, str] = json.loads(_read_line(running.stdout, time.monotonic() + self._seconds))
            except BaseException as error:  # an interrupted request, too, would leave its answer for the next one
                _stop(running)
                self._running = None
                if isinstance(error, TimeoutError):
                    return {"kind": "time", "error": ""}
                if isinstance(error, (OSError, EOFError)):
                    return {"kind": "ended", "error": ""}
                raise
            return found

    def _started(self) -> subprocess.Popen[bytes]:
        if self._running is None:
            try:
                self._running = subprocess.Popen(
                    [sys.executable, "-m", self._module],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    bufsize=0,
                    start_new_session=True,
                )
            except OSError as error:
                raise HipportError(f"the process for {self._purpose} does not start: {error.strerror}") from None
            weakref.finalize(self, _stop, self._running)
        return self._running


def _read_line(stream: IO[bytes], deadline: float) -> bytes:
    """Read up to the end of a line. Raises TimeoutError at the deadline, EOFError if the stream ends before."""
    parts: list[bytes] = []
    while not parts or not parts[-1].endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([stream], [], [], left)[0]:
            raise TimeoutError
        part = stream.read(1 << 16)
        if not part or sum(map(len, parts)) > _LARGEST:
            raise EOFError
        parts.append(part)
    return b"".join(parts)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
