"""Answers as HTTP responses: whole, or as a stream of events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from hipport.llm.serving.answers import Answers
from hipport.llm.serving.errors import ApiError
from hipport.llm.serving.forms import Json, Writer, usage
from hipport.llm.serving.jobs import FinishReason
from hipport.llm.serving.schema import Common

_LEFT = 499


async def whole(request: Request, asked: Common, answers: Answers, writer: Writer) -> Response:
    """Return all answers in one response, unless the client leaves before."""
    work = asyncio.ensure_future(_collected(answers))
    left = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait({work, left}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            return Response(status_code=_LEFT)
        return JSONResponse(writer.whole(work.result(), _usage(asked, answers)))
    finally:
        work.cancel()
        left.cancel()
        answers.cancel()


async def streamed(request: Request, asked: Common, answers: Answers, writer: Writer) -> Response:
    """Return the answers as a stream."""
    return _Events(_events(asked, answers, writer), answers)


class _Events(StreamingResponse):
    """A stream of events that cancels its answers however it ends."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncIterator[str], answers: Answers) -> None:
        super().__init__(events, headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"})
        self._answers = answers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._answers.cancel()


async def _events(asked: Common, answers: Answers, writer: Writer) -> AsyncIterator[str]:
    opened: set[int] = set()
    try:
        async for delta in answers.deltas():
            if delta.choice not in opened and (opening := writer.opening(delta.choice)):
                yield _event(opening)
            opened.add(delta.choice)
            so_far = {"usage": _usage(asked, answers)} if asked.continuous_usage else {}
            yield _event(writer.piece(delta.choice, delta.text, delta.finish) | so_far)
    except ApiError as error:
        yield _event(error.body())
        return
    if asked.include_usage:
        yield _event(writer.usage(_usage(asked, answers)))
    yield "data: [DONE]\n\n"


async def _collected(answers: Answers) -> list[tuple[str, FinishReason]]:
    texts: dict[int, list[str]] = {}
    reasons: dict[int, FinishReason] = {}
    async for delta in answers.deltas():
        texts.setdefault(delta.choice, []).append(delta.text)
        if delta.finish:
            reasons[delta.choice] = delta.finish
    return [("".join(texts[i]), reasons[i]) for i in sorted(texts)]


def _usage(asked: Common, answers: Answers) -> Json:
    """Return the token counts; a prompt counts once, however many answers it has."""
    return usage(answers.prompt_tokens // (asked.n or 1), answers.tokens)


async def _left(request: Request) -> None:
    """Wait until the client disconnects."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _event(data: Json) -> str:
    return f"data: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n"
