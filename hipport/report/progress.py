"""A progress bar on a terminal."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

_FEW = 8
"""Minimum number of files for a bar; fewer are done before it would be seen."""
_PAUSE = 0.1  # seconds between two drawings


def _silent(done: int, total: int) -> None:
    """Draw nothing."""


@contextlib.contextmanager
def progress_bar(shown: bool, doing: str = "Translating") -> Iterator[Callable[[int, int], None]]:
    """Yield a function to call with the number of files done and the total; the bar is on stderr and transient."""
    with contextlib.ExitStack() as stack:
        yield _Bar(stack, doing) if shown else _silent


class _Bar:
    """A bar drawn from the caller's thread: a thread of its own would exist when worker processes fork."""

    def __init__(self, stack: contextlib.ExitStack, doing: str) -> None:
        self._stack = stack
        self._doing = doing
        self._draw: Callable[[int, int], None] | None = None
        self._next = 0.0

    def __call__(self, done: int, total: int) -> None:
        if total < _FEW or (time.monotonic() < self._next and done < total):
            return
        self._draw = self._draw or self._start()
        self._draw(done, total)
        self._next = time.monotonic() + _PAUSE

    def _start(self) -> Callable[[int, int], None]:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn(self._doing), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        bar = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
        task = self._stack.enter_context(bar).add_task("", total=None)

        def draw(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, refresh=True)

        return draw
