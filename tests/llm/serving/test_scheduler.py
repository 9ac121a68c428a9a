"""The queue in front of the engine: its limit, cancellations, shutdown."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from hipport.errors import HipportError
from hipport.llm.runtime.engine import Sampling
from hipport.llm.serving.jobs import Event, Failure, Finish, Job, Ticket, Token
from hipport.llm.serving.scheduler import QueueFull, Scheduler
from tests.llm.serving.fake import ENDLESS, FakeEngine, alone

JOB = Job((1, 2, 3), 4, Sampling(seed=1))
LONG = Job((1, 2, 3), 10_000_000, Sampling(seed=ENDLESS))


class Heard:
    """Records the events of several jobs."""

    def __init__(self, last: int) -> None:
        self.events: dict[int, list[Event]] = {}
        self._last = threading.Semaphore(0)
        self._count = last

    def __call__(self, number: int, event: Event) -> None:
        self.events.setdefault(number, []).append(event)
        if not isinstance(event, Token):
            self._last.release()

    def wait(self) -> None:
        for _ in range(self._count):
            assert self._last.acquire(timeout=20)


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine(2, 2, seconds=0.001)


@pytest.fixture
def scheduler(engine: FakeEngine) -> Iterator[Scheduler]:
    scheduler = Scheduler(engine, sequences=2, at_once=2, queue=3)
    yield scheduler
    scheduler.close()


def busy(scheduler: Scheduler) -> tuple[list[Ticket], Heard]:
    """Occupy all sequences of the engine."""
    heard = Heard(2)
    started = threading.Semaphore(0)

    def send(number: int, event: Event) -> None:
        started.release()
        heard(number, event)

    tickets = scheduler.submit([LONG, LONG], send)
    for _ in range(2):
        assert started.acquire(timeout=20)
    return tickets, heard


def test_more_jobs_than_places(scheduler: Scheduler, engine: FakeEngine) -> None:
    heard = Heard(5)
    scheduler.submit([JOB] * 5, heard)
    heard.wait()
    tokens, reason = alone(JOB)
    assert list(heard.events.values()) == [[*map(Token, tokens), Finish(reason)]] * 5  # type: ignore[arg-type]
    assert (scheduler.running, scheduler.waiting) == (0, 0)


def test_a_full_queue_takes_all_or_none(scheduler: Scheduler) -> None:
    busy(scheduler)
    scheduler.submit([JOB] * 2, Heard(0))
    with pytest.raises(QueueFull, match="2 of 3 answers are waiting"):
        scheduler.submit([JOB] * 2, Heard(0))
    assert scheduler.waiting == 2
    scheduler.submit([JOB], Heard(0))


def test_what_is_cancelled_makes_room(scheduler: Scheduler) -> None:
    running, _ = busy(scheduler)
    heard = Heard(2)
    tickets = scheduler.submit([LONG] * 3, Heard(0))
    scheduler.cancel(tickets[:2])
    assert scheduler.waiting == 1
    scheduler.submit([JOB] * 2, heard)
    scheduler.cancel(tickets)
    scheduler.cancel(running)
    scheduler.cancel(running)
    heard.wait()


def test_closing_fails_all(engine: FakeEngine) -> None:
    scheduler = Scheduler(engine, sequences=2, at_once=2, queue=3)
    (_, running), waiting = busy(scheduler), Heard(1)
    scheduler.submit([JOB], waiting)
    scheduler.close()
    running.wait()
    waiting.wait()
    assert waiting.events == {0: [Failure("the server is shutting down", 503, None)]}
    assert {events[-1] for events in running.events.values()} == {Failure("the server is shutting down", 503, None)}
    with pytest.raises(HipportError, match="shutting down"):
        scheduler.submit([JOB], waiting)
    assert not any(engine.caches)


def test_the_events_of_a_step_reach_a_loop_in_one_call(scheduler: Scheduler) -> None:
    calls = 0

    async def run() -> list[tuple[int, Event]]:
        nonlocal calls
        loop = asyncio.get_running_loop()
        events: asyncio.Queue[tuple[int, Event]] = asyncio.Queue()
        call = loop.call_soon_threadsafe

        def counted(*given: Any) -> Any:
            nonlocal calls
            calls += 1
            return call(*given)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(loop, "call_soon_threadsafe", counted)
            scheduler.submit([JOB] * 2, lambda *event: events.put_nowait(event), loop)
            return [await asyncio.wait_for(events.get(), 20) for _ in range(2 * JOB.max_tokens + 2)]

    found = asyncio.run(run())
    for number in range(2):
        own = [event for other, event in found if other == number]
        assert [type(event) for event in own] == [Token] * JOB.max_tokens + [Finish]
    assert calls <= JOB.max_tokens + 1


def test_events_for_a_loop_that_was_closed_are_lost(scheduler: Scheduler) -> None:
    loop, heard = asyncio.new_event_loop(), Heard(1)
    loop.close()
    scheduler.submit([JOB], heard, loop)
    scheduler.submit([JOB], heard)
    heard.wait()
    assert set(heard.events) == {0}
    assert len(heard.events[0]) == JOB.max_tokens + 1
