"""`/v1/responses`: chats in the form of OpenAI's newer API. Responses are not stored."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hipport.llm.serving.answers import Answers, Delta, MadeCall
from hipport.llm.serving.bodies import parsed
from hipport.llm.serving.errors import ApiError
from hipport.llm.serving.guard import body_of
from hipport.llm.serving.replies import Events, event_line, unless_left
from hipport.llm.serving.responses_schema import ResponsesRequest
from hipport.llm.serving.schema import ChatRequest
from hipport.llm.serving.site import Site
from hipport.llm.serving.turns import Turns

Json = dict[str, Any]


def responses_endpoint(site: Site, limit: int, turns: Turns) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint for bodies of up to `limit` bytes."""

    async def responses(request: Request) -> Response:
        service = site.service()
        asked = parsed(ResponsesRequest, await body_of(request, limit))
        chat = request.state.asked = parsed(ChatRequest, json.dumps(asked.chat()).encode())
        answers = request.state.answers = service.answers(await turns.taken(service.chat, chat))
        writer = _Writer(asked, service.model.name, answers)
        if asked.stream:
            return Events(writer.events(), answers)
        return await unless_left(request, answers, lambda found: JSONResponse(writer.whole(found[0])))

    return responses


class _Writer:
    """Writes the response to one request, whole or as events."""

    def __init__(self, asked: ResponsesRequest, model: str, answers: Answers) -> None:
        self._asked = asked
        self._model = model
        self._answers = answers
        self._id = uuid.uuid4().hex
        self._created = int(time.time())
        self._number = 0
        self._text = ""
        self._items: list[Json] = []
        self._message_is_open = False

    def whole(self, answer: Delta) -> Json:
        """Return the response with the whole answer."""
        items = [self._message(answer.text, _status(answer))] if answer.text or not answer.calls else []
        return self._response(_status(answer), [*items, *map(_call_item, answer.calls)])

    async def events(self) -> AsyncIterator[bytes]:
        """Yield the events of a stream."""
        for kind in ("created", "in_progress"):
            yield self._event(f"response.{kind}", response=self._response("in_progress", []))
        status = "completed"
        try:
            async for delta in self._answers.deltas():
                for line in self._of_delta(delta):
                    yield line
                status = _status(delta)
        except ApiError as error:
            failed = self._response("failed", self._items) | {"error": {"code": "server_error", "message": str(error)}}
            yield self._event("response.failed", response=failed)
            return
        if not self._items and not self._message_is_open:
            for line in self._begin_message():
                yield line
        for line in self._end_message(status):
            yield line
        yield self._event(f"response.{status}", response=self._response(status, self._items))

    def _of_delta(self, delta: Delta) -> Iterator[bytes]:
        if delta.text:
            if not self._message_is_open:
                yield from self._begin_message()
            self._text += delta.text
            yield self._event("response.output_text.delta", **self._place(), delta=delta.text, logprobs=[])
        for made in delta.calls:
            yield from self._end_message("completed")
            yield from self._call(made)

    def _begin_message(self) -> Iterator[bytes]:
        self._message_is_open = True
        item = self._message("", "in_progress") | {"content": []}
        yield self._event("response.output_item.added", output_index=len(self._items), item=item)
        yield self._event("response.content_part.added", **self._place(), part=_part(""))

    def _end_message(self, status: str) -> Iterator[bytes]:
        if not self._message_is_open:
            return
        self._message_is_open = False
        yield self._event("response.output_text.done", **self._place(), text=self._text, logprobs=[])
        yield self._event("response.content_part.done", **self._place(), part=_part(self._text))
        item = self._message(self._text, status)
        yield self._event("response.output_item.done", output_index=len(self._items), item=item)
        self._items.append(item)
        self._text = ""

    def _call(self, made: MadeCall) -> Iterator[bytes]:
        item, place = _call_item(made), {"output_index": len(self._items)}
        begun = item | {"arguments": "", "status": "in_progress"}
        yield self._event("response.output_item.added", **place, item=begun)
        place |= {"item_id": item["id"]}
        yield self._event("response.function_call_arguments.delta", **place, delta=item["arguments"])
        yield self._event(
            "response.function_call_arguments.done", **place, name=item["name"], arguments=item["arguments"]
        )
        yield self._event("response.output_item.done", output_index=len(self._items), item=item)
        self._items.append(item)

    def _place(self) -> Json:
        return {"item_id": self._message_id(), "output_index": len(self._items), "content_index": 0}

    def _message_id(self) -> str:
        return f"msg_{self._id}_{len(self._items)}"

    def _message(self, text: str, status: str) -> Json:
        identity = {"id": self._message_id(), "type": "message", "role": "assistant"}
        return identity | {"status": status, "content": [_part(text)]}

    def _event(self, kind: str, **content: Any) -> bytes:
        self._number += 1
        numbered = {"type": kind, "sequence_number": self._number - 1} | content
        return b"event: %b\n%b" % (kind.encode(), event_line(numbered))

    def _response(self, status: str, items: list[Json]) -> Json:
        asked = self._asked
        sent = asked.model_dump(
            include={"instructions", "max_output_tokens", "temperature", "top_p", "text"}, by_alias=True
        )
        tools = [tool.model_dump() for tool in asked.tools or ()]
        choice = (
            asked.tool_choice.model_dump() if asked.tool_choice and not isinstance(asked.tool_choice, str) else None
        )
        return sent | {
            "id": f"resp_{self._id}",
            "object": "response",
            "created_at": self._created,
            "status": status,
            "error": None,
            "incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None,
            "model": self._model,
            "output": items,
            "parallel_tool_calls": asked.parallel_tool_calls is not False,
            "tools": tools,
            "tool_choice": choice or asked.tool_choice or "auto",
            "store": False,
            "usage": None if status == "in_progress" else self._usage(),
        }

    def _usage(self) -> Json:
        prompt, made = self._answers.prompt_tokens, self._answers.tokens
        return {
            "input_tokens": prompt,
            "input_tokens_details": {"cached_tokens": self._answers.reused_tokens},
            "output_tokens": made,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": prompt + made,
        }


def _status(delta: Delta) -> str:
    return "incomplete" if delta.finish == "length" else "completed"


def _part(text: str) -> Json:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _call_item(made: MadeCall) -> Json:
    return {
        "id": f"fc_{made.id}",
        "type": "function_call",
        "call_id": made.id,
        "name": made.call.name,
        "arguments": made.call.arguments,
        "status": "completed",
    }
