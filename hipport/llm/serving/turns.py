"""Threads in which requests are prepared."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from anyio.to_thread import run_sync

from hipport.llm.serving.schema import Common

_AT_ONCE = 2
"""Grammars that are compiled at the same time: other requests need threads, too."""

_A = TypeVar("_A", bound=Common)
_R = TypeVar("_R")


class Turns:
    """Runs the preparation of requests in threads; those with a grammar, which may take seconds, wait for a turn."""

    def __init__(self) -> None:
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def taken(self, prepare: Callable[[_A], _R], asked: _A) -> _R:
        """Return what `prepare` returns for a request."""
        if not asked.has_grammar:
            return await run_sync(prepare, asked)
        async with self._turns:
            return await run_sync(prepare, asked)
