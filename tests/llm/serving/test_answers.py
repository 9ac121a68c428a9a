"""Turning the engine's events into text; a single answer does not block the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import cast

from hipport.llm.runtime.engine import Sampling
from hipport.llm.serving.answers import Answers, Questions
from hipport.llm.serving.deliveries import Receive
from hipport.llm.serving.jobs import Finish, Job, Ticket, Token
from hipport.llm.serving.scheduler import Scheduler
from tests.llm.serving.fake import Letters

JOB = Job((97,), 100, Sampling())


class AtOnce:
    """A scheduler with all events ready at once."""

    def submit(self, jobs: Sequence[Job], receive: Receive, loop: asyncio.AbstractEventLoop) -> list[Ticket]:
        for number, job in enumerate(jobs):
            for _ in range(job.max_tokens):
                receive(number, Token(97))
            receive(number, Finish("length"))
        return [Ticket(job, lambda event: None) for job in jobs]


def test_others_have_their_turn_between_events() -> None:
    async def run() -> tuple[int, int]:
        answers = Answers(cast(Scheduler, AtOnce()), Letters(), Questions([JOB]))
        turns = 0

        async def other() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        task = asyncio.ensure_future(other())
        deltas = [delta async for delta in answers.deltas()]
        task.cancel()
        return len(deltas), turns

    deltas, turns = asyncio.run(run())
    assert deltas == 101
    assert turns >= deltas
