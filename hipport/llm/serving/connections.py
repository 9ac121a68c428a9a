"""Limits for connections that wait for their client: a deadline for headers, and eviction when there are too many.

uvicorn limits how long a connection may be idle between requests, but not how long a client may take to send headers:
clients that never finish theirs would hold all connections.
"""

from __future__ import annotations

import asyncio
import contextlib
import resource
from dataclasses import dataclass, field
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 10.0
"""Time from connecting, or from the end of the last answer, to the end of the next request's headers."""
STALLED_SECONDS = 60.0
"""How long a client may stop reading an answer that is larger than the buffers."""
MOST_CONNECTIONS = 4096
ACCEPTED_AT_ONCE = 64
"""Connections that asyncio accepts in one round of its loop."""
ROUNDS = 4
"""Rounds from accepting a connection until an evicted one has closed its file: protocol, eviction, closing, reserve."""
QUEUE = 1024
"""Connections that wait in the kernel until they are accepted."""
OTHER_FILES = 128
"""File descriptors for the engine, the log and Python."""
_FEWEST_CONNECTIONS = 16
_TIMEOUT = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Room:
    """The connections that the limit of open files leaves room for, and how many are accepted in one round."""

    connections: int
    at_once: int


def room_for_connections() -> Room:
    """Raise the soft limit of open files as far as needed, and return what it leaves room for.

    asyncio logs an error for each connection of a round that finds no free file, and stops accepting for a second:
    therefore files are kept free for the connections of the rounds that pass before evicted ones are closed.
    """
    wanted = MOST_CONNECTIONS + ROUNDS * ACCEPTED_AT_ONCE + OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if soft == resource.RLIM_INFINITY:
        return Room(MOST_CONNECTIONS, ACCEPTED_AT_ONCE)
    free = soft - OTHER_FILES
    at_once = max(1, min(ACCEPTED_AT_ONCE, free // (2 * ROUNDS)))
    return Room(max(_FEWEST_CONNECTIONS, min(MOST_CONNECTIONS, free - ROUNDS * at_once)), at_once)


@dataclass(eq=False, slots=True)
class Limits:
    """The limits of one server. `waiting`: the connections that wait for their client to send, oldest first."""

    connections: int = MOST_CONNECTIONS
    header: float = HEADER_SECONDS
    stalled: float = STALLED_SECONDS
    waiting: dict[LimitedProtocol, None] = field(default_factory=dict)


class LimitedProtocol(H11Protocol):
    """Closes connections whose headers do not arrive in time, and the oldest waiting ones when there are too many.

    A connection waits until a request is complete, and again after the answer. Connections with a request in progress
    are never closed for others: if all are busy, uvicorn's `limit_concurrency` answers new ones with 503.
    """

    def __init__(self, limits: Limits, **options: Any) -> None:
        super().__init__(**options)
        self._limits = limits
        self._deadline: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._received = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for headers; if there is no room, close the oldest waiting connection."""
        super().connection_made(transport)
        waiting = self._limits.waiting
        if len(self.connections) > self._limits.connections and waiting:
            next(iter(waiting)).abandon()
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Process data of a request; the deadline stays until its headers are complete."""
        self._received = True
        super().data_received(data)
        if self._is_worked_on():
            self._settle()

    def on_response_complete(self) -> None:
        """Wait for the next request, which may have arrived already."""
        self._settle()
        super().on_response_complete()
        if not self._is_worked_on() and not self.transport.is_closing():
            self._wait()

    def send_400_response(self, msg: str) -> None:
        """Answer a malformed request, unless its answer has begun; the application then has no client any more."""
        try:
            super().send_400_response(msg)
        except h11.LocalProtocolError:
            self.transport.close()
        if self._is_answering():
            self.cycle.disconnected = True
            self.cycle.message_event.set()

    def pause_writing(self) -> None:
        """Give the client `stalled` seconds to resume reading."""
        super().pause_writing()
        self._stalled = self._stalled or self.loop.call_later(self._limits.stalled, self.abandon)

    def resume_writing(self) -> None:
        """Cancel the deadline for reading."""
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def connection_lost(self, exc: Exception | None) -> None:
        self._settle()
        super().connection_lost(exc)

    def abandon(self) -> None:
        """Close the connection at once without waiting for the client."""
        self._settle()
        self.connections.discard(self)
        self.transport.abort()

    def _is_worked_on(self) -> bool:
        """Return whether a request is complete and its answer has not ended."""
        return self._is_answering() and not self.cycle.more_body

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait(self) -> None:
        self._settle()
        self._limits.waiting[self] = None
        self._deadline = self.loop.call_later(self._limits.header, self._expire)

    def _settle(self) -> None:
        self._limits.waiting.pop(self, None)
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _expire(self) -> None:
        if self._is_answering():  # the body is incomplete, for which the application has its own limit
            return
        if self._received and self.cycle is None:
            self.transport.write(_TIMEOUT)
        self._settle()
        self.transport.close()
