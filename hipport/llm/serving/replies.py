"""Answers as HTTP responses: whole, or as a stream of events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from hipport.llm.serving.answers import Answers, Delta
from hipport.llm.serving.errors import ApiError
from hipport.llm.serving.forms import Json, Writer, usage
from hipport.llm.serving.schema import Common

_LEFT = 499
_ENCODER = msgspec.json.Encoder()


async def whole(request: Request, asked: Common, answers: Answers, writer: Writer) -> Response:
    """Return all answers in one response, unless the client leaves before."""
    return await unless_left(request, answers, lambda found: JSONResponse(writer.whole(found, _usage(asked, answers))))


async def unless_left(request: Request, answers: Answers, response: Callable[[list[Delta]], Response]) -> Response:
    """Wait for all answers and return a response with them, unless the client leaves before."""
    work = asyncio.ensure_future(collected(answers))
    left = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait({work, left}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            return Response(status_code=_LEFT)
        return response(work.result())
    finally:
        work.cancel()
        left.cancel()
        answers.cancel()


async def streamed(request: Request, asked: Common, answers: Answers, writer: Writer) -> Response:
    """Return the answers as a stream."""
    return Events(_events(asked, answers, writer), answers)


class Events(StreamingResponse):
    """A stream of events that cancels its answers however it ends."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncIterator[bytes], answers: Answers) -> None:
        super().__init__(events, headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"})
        self._answers = answers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._answers.cancel()


async def _events(asked: Common, answers: Answers, writer: Writer) -> AsyncIterator[bytes]:
    opened: set[int] = set()
    try:
        async for delta in answers.deltas():
            if delta.choice not in opened and (opening := writer.opening(delta.choice)):
                yield event_line(opening)
            opened.add(delta.choice)
            so_far = {"usage": _usage(asked, answers)} if asked.continuous_usage else {}
            yield event_line(writer.piece(delta) | so_far)
    except ApiError as error:
        yield event_line(error.body())
        return
    if asked.include_usage:
        yield event_line(writer.usage(_usage(asked, answers)))
    yield b"data: [DONE]\n\n"


async def collected(answers: Answers) -> list[Delta]:
    """Return the whole answers. Raises `ApiError` if the engine fails."""
    found: dict[int, Delta] = {}
    async for delta in answers.deltas():
        old = found.get(delta.choice, Delta(delta.choice, ""))
        found[delta.choice] = Delta(
            delta.choice, old.text + delta.text, delta.finish, old.tokens + delta.tokens, old.calls + delta.calls
        )
    return [found[i] for i in sorted(found)]


def _usage(asked: Common, answers: Answers) -> Json:
    """Return the token counts; a prompt counts once, however many answers it has."""
    choices = asked.n or 1
    return usage(answers.prompt_tokens // choices, answers.tokens, answers.reused_tokens // choices)


async def _left(request: Request) -> None:
    """Wait until the client disconnects."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def event_line(data: Json) -> bytes:
    """Return an event of a stream. Each token is one, so that the time for this is the server's for a step."""
    return b"data: %b\n\n" % _ENCODER.encode(data)
