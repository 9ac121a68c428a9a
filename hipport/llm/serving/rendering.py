"""The endpoint that renders Markdown for the chat page."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from anyio.to_thread import run_sync
from pydantic import BaseModel, ConfigDict
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hipport.errors import HipportError
from hipport.llm.serving.bodies import parsed
from hipport.llm.serving.errors import ApiError
from hipport.llm.serving.guard import body_of
from hipport.llm.workers.process import Worker

SECONDS = 5.0
"""The time for one text; then it is rendered without colors, and if that takes as long, not at all."""
_AT_ONCE = 2
"""Requests that may wait for the process in a thread: threads are also needed to start answers."""


class MarkdownRequest(BaseModel):
    """`/page/markdown`."""

    model_config = ConfigDict(extra="forbid", strict=True)
    text: str


class Markdown:
    """Renders Markdown in a process of its own."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._worker = Worker("hipport.llm.serving.markdown_worker", "Markdown", seconds)

    def html(self, text: str) -> str:
        """Return the HTML of a message. Raises `HipportError` if that takes too long or too much memory."""
        for colors in (True, False):
            answer = self._worker.ask({"text": text, "colors": colors})
            if "html" in answer:
                return answer["html"]
        raise HipportError("this text takes too long to render as Markdown")


def markdown_endpoint(limit: int) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint for bodies of up to `limit` bytes."""
    markdown, turns = Markdown(), asyncio.Semaphore(_AT_ONCE)

    async def render(request: Request) -> Response:
        asked = parsed(MarkdownRequest, await body_of(request, limit))
        async with turns:
            try:
                return JSONResponse({"html": await run_sync(markdown.html, asked.text)})
            except HipportError as error:
                raise ApiError(503, str(error)) from None

    return render
