"""Batching: every job gets the same result as alone, and every job gets its turn."""

from __future__ import annotations

import itertools
import logging

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hipport.llm.runtime.engine import Sampling
from hipport.llm.serving.batch import Batch
from hipport.llm.serving.jobs import Event, Failure, Finish, Job, Ticket, Token
from tests.llm.serving.fake import DEVICE_LOST, ENDLESS, FakeEngine, alone

JOBS = st.builds(
    Job,
    prompt=st.lists(st.integers(0, 255), min_size=1, max_size=40).map(tuple),
    max_tokens=st.integers(1, 12),
    sampling=st.builds(Sampling, seed=st.integers(0, 5)),
)


class Listening(Ticket):
    """A ticket that records its events."""

    def __init__(self, job: Job) -> None:
        self.events: list[Event] = []
        super().__init__(job, self.events.append)

    @property
    def tokens(self) -> list[int]:
        return [event.number for event in self.events if isinstance(event, Token)]


def job(prompt: int = 1, tokens: int = 10) -> Job:
    return Job(tuple(range(prompt)), tokens, Sampling(seed=3))


def finished(batch: Batch, waiting: list[Listening], rounds: int = 10_000) -> None:
    for _ in range(rounds):
        while waiting and batch.room:
            batch.admit(waiting.pop())
        if not len(batch):
            return
        batch.round()
    raise AssertionError("jobs do not end")


@settings(max_examples=60, deadline=None)
@given(st.lists(JOBS, max_size=12), st.integers(1, 6), st.integers(1, 4), st.data())
def test_jobs_get_what_they_get_alone(jobs: list[Job], sequences: int, at_once: int, data: st.DataObject) -> None:
    engine = FakeEngine(sequences, at_once)
    batch = Batch(engine, sequences, at_once)
    tickets = [Listening(one) for one in jobs]
    left = data.draw(st.sets(st.sampled_from(range(len(jobs)))) if jobs else st.just(set()))
    waiting = list(tickets)
    for _ in range(data.draw(st.integers(0, 8))):
        while waiting and batch.room:
            batch.admit(waiting.pop())
        batch.round()
    for i in left:
        tickets[i].cancelled = True
    finished(batch, waiting)
    assert not any(engine.caches)
    assert batch.room == sequences
    for i, ticket in enumerate(tickets):
        tokens, reason = alone(ticket.job)
        if i in left and ticket.events[-1:] != [Finish(reason)]:
            assert ticket.tokens == tokens[: len(ticket.tokens)]
        else:
            assert ticket.events == [*map(Token, tokens), Finish(reason)]  # type: ignore[arg-type]


def test_all_that_decode_take_turns() -> None:
    engine = FakeEngine(5, 2)
    batch = Batch(engine, 5, 2)
    tickets = [Listening(Job((i,), 40, Sampling(seed=ENDLESS))) for i in (1, 2, 3, 4, 5)]
    for ticket in tickets:
        batch.admit(ticket)
    for _ in range(20):
        batch.round()
        lengths = [len(ticket.tokens) for ticket in tickets]
        assert max(lengths) - min(lengths) <= 1
    assert engine.calls == [("decode", 2)] * 20


def test_others_decode_between_the_pieces_of_a_prompt() -> None:
    engine = FakeEngine(2, 2)
    batch = Batch(engine, 2, 2, itertools.count(0, 0.2).__next__)  # so slow that pieces stay small
    short, long = Listening(job()), Listening(job(prompt=30))
    batch.admit(short)
    batch.admit(long)
    for _ in range(3):
        batch.round()
    assert engine.calls == [("prefill", 8), ("decode", 1)] * 3
    assert len(short.tokens) == 3
    assert not long.events


def test_pieces_grow_where_the_engine_is_quick() -> None:
    engine = FakeEngine(1, 1)
    batch = Batch(engine, 1, 1, itertools.count(0, 0.0001).__next__)
    batch.admit(Listening(Job((1,) * 3000, 1, Sampling())))
    finished(batch, [])
    assert [tokens for name, tokens in engine.calls if name == "prefill"] == [8, 1024, 1024, 943]
    assert (batch.counts.prompt_tokens, batch.counts.tokens, batch.counts.steps) == (2999, 1, 1)


def test_an_engine_that_fails_ends_those_of_the_step_only() -> None:
    engine = FakeEngine(3, 2)
    batch = Batch(engine, 3, 2)
    tickets = [Listening(job()) for _ in range(3)]
    for ticket in tickets:
        batch.admit(ticket)
    engine.broken = DEVICE_LOST
    batch.round()
    assert [ticket.events for ticket in tickets] == [[Failure(str(DEVICE_LOST))]] * 2 + [[]]
    assert batch.counts.failure == str(DEVICE_LOST)
    engine.broken = None
    finished(batch, [])
    assert tickets[2].tokens == alone(job())[0]
    assert batch.counts.failure is None
    assert batch.room == 3


def test_a_defect_is_a_failure_too(caplog: pytest.LogCaptureFixture) -> None:
    engine = FakeEngine(1, 1)
    batch = Batch(engine, 1, 1)
    ticket = Listening(job(prompt=5))
    batch.admit(ticket)
    engine.broken = ZeroDivisionError()
    with caplog.at_level(logging.ERROR):
        batch.round()
    assert ticket.events == [Failure("ZeroDivisionError")]
    assert "Traceback" in caplog.text
