"""Serve a model of random weights and measure the server under loads of requests of mixed lengths.

    python -m scripts.device_runs.served SHAPE --json FILE --target nvidia REQUESTS PROMPT_TOKENS TOKENS

Runs `hipport llm serve`, then `hipport llm load` against it: all requests at once, at most 16 at the same time, and as
a Poisson process, with lengths between 0.1 and 1.9 times the means; the first of them again with drafts.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

_LOADS = {
    "all at once": (),
    "16 at the same time": ("--concurrency", "16"),
    "8 a second": ("--rate", "8"),
}
_SERVERS: dict[str, tuple[str, ...]] = {"": (), "drafts of 3": ("--speculate", "3")}
_START_SECONDS = 120
_SEQUENCES = "64"


def main() -> None:
    """Measure, and write the results of all loads."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shape")
    parser.add_argument("requests")
    parser.add_argument("prompt_tokens", type=int)
    parser.add_argument("tokens", type=int)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--target", required=True)
    told = parser.parse_args()
    lengths = ("--prompt-tokens", str(told.prompt_tokens), "--tokens", str(told.tokens), "--spread", "0.9")
    context = str(2 * (told.prompt_tokens + told.tokens))
    found: dict[str, Any] = {}
    for server, options in _SERVERS.items():
        with _serving(told.shape, told.target, context, options) as url:
            for name, more in _LOADS.items() if not options else list(_LOADS.items())[:1]:
                key = ", ".join(filter(None, (name, server)))
                found[key] = _loaded(url, ("--requests", told.requests, *lengths, *more))
                told.json.write_text(json.dumps(found, indent=1))


@contextlib.contextmanager
def _serving(shape: str, target: str, context: str, options: Sequence[str]) -> Iterator[str]:
    """Run a server; yield its URL when the model is open."""
    command = [sys.executable, "-m", "hipport", "llm", "serve", "--random-weights", shape, "--target", target]
    command += ["--port", "0", "--sequences", _SEQUENCES, "--context", context, "--queue", "4096", *options]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        yield _opened(server)
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()


def _opened(server: subprocess.Popen[str]) -> str:
    """Return the URL that the server prints, when it says that it is ready; then print the rest of what it says."""
    assert server.stderr is not None
    url = ""
    for line in server.stderr:
        print(line, end="", flush=True)
        if found := re.search(r"http://[\w.:]+", line):
            url = found[0]
            break
    threading.Thread(target=lambda: [print(line, end="") for line in server.stderr or ()], daemon=True).start()
    until = time.monotonic() + _START_SECONDS
    while url and server.poll() is None and time.monotonic() < until:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/health", timeout=10) as answer:
            if answer.status == 200:
                return url
        time.sleep(0.5)
    raise SystemExit(f"the server did not start: exit status {server.poll()}")


def _loaded(url: str, options: Sequence[str]) -> Any:
    """Return the result of a load test."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "load.json"
        command = [sys.executable, "-m", "hipport", "llm", "load", url, *options, "--json", str(path)]
        subprocess.run(command, check=False)
        return json.loads(path.read_text()) if path.is_file() else None


if __name__ == "__main__":
    main()
