"""The log of requests: one JSON object per line."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from hipport.errors import HipportError
from hipport.llm.serving.answers import Answers
from hipport.llm.serving.observed import observe
from hipport.llm.serving.schema import ChatRequest, Common, CompletionRequest

Json = dict[str, Any]


class RequestLog:
    """Appends lines to a file; `text`: with prompts and answers. `warn` gets one message if lines cannot be written."""

    def __init__(self, descriptor: int, *, text: bool, warn: Callable[[str], None]) -> None:
        self.text = text
        self._descriptor = descriptor
        self._warn = warn
        self._failed = False

    def write(self, entry: Json) -> None:
        """Append one line, without a buffer. A line that cannot be written is lost, and the request unaffected."""
        line = json.dumps(entry).encode() + b"\n"
        try:
            while line:
                line = line[os.write(self._descriptor, line) :]
        except OSError as error:
            if not self._failed:
                self._warn(f"cannot write the log of requests: {error.strerror}; lines are lost")
            self._failed = True


@contextlib.contextmanager
def opened_log(path: Path, *, text: bool, warn: Callable[[str], None]) -> Iterator[RequestLog]:
    """Yield a log that appends to a file, or to standard output if it is `-`. Raises `HipportError`."""
    if str(path) == "-":
        yield RequestLog(sys.stdout.fileno(), text=text, warn=warn)
        return
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        hint = "Name a file in an existing folder, or - for standard output."
        raise HipportError(f"cannot write the log {path}: {error.strerror}", hint=hint) from None
    try:
        yield RequestLog(descriptor, text=text, warn=warn)
    finally:
        os.close(descriptor)


class Logged:
    """ASGI middleware that logs each request when it has ended, however it ended."""

    def __init__(self, app: ASGIApp, log: RequestLog) -> None:
        self._app = app
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        state = scope["state"] = dict(scope.get("state") or {})
        began = datetime.now(timezone.utc)

        def ended(status: int, seconds: float) -> None:
            self._log.write(_request(scope, began, status, seconds) | _answered(state, text=self._log.text))

        await observe(self._app, scope, receive, send, ended)


def _request(scope: Scope, began: datetime, status: int, seconds: float) -> Json:
    client = scope.get("client")
    return {
        "time": began.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "client": client[0] if client else None,
        "method": scope["method"],
        "path": scope["path"],
        "status": status,
        "seconds": round(seconds, 6),
    }


def _answered(state: Json, *, text: bool) -> Json:
    """Return what is known of a request's answers; nothing for requests that did not reach the model."""
    answers, asked = state.get("answers"), state.get("asked")
    found: Json = {}
    if isinstance(answers, Answers) and isinstance(asked, Common):
        first = answers.first_token_seconds
        found = {
            "prompt_tokens": answers.prompt_tokens // (asked.n or 1),
            "generated_tokens": answers.tokens,
            "first_token_seconds": None if first is None else round(first, 6),
            "finish_reasons": list(answers.reasons),
        }
    if text and isinstance(asked, Common):
        found |= _asked(asked)
        if isinstance(answers, Answers):
            found["answers"] = list(answers.texts)
    return found


def _asked(asked: Common) -> Json:
    if isinstance(asked, ChatRequest):
        return {"messages": [message.for_template() for message in asked.messages]}
    return {"prompt": asked.prompt} if isinstance(asked, CompletionRequest) else {}
