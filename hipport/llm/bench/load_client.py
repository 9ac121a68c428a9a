"""A load test of an HTTP server with OpenAI's API: random prompts of mixed lengths, answers as streams."""

from __future__ import annotations

import asyncio
import json
import math
import random
import socket
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from hipport.errors import HipportError, UsageError
from hipport.files.documents import parse_json
from hipport.llm.bench.latencies import Served

_LARGEST_LINE = 1 << 22
_SECONDS_TO_CONNECT = 10.0
_FAILURES = (HipportError, OSError, EOFError, ValueError, KeyError, IndexError, TypeError, asyncio.LimitOverrunError)


@dataclass(frozen=True, slots=True)
class Server:
    """The server under test; `key` may be empty."""

    host: str
    port: int
    model: str | None
    key: str


@dataclass(frozen=True, slots=True)
class Load:
    """The requests of a test, as vLLM's random data set defines them.

    Lengths are uniform between `1 - spread` and `1 + spread` times `prompt_tokens` and `tokens`; tokens of prompts are
    uniform below `vocabulary`. `rate`: requests a second, as a Poisson process; infinite: all at once. `concurrency`:
    the most requests at the same time; 0: no limit.
    """

    requests: int
    prompt_tokens: int
    tokens: int
    spread: float
    rate: float
    concurrency: int
    seed: int
    vocabulary: int = 256


@dataclass(frozen=True, slots=True)
class Planned:
    """A request, sent `after` seconds."""

    prompt: tuple[int, ...]
    tokens: int
    after: float


def server_at(url: str, model: str | None, key: str) -> Server:
    """Return the server with a URL such as http://127.0.0.1:8000. Raises `UsageError`."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or 80
    except ValueError as error:
        raise UsageError(f"{url} is not a URL: {error}") from None
    if parts.scheme != "http" or not host:
        raise UsageError(f"{url} is not a URL of a server without TLS", hint="For example: http://127.0.0.1:8000")
    return Server(host, port, model, key)


def check_answers(server: Server) -> None:
    """Raise `HipportError` if nothing accepts connections, before all requests of a test fail."""
    try:
        socket.create_connection((server.host, server.port), timeout=_SECONDS_TO_CONNECT).close()
    except OSError as error:
        place = f"{server.host}:{server.port}"
        raise HipportError(
            f"no server at {place}: {error.strerror or error}", hint="Start one, such as: hipport llm serve MODEL"
        ) from None


def planned(load: Load) -> list[Planned]:
    """Return the requests of a test; the same seed gives the same ones."""
    chance, after, found = random.Random(load.seed), 0.0, []
    for _ in range(load.requests):
        count, tokens = (_length(chance, mean, load.spread) for mean in (load.prompt_tokens, load.tokens))
        found.append(Planned(tuple(chance.randrange(load.vocabulary) for _ in range(count)), tokens, after))
        after += 0.0 if math.isinf(load.rate) else chance.expovariate(load.rate)
    return found


async def served_by(server: Server, requests: Sequence[Planned], concurrency: int) -> list[Served]:
    """Send the requests when they are due, and return how each was served."""
    places = asyncio.Semaphore(concurrency or len(requests) or 1)
    started = time.perf_counter()

    async def one(request: Planned) -> Served:
        await asyncio.sleep(max(0.0, request.after - (time.perf_counter() - started)))
        async with places:
            return await _served(server, request)

    return list(await asyncio.gather(*map(one, requests)))


def _length(chance: random.Random, mean: int, spread: float) -> int:
    return max(1, chance.randint(math.floor(mean * (1 - spread)), math.ceil(mean * (1 + spread))))


async def _served(server: Server, request: Planned) -> Served:
    times: list[float] = []
    tokens, error = 0, ""
    started = time.perf_counter()
    try:
        async for event in _events(server, _body(server, request)):
            if "error" in event:
                raise ValueError(event["error"].get("message", "error"))
            if event.get("choices") and event["choices"][0].get("text"):
                times.append(time.perf_counter())
            tokens = (event.get("usage") or {}).get("completion_tokens", tokens)
        tokens = tokens or len(times)
        error = "" if tokens else "an answer without tokens"
    except _FAILURES as failure:
        error = str(failure) or type(failure).__name__
    return Served(len(request.prompt), tokens, started, tuple(times), time.perf_counter(), error)


def _body(server: Server, request: Planned) -> bytes:
    body: dict[str, Any] = {"prompt": list(request.prompt), "max_tokens": request.tokens, "temperature": 0}
    body |= {"stream": True, "stream_options": {"include_usage": True}, "ignore_eos": True}
    return json.dumps(body | ({"model": server.model} if server.model else {})).encode()


async def _events(server: Server, body: bytes) -> AsyncIterator[dict[str, Any]]:
    """Yield the events of a streamed completion. Raises ValueError for other answers, OSError and EOFError."""
    reader, writer = await asyncio.open_connection(server.host, server.port, limit=_LARGEST_LINE)
    try:
        key = f"Authorization: Bearer {server.key}\r\n" if server.key else ""
        head = f"POST /v1/completions HTTP/1.1\r\nHost: {server.host}:{server.port}\r\n{key}Connection: close\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        status, is_chunked = await _head(reader)
        done = False
        async for line in _lines(_parts(reader, is_chunked)):
            if status != 200:
                raise ValueError(f"status {status}: {line.decode(errors='replace')[:300]}")
            if line == b"data: [DONE]":
                done = True
            elif line.startswith(b"data: "):
                yield parse_json(line[6:], f"{server.host}:{server.port}")
        if not done:
            raise EOFError("the stream broke off")
    finally:
        writer.close()


async def _head(reader: asyncio.StreamReader) -> tuple[int, bool]:
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower().splitlines()
    return int(lines[0].split()[1]), any(line.replace(" ", "") == "transfer-encoding:chunked" for line in lines)


async def _parts(reader: asyncio.StreamReader, is_chunked: bool) -> AsyncIterator[bytes]:
    while is_chunked:
        size = int((await reader.readuntil(b"\r\n")).split(b";")[0], 16)
        part = (await reader.readexactly(size + 2))[:-2]
        if not size:
            return
        yield part
    while part := await reader.read(1 << 16):
        yield part


async def _lines(parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the lines that are not empty."""
    held = b""
    async for part in parts:
        *whole, held = (held + part).split(b"\n")
        for line in whole:
            if line.strip():
                yield line.strip()
    if held.strip():
        yield held.strip()
