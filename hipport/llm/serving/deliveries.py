"""Hands the events of the engine's thread over to event loops, many at once.

Each call of a loop from another thread is a write to a socket, during which Python may switch to the loop's thread,
which then keeps the engine waiting. A step of 64 answers has 64 events.
"""

from __future__ import annotations

import contextlib
from asyncio import AbstractEventLoop
from collections.abc import Callable, Sequence
from typing import TypeAlias

from hipport.llm.serving.jobs import Event

Receive: TypeAlias = Callable[[int, Event], None]
"""Called with a job's number in its request, and an event of it."""


class Deliveries:
    """Events that have not been handed over yet. Used by one thread."""

    def __init__(self) -> None:
        self._events: dict[AbstractEventLoop | None, list[tuple[Receive, int, Event]]] = {}

    def to(self, receive: Receive, number: int, loop: AbstractEventLoop | None) -> Callable[[Event], None]:
        """Return a function that adds an event for a job. `receive` is called in the loop, if there is one."""
        return lambda event: self._events.setdefault(loop, []).append((receive, number, event))

    def deliver(self) -> None:
        """Hand all events over. At shutdown a loop may already be closed; its events are lost."""
        events, self._events = self._events, {}
        for loop, some in events.items():
            if loop is None:
                _receive_all(some)
            else:
                with contextlib.suppress(RuntimeError):
                    loop.call_soon_threadsafe(_receive_all, some)


def _receive_all(events: Sequence[tuple[Receive, int, Event]]) -> None:
    for receive, number, event in events:
        receive(number, event)
