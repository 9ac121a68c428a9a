"""Fuzz targets for sessions: messages of an editor to `hipport lsp`, requests to `hipport llm serve`."""

from __future__ import annotations

import asyncio
import functools
import json
import logging
from collections.abc import MutableMapping
from contextlib import suppress
from typing import Any

from pygls.exceptions import JsonRpcException, JsonRpcInternalError
from starlette.types import ASGIApp

from hipport.llm.serving.app import Settings, application
from hipport.llm.serving.scheduler import Scheduler
from hipport.llm.serving.service import Model
from hipport.llm.serving.site import Site
from hipport.llm.text.chat_template import PLAIN, compile_template
from hipport.lsp.server import Server, make_server
from hipport.mappings.choice import NameChoice
from hipport.project.request import ConvertRequest, Mode
from hipport.translate.context import Options
from tests.fuzz.target import Target
from tests.llm.serving.fake import CONFIG, FakeEngine, Letters

_URI = "file:///nowhere/a.cu"
_TOKENS = 32


def _lsp(data: bytes) -> None:
    """Send a message in each line: whatever it is, no handler fails."""
    messages = []
    for number, line in enumerate(data.decode(errors="replace").splitlines()[:20]):
        with suppress(ValueError, RecursionError):
            said = json.loads(line)
            if isinstance(said, dict):
                messages.append({"jsonrpc": "2.0", **({"id": number} if said.pop("ask", None) else {}), **said})
    logging.disable(logging.CRITICAL)
    asyncio.run(_session(messages))


async def _session(messages: list[dict[str, Any]]) -> None:
    failures: list[BaseException] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: failures.append(_error(context)))
    server = make_server(
        lambda path: ConvertRequest((path,), Mode.CHECK, Options(), NameChoice(), support=False, rehearsal=True, jobs=1)
    )
    server.report_server_error = lambda error, _source: failures.append(error)  # type: ignore[assignment]
    answers = _Answers()
    server.protocol.set_writer(answers)
    _send(server, _OPENING)
    for message in messages:
        _send(server, message)
        await asyncio.sleep(0)
    waiting = asyncio.all_tasks() - {asyncio.current_task()}
    if waiting:
        await asyncio.wait(waiting, timeout=15)
    server.shutdown()
    wrong = [error for error in failures if not isinstance(error, JsonRpcException | asyncio.CancelledError)]
    if wrong:
        raise wrong[0]
    assert b'"code": -32603' not in answers.said  # a handler's exception


_OPENING = {
    "jsonrpc": "2.0",
    "id": "start",
    "method": "initialize",
    "params": {"processId": None, "rootUri": "file:///nowhere", "capabilities": {}},
}


def _send(server: Server, message: dict[str, Any]) -> None:
    # What is no message of the protocol is answered by pygls with an error.
    with suppress(JsonRpcException):
        server.protocol.handle_message(server.protocol.structure_message(message))


def _error(context: dict[str, Any]) -> BaseException:
    found = context.get("exception")
    return found if isinstance(found, BaseException) else JsonRpcInternalError(str(context.get("message")))


class _Answers:
    """Messages of the server."""

    def __init__(self) -> None:
        self.said = b""

    def write(self, data: bytes) -> None:
        self.said += data

    def close(self) -> None:
        """Nothing is open."""


@functools.cache
def _application() -> ASGIApp:
    scheduler = Scheduler(FakeEngine(3, 2), sequences=3, at_once=2, queue=4)
    template = compile_template(PLAIN)
    served = Site(Model("fake", Letters(), CONFIG.vocabulary, _TOKENS, template, CONFIG.end_tokens))
    served.open(scheduler, 3)
    return application(served, Settings())


