"""Requests as middleware observes them: how they ended, and when."""

from __future__ import annotations

import time
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_GONE = 499
"""The status of a request whose client left before the answer."""


async def observe(
    app: ASGIApp, scope: Scope, receive: Receive, send: Send, ended: Callable[[int, float], None]
) -> None:
    """Run a request; call `ended` with its status and its seconds when it has ended, however it ended."""
    status, started = _GONE, time.perf_counter()

    async def told(message: Message) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        await send(message)

    try:
        await app(scope, receive, told)
    finally:
        ended(status, time.perf_counter() - started)
