"""Progress: a bar on a terminal, and what a long build does."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

import click

_FEW = 8
"""Minimum number of files for a bar; fewer are done before it would be seen."""
_LONGEST = 120  # characters of a build's line in a log
_PAUSE = 0.1  # seconds between two drawings


def _silent(done: int, total: int) -> None:
    """Draw nothing."""


@contextlib.contextmanager
def progress_bar(shown: bool, doing: str = "Translating") -> Iterator[Callable[[int, int], None]]:
    """Yield a function to call with the number of files done and the total; the bar is on stderr and transient."""
    with contextlib.ExitStack() as stack:
        yield _Bar(stack, doing) if shown else _silent


class BuildProgress:
    """Display of a running build: receives the seconds that a step has taken, and the last line that it printed.

    On a terminal of so many `columns` the line is drawn again and again, and is transient; elsewhere (None) there is a
    line each minute, so that a log shows that the build goes on. `write` takes text for standard error.
    """

    def __init__(self, write: Callable[[str], None], columns: int | None) -> None:
        self._write = write
        self._columns = columns
        self._minutes = 0
        self._shown = False

    def __call__(self, seconds: float, line: str) -> None:
        minutes, rest = divmod(int(seconds), 60)
        # The build's own text may have anything in it, such as tabs and escape sequences.
        said = "".join(char if char.isprintable() else " " for char in click.unstyle(line))
        if self._columns is not None:
            self._write(f"\r\x1b[K{f'  {minutes}:{rest:02d}  {said}'[: self._columns - 1]}")
            self._shown = True
        elif minutes > self._minutes:
            self._write(f"  {minutes} min: {said[:_LONGEST]}\n")
        self._minutes = minutes

    def clear(self) -> None:
        """Remove the line from a terminal."""
        if self._shown:
            self._write("\r\x1b[K")
        self._shown = False


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