def _http(data: bytes) -> None:
    """Send a request: `METHOD PATH?QUERY`, headers, an empty line, a body. It is answered, and not with 500."""
    head, _, body = data.partition(b"\n\n")
    first, *lines = head.split(b"\n")
    method, _, target = first.decode("latin-1").partition(" ")
    path, _, query = target.partition("?")
    pairs = (line.partition(b":") for line in lines)
    headers = [(name.strip().lower(), value.strip()) for name, _, value in pairs]
    asyncio.run(_request(method or "GET", f"/{path.lstrip('/')}", query, headers, body))


async def _request(method: str, path: str, query: str, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "scheme": "http"}
    scope |= {"query_string": query.encode(), "headers": [(b"host", b"localhost"), *headers], "http_version": "1.1"}
    scope |= {"client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2), "root_path": "", "asgi": {"version": "3.0"}}
    waiting: list[dict[str, Any]] = [{"type": "http.request", "body": body, "more_body": False}]
    said: list[MutableMapping[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if waiting:
            return waiting.pop()
        await asyncio.sleep(10)
        return {"type": "http.disconnect"}

    async def send(message: MutableMapping[str, Any]) -> None:
        said.append(message)

    await asyncio.wait_for(_application()(scope, receive, send), 15)
    assert said and said[0]["type"] == "http.response.start" and said[0]["status"] != 500, said


def _message(method: str, ask: bool = False, **params: Any) -> str:
    return json.dumps({"method": method, **({"ask": 1} if ask else {}), "params": params})


_DOCUMENT = {"uri": _URI, "version": 2}
_TEXT = "#include <cuda.h>\n__global__ void k() { __shfl(1, 2); }\nint f() { return cuLaunchGrid(0, 1, 1); }\n"
_RANGE = {"start": {"line": 1, "character": 3}, "end": {"line": 2, "character": 0}}
_SESSION = [
    _message("textDocument/didOpen", textDocument={**_DOCUMENT, "languageId": "cuda-cpp", "text": _TEXT}),
    _message(
        "textDocument/didChange", textDocument=_DOCUMENT, contentChanges=[{"range": _RANGE, "text": "é\U0001f600"}]
    ),
    _message("textDocument/hover", True, textDocument=_DOCUMENT, position={"line": 2, "character": 19}),
    _message("textDocument/codeAction", True, textDocument=_DOCUMENT, range=_RANGE, context={"diagnostics": []}),
    _message("textDocument/didSave", textDocument=_DOCUMENT),
    _message("workspace/didChangeWatchedFiles", changes=[{"uri": _URI, "type": 1}]),
    _message("textDocument/didClose", textDocument=_DOCUMENT),
]
_LSP = (
    "\n",
    '"line":',
    '"character":',
    "4294967295",
    "-1",
    "null",
    '"range":',
    '"text":',
    '"uri":',
    "\\ud800",
    "\\r",
    "[]",
)
_HTTP = (
    b'POST /v1/chat/completions\ncontent-type: application/json\n\n{"messages": [{"role": "user", "content": "ab"}]}',
    b'POST /v1/completions\n\n{"prompt": "ab", "max_tokens": 3, "stream": true, "logprobs": 2, "n": 2}',
    b'POST /v1/responses\nauthorization: Bearer x\n\n{"input": "ab", "max_output_tokens": 3}',
    b'POST /tokenize\n\n{"prompt": "ab"}',
    b'POST /v1/embeddings\n\n{"input": ["ab"]}',
    b"GET /v1/models?x=%ff\naccept: */*\n\n",
    b"GET /metrics\n\n",
    b"GET /\nif-none-match: x\naccept-encoding: gzip\n\n",
)
_FIELDS = (
    "GET ",
    "POST ",
    "/v1/",
    "null",
    "1e999",
    '"max_tokens":',
    '"stop":',
    '"stream":',
    "\\ud800",
    "%00",
    "..",
    ": ",
)

SESSION_TARGETS = {
    "lsp": Target(_lsp, lambda: ["\n".join(_SESSION).encode(), "\n".join(_SESSION[:3]).encode()], _LSP),
    "http": Target(_http, lambda: _HTTP, _FIELDS),
}
