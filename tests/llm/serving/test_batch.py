"""Batching: every job gets the same result as alone, and every job gets its turn."""

from __future__ import annotations

import itertools
import logging

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hipport.llm.runtime.changes import Changes
from hipport.llm.runtime.engine import Sampling
from hipport.llm.runtime.speculation import Repetition
from hipport.llm.serving.batch import Batch
from hipport.llm.serving.jobs import Controls, Embedded, Event, Failure, Finish, Job, Pooling, Ticket, Token
from tests.llm.serving.fake import DEVICE_LOST, ENDLESS, PAGE, FakeEngine, alone, changed, following, logits_of

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


class Guessing:
    """Drafts of which the first `right` tokens are right; for the jobs of these tests."""

    tokens = 3

    def __init__(self, job: Job, right: int) -> None:
        self._tokens = [*job.prompt, *alone(job)[0]]
        self._right = right

    def draft(self, sequence: int) -> Guessing:
        return self

    def guess(self, tokens: list[int], most: int) -> list[int]:
        right = self._tokens[len(tokens) :][: min(self._right, most)]
        return [*right, *[255] * (most - len(right))]


@pytest.mark.parametrize("right", [0, 1, 2, 3])
def test_drafts_save_steps_and_change_nothing(right: int) -> None:
    one = Job((1, 2, 3), 13, Sampling(seed=ENDLESS))
    batch = Batch(FakeEngine(1, 4), 1, 4, speculation=Guessing(one, right))
    ticket = Listening(one)
    batch.admit(ticket)
    finished(batch, [])
    assert ticket.events == [*map(Token, alone(one)[0]), Finish("length")]
    assert batch.counts.steps == -(-13 // (right + 1))
    assert batch.counts.tokens == 13


class Repeating:
    tokens = 3

    def draft(self, sequence: int) -> Repetition:
        return Repetition()


@settings(max_examples=40, deadline=None)
@given(st.lists(JOBS, max_size=8), st.integers(1, 4), st.integers(1, 9))
def test_repetition_changes_nothing_either(jobs: list[Job], sequences: int, at_once: int) -> None:
    batch = Batch(FakeEngine(sequences, at_once), sequences, at_once, speculation=Repeating())
    tickets = [Listening(one) for one in jobs]
    finished(batch, list(tickets))
    for ticket in tickets:
        tokens, reason = alone(ticket.job)
        assert ticket.events == [*map(Token, tokens), Finish(reason)]  # type: ignore[arg-type]


def test_repetition_finds_the_latest_place() -> None:
    draft = Repetition()
    assert draft.guess([1, 2, 3, 4], 3) == []
    assert draft.guess([1, 2, 3, 4, 9, 2, 3], 3) == [4, 9, 2]
    assert draft.guess([1, 2, 3, 4, 9, 2, 3, 5, 2, 3], 3) == [5, 2, 3]
    assert draft.guess([1, 2, 3, 4, 9, 2, 3, 5, 2, 3, 4, 9, 2, 3], 2) == [5, 2]  # four tokens tell more than two


def test_other_sampling_is_not_drafted() -> None:
    greedy = Job((1, 2), 4, Sampling())
    others = [
        Job((1, 2), 4, Sampling(temperature=0.5)),
        Job((1, 2), 4, Sampling(repetition_penalty=1.1)),
        Job((1, 2), 4, Sampling(), Controls(logprobs=0)),
        Job((1, 2), 4, Sampling(), Controls(bias={3: 1.0})),
    ]
    for one in [greedy, *others]:
        batch = Batch(FakeEngine(1, 4), 1, 4, speculation=Guessing(one, 0))
        batch.admit(Listening(one))
        finished(batch, [])
        assert (batch.counts.drafted_tokens > 0) == (one is greedy)


def test_what_the_cache_has_is_not_read_again() -> None:
    engine = FakeEngine(1, 1)
    batch = Batch(engine, 1, 1)
    for prompt in ([*range(2 * PAGE + 9)], [*range(2 * PAGE + 1)], [*range(PAGE + 5), 200, 201]):
        ticket = Listening(Job(tuple(prompt), 3, Sampling(seed=ENDLESS)))
        batch.admit(ticket)
        finished(batch, [])
        assert ticket.tokens == alone(ticket.job)[0]
    assert batch.counts.reused_tokens == 0 + 2 * PAGE + PAGE
    assert batch.counts.prompt_tokens == 2 * PAGE + 8 + 0 + 6


def test_biases_and_penalties() -> None:
    controls = Controls(bias={9: 4.9, 300: 0.25}, presence=0.5, frequency=2.0, logprobs=2)
    one = Job((1,), 12, Sampling(seed=ENDLESS), controls)
    batch = Batch(FakeEngine(1, 1), 1, 1)
    ticket = Listening(one)
    batch.admit(ticket)
    finished(batch, [])
    text = [1]
    for event in ticket.events[:-1]:
        assert isinstance(event, Token)
        plain = logits_of(following(text, ENDLESS))
        counts = {token: text[1:].count(token) for token in text[1:]}
        values = dict(controls.bias)
        for token, count in counts.items():
            values[token] = values.get(token, 0.0) - 0.5 - 2.0 * count
        assert event.number == np.argmax(changed(plain.copy(), Changes(values)))
        assert event.logprobs is not None
        everything = np.log(np.exp(plain.astype(float)) / np.exp(plain.astype(float)).sum())
        assert event.logprobs.own == pytest.approx(everything[event.number])
        assert [token for token, _ in event.logprobs.top] == list(np.argsort(-everything, kind="stable")[:2])
        text.append(event.number)
    assert len(set(text)) < len(text)


def test_ignored_end_tokens() -> None:
    seed = next(s for s in range(50) if alone(Job((97,), 60, Sampling(seed=s)))[1] == "stop")
    batch = Batch(FakeEngine(1, 1), 1, 1)
    ticket = Listening(Job((97,), 60, Sampling(seed=seed), Controls(ignore_end=True)))
    batch.admit(ticket)
    finished(batch, [])
    assert len(ticket.tokens) == 60


@pytest.mark.parametrize(("pooling", "wanted"), [("last", [45.0, 30.0, 1.0]), ("mean", [480 / 31, 15.0, 1.0])])
def test_vectors_of_prompts_that_are_read_in_pieces(pooling: Pooling, wanted: list[float]) -> None:
    batch = Batch(FakeEngine(1, 1), 1, 1, itertools.count(0, 0.2).__next__)
    ticket = Listening(Job((*range(30), 45), 0, Sampling(), pooling=pooling))
    batch.admit(ticket)
    finished(batch, [])
    (event,) = ticket.events
    assert isinstance(event, Embedded)
    assert event.vector == pytest.approx(np.array(wanted) / np.linalg.norm(wanted), rel=1e-5)
