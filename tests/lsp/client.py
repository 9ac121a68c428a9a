"""A client of `hipport lsp` over its standard input and output: frames are written and read by hand."""

from __future__ import annotations

import contextlib
import itertools
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

WAIT = 60.0
"""Seconds to wait for a message: the machine that runs the tests may be busy."""


class Client:
    """A session; `notes` are the notifications received, by method."""

    def __init__(self, folder: Path, *options: str, capabilities: dict[str, Any] | None = None) -> None:
        command = [sys.executable, "-m", "hipport", "lsp", *options]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder)
        self._ids = itertools.count(1)
        self._answers: dict[int, queue.Queue[dict[str, Any]]] = {}
        self._notes: queue.Queue[dict[str, Any]] = queue.Queue()
        self.messages: list[str] = []
        self.garbage = b""
        self._versions: dict[str, int] = {}
        self._errors: list[bytes] = []
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=lambda: self._errors.extend(self.process.stderr or ()), daemon=True).start()
        self.capabilities = self.request(
            "initialize",
            {
                "processId": None,
                "rootUri": folder.as_uri(),
                "capabilities": capabilities or {},
                "workspaceFolders": None,
            },
        )["capabilities"]
        self.notify("initialized", {})

    @property
    def stderr(self) -> str:
        return b"".join(self._errors).decode()

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while header := stream.readline():
            if not header.startswith(b"Content-"):
                self.garbage += header
                continue
            length = int(header.partition(b":")[2]) if header.startswith(b"Content-Length") else 0
            while (header := stream.readline()) != b"\r\n":
                length = int(header.partition(b":")[2]) if header.startswith(b"Content-Length") else length
            message = json.loads(stream.read(length))
            if "id" in message and "method" not in message:
                self._answers[message["id"]].put(message)
            elif message.get("method") == "window/showMessage":
                self.messages.append(message["params"]["message"])
            else:
                self._notes.put(message)

    def send(self, message: dict[str, Any]) -> None:
        self.raw(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def raw(self, body: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def notify(self, method: str, params: Any) -> None:
        self.send({"method": method, "params": params})

    def request(self, method: str, params: Any) -> Any:
        number = next(self._ids)
        self._answers[number] = queue.Queue()
        self.send({"id": number, "method": method, "params": params})
        answer = self._answers[number].get(timeout=WAIT)
        assert "error" not in answer, answer
        return answer["result"]

    def open(self, path: Path, text: str, language: str = "cuda-cpp") -> str:
        return self.open_uri(path.as_uri(), text, language)

    def open_uri(self, uri: str, text: str, language: str = "cuda-cpp") -> str:
        self._versions[uri] = 1
        item = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return uri

    def change(self, uri: str, *changes: dict[str, Any]) -> None:
        self._versions[uri] += 1
        named = {"uri": uri, "version": self._versions[uri]}
        self.notify("textDocument/didChange", {"textDocument": named, "contentChanges": list(changes)})

    def diagnostics(self, uri: str) -> list[dict[str, Any]]:
        """Wait for the diagnostics of the present version."""
        while True:
            params = self._notes.get(timeout=WAIT)["params"]
            if params.get("uri") == uri and params.get("version") == self._versions[uri]:
                found: list[dict[str, Any]] = params["diagnostics"]
                return found

    def cleared(self, uri: str) -> bool:
        """Wait for the diagnostics of a document that was closed; return whether there are none."""
        while True:
            params = self._notes.get(timeout=WAIT)["params"]
            if params.get("uri") == uri and params.get("version") is None:
                return params["diagnostics"] == []

    def at(self, method: str, uri: str, line: int, character: int, **more: Any) -> Any:
        place = {"line": line, "character": character}
        return self.request(method, {"textDocument": {"uri": uri}, "position": place, **more})

    def actions(self, uri: str, found: dict[str, Any], only: list[str] | None = None) -> list[dict[str, Any]]:
        context = {"diagnostics": [found], **({"only": only} if only else {})}
        params = {"textDocument": {"uri": uri}, "range": found["range"], "context": context}
        answer: list[dict[str, Any]] = self.request("textDocument/codeAction", params)
        return answer

    def end(self) -> int:
        """Shut the server down; return its exit status."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(timeout=WAIT)


@contextlib.contextmanager
def session(folder: Path, *options: str, capabilities: dict[str, Any] | None = None) -> Iterator[Client]:
    """Open a session, and check at its end that the server wrote nothing else to standard output."""
    client = Client(folder, *options, capabilities=capabilities)
    try:
        yield client
        assert client.end() == 0, client.stderr
        assert client.garbage == b""
        assert "Traceback" not in client.stderr, client.stderr
    finally:
        client.process.kill()
        client.process.wait()
