"""Run a function over many items in several processes, surviving the death of a worker.

`concurrent.futures` is unsuitable: when a worker is killed, by a crash in the parser or for lack of memory, it gives up
all items and does not say which one was to blame.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from multiprocessing.connection import wait
from typing import Any, Generic, TypeVar

from hipport.files import system

Item = TypeVar("Item")
Result = TypeVar("Result")


class _Worker(Generic[Item, Result]):
    """A forked process that handles one item at a time; it inherits what `work` holds, so nothing is loaded twice."""

    def __init__(self, work: Callable[[Item], Result]) -> None:
        context = multiprocessing.get_context("fork")
        # Until the other end is deleted: Python loses an interrupt that arrives in its `__del__`.
        with system.blocked(["SIGINT"]):
            self.connection, remote = context.Pipe()
            self.process = context.Process(target=_serve, args=(work, remote, self.connection), daemon=True)
            self.process.start()
            remote.close()
            del remote
        self.index = -1

    def send(self, index: int, item: Item) -> None:
        self.index = index
        with contextlib.suppress(OSError):  # already dead: `answer` reports it
            self.connection.send(item)

    def answer(self) -> tuple[Result] | None:
        """Return the result for the last item sent, or None if the process died of it."""
        try:
            return (self.connection.recv(),)
        except (EOFError, OSError):
            return None

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


def _serve(work: Callable[[Any], Any], connection: Any, parents_end: Any) -> None:
    """Handle items until the parent exits.

    SIGINT stays blocked, as inherited: keyboard interrupts are handled by the parent.
    """
    parents_end.close()
    try:
        while True:
            connection.send(work(connection.recv()))
    except (EOFError, OSError):
        return


def _has_other_threads() -> bool:
    """Whether threads run that the process would wait for at its end."""
    own = threading.current_thread()
    return any(thread is not own and not thread.daemon for thread in threading.enumerate())


def in_processes(
    work: Callable[[Item], Result], items: Sequence[Item], count: int, died: Callable[[Item], Result]
) -> Generator[tuple[int, Result]]:
    """Yield (index, result) in order of completion; `died` returns the result for an item that killed its worker.

    Close the iterator (`contextlib.closing`) to end the workers when stopping early. Without `fork`, which
    Windows lacks, there is no second process: what a worker would inherit cannot be sent. Beside other threads there is
    none either: a worker would wait forever for a lock, such as that of a module being imported, that one of them held.
    """
    if not system.HAS_FORK or _has_other_threads():
        yield from ((index, work(item)) for index, item in enumerate(items))
        return
    waiting = deque(enumerate(items))
    workers: dict[Any, _Worker[Item, Result]] = {}
    try:
        while waiting or workers:
            while waiting and len(workers) < count:
                worker = _Worker(work)
                workers[worker.connection] = worker
                worker.send(*waiting.popleft())
            for connection in wait(list(workers)):
                worker = workers[connection]
                answer = worker.answer()
                yield worker.index, died(items[worker.index]) if answer is None else answer[0]
                if answer is not None and waiting:
                    worker.send(*waiting.popleft())
                else:
                    workers.pop(connection).stop()
    finally:
        for worker in workers.values():
            worker.stop()
