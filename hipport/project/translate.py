"""Translate the sources of a plan, in several processes if worthwhile, and twice if files depend on each other."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from hipport.diagnostics import Diagnostic
from hipport.files import sources
from hipport.files.includes import NOTHING_SEEN, Seen, foreign_names
from hipport.project import problems
from hipport.project.beside import headers_beside
from hipport.project.task import Task
from hipport.translate.context import Context
from hipport.translate.conversion import Conversion
from hipport.translate.meanings import NOTHING_KNOWN, Meanings

Converter = Callable[[bytes, str, Context], Conversion]
Progress = Callable[[int, int], None]
"""Called with the number of files done and the total."""

_WORTH_A_PROCESS = 64 << 10  # bytes of source: above this, translating them takes longer than starting a process


@dataclass(frozen=True, slots=True)
class Outcome:
    """The translation of one file; `data` is None if it equals the source; `failed` if the source could not be read.

    `support` are hipport's own headers that it includes. `foreign` are names that it was told are defined by another
    file; `seen` is what was found without that knowledge. `digest` replaces the `data` of a translation made by an
    earlier run. `meant` is the digest of what libclang knew about the names in it.
    """

    data: bytes | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    seen: Seen = NOTHING_SEEN
    failed: bool = False
    support: tuple[str, ...] = ()
    foreign: frozenset[str] = frozenset()
    digest: str = ""
    meant: str = ""


Recall = Callable[[Task], "Outcome | None"]
"""Returns what an earlier run found for a source that need not be translated again, without its `data`, or None."""


@dataclass(frozen=True, slots=True)
class _Job:
    source: str
    foreign: frozenset[str] = frozenset()
    meanings: Meanings = NOTHING_KNOWN


def translate(
    tasks: Sequence[Task],
    context: Context,
    convert: Converter,
    jobs: int | None,
    progress: Progress,
    recall: Recall = lambda task: None,
    meanings: Mapping[str, Meanings] = MappingProxyType({}),
) -> dict[str, Outcome]:
    """Translate sources and return the outcomes by `Task.source`.

    Sources that `recall` knows are translated only if their includes make a difference. `meanings` is what libclang
    knows about the names in them, also by `Task.source`.

    A file that uses a CUDA name defined by a file it includes is translated a second time with that knowledge.
    """
    ordered = sorted(tasks, key=lambda task: -task.size)  # longest first, so that no process ends up working alone
    known = {task.source: outcome for task in ordered if (outcome := recall(task)) is not None}
    known = {name: outcome for name, outcome in known.items() if outcome.meant == _of(meanings, name).digest}
    fresh = [task for task in ordered if task.source not in known]
    alone = [_Job(task.source, meanings=_of(meanings, task.source)) for task in fresh]
    first = known | _run(alone, _total(fresh), context, convert, jobs, progress)
    seen = {task.real: first[task.source].seen for task in ordered}
    foreign = foreign_names(seen | headers_beside(seen, context))
    again = [task for task in ordered if first[task.source].foreign != foreign.get(task.real, frozenset())]
    repeated = [_Job(task.source, foreign.get(task.real, frozenset()), _of(meanings, task.source)) for task in again]
    second = _run(repeated, _total(again), context, convert, jobs, _silent)
    return first | {name: replace(outcome, seen=first[name].seen) for name, outcome in second.items()}


def _of(meanings: Mapping[str, Meanings], source: str) -> Meanings:
    return meanings.get(source, NOTHING_KNOWN)


def translate_bytes(data: bytes, name: str, context: Context, convert: Converter) -> Outcome:
    """Translate text that is not in a file; any exception becomes a diagnostic."""
    try:
        conversion = convert(data, name, context)
    except Exception as error:  # a bug of ours in one file must not cost the user the others
        what = f"{type(error).__name__}: {error}"
        return Outcome(diagnostics=(problems.internal_error(name, what),), foreign=context.foreign)
    return Outcome(
        conversion.data if conversion.data != data else None,
        conversion.diagnostics,
        Seen(conversion.defines, conversion.uses, conversion.includes),
        support=conversion.support,
        foreign=context.foreign,
        meant=context.meanings.digest,
    )


def _total(tasks: Iterable[Task]) -> int:
    return sum(task.size for task in tasks)


def _silent(done: int, total: int) -> None:
    """Ignore progress."""


def _run(
    jobs: Sequence[_Job], size: int, context: Context, convert: Converter, limit: int | None, progress: Progress
) -> dict[str, Outcome]:
    work = functools.partial(_translate_file, context, convert)
    outcomes: dict[str, Outcome] = {}
    with contextlib.closing(_results(work, jobs, _processes(len(jobs), size, limit))) as results:
        for index, outcome in results:
            outcomes[jobs[index].source] = outcome
            progress(len(outcomes), len(jobs))
    return outcomes


def _processes(count: int, size: int, limit: int | None) -> int:
    """Return the number of processes worthwhile for `count` files with `size` bytes in total."""
    available = limit or len(os.sched_getaffinity(0))
    return max(1, min(available, count, size // _WORTH_A_PROCESS))


def _results(work: Callable[[_Job], Outcome], jobs: Sequence[_Job], processes: int) -> Generator[tuple[int, Outcome]]:
    if processes == 1:
        yield from ((index, work(job)) for index, job in enumerate(jobs))
        return
    from hipport.files.workers import in_processes

    with contextlib.closing(in_processes(work, jobs, processes, _died)) as results:
        yield from results


def _translate_file(context: Context, convert: Converter, job: _Job) -> Outcome:
    try:
        data = sources.read(job.source)
    except OSError as error:
        return Outcome(diagnostics=(problems.unreadable(job.source, error),), failed=True)
    return translate_bytes(data, job.source, replace(context, foreign=job.foreign, meanings=job.meanings), convert)


def _died(job: _Job) -> Outcome:
    what = "the process that translated this file died"
    return Outcome(diagnostics=(problems.internal_error(job.source, what),))
