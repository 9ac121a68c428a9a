"""Translate the files of a tree, in several processes if worthwhile, and twice if files depend on each other."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from hipport.diagnostics import Diagnostic
from hipport.files import sources, system
from hipport.files.includes import NOTHING_SEEN, Edges, Seen, foreign_names, shared_decisions
from hipport.mappings.tables import Tables
from hipport.project import problems
from hipport.project.task import Task
from hipport.translate.context import Context
from hipport.translate.conversion import Conversion
from hipport.translate.meanings import NOTHING_KNOWN, Meanings
from hipport.translate.memory import Memory
from hipport.translate.unknown_names import undeclared

Converter = Callable[[bytes, str, Context], Conversion]
Read = Callable[[str], bytes]
Progress = Callable[[int, int], None]
"""Called with the number of files done and the total."""

_WORTH_A_PROCESS = 64 << 10  # bytes of source: above this, translating them takes longer than starting a process

_MANY = 96 << 10
"""Bytes of source for a process above which a query of their trees is compiled sooner than all nodes are visited."""


class Outcome(Struct, frozen=True):
    """The translation of one file; `data` is None if it equals the source; `failed` if the source could not be read.

    `support` are hipport's own headers that it includes. `foreign` are names that it was told are defined by another
    file; `seen` is what was found without that knowledge. `digest` replaces the `data` of a translation made by an
    earlier run. `meant` is the digest of what libclang knew about the names in it. `recalled`: an earlier run made it.
    `unknown` are findings about names that another file may declare; `undeclared` those of them about names that no
    file declares.
    """

    data: bytes | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    seen: Seen = NOTHING_SEEN
    failed: bool = False
    support: tuple[str, ...] = ()
    foreign: frozenset[str] = frozenset()
    digest: str = ""
    meant: str = ""
    recalled: bool = False
    unknown: tuple[tuple[str, Diagnostic], ...] = ()
    undeclared: tuple[Diagnostic, ...] = ()

    def changes(self, task: Task) -> bool:
        """Return whether a file will differ from its source."""
        moves = task.target != task.relative or task.link != task.link_was
        return not self.failed and (moves or self.data is not None)

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """All diagnostics of the file, by position."""
        if not self.undeclared:
            return self.diagnostics
        both = (*self.diagnostics, *self.undeclared)
        return tuple(sorted(both, key=lambda found: (found.line, found.column, found.code)))

    def among(self, declared: frozenset[str], tables: Tables) -> Outcome:
        """Return the outcome with its findings about unknown names, but for those that its project has `declared`."""
        return replace(self, undeclared=tuple(undeclared(self.unknown, declared, tables))) if self.unknown else self


class Source(Struct, frozen=True):
    """A file to translate: read from `path`, its name in diagnostics; identified by `real`; of `size` bytes."""

    path: str
    real: str
    size: int


Recall = Callable[[Source], "Outcome | None"]
"""Returns what an earlier run found for a source that need not be translated again, or None."""


class Resolver(Protocol):
    """Finds the files that `#include` lines refer to. Files are identified by `Source.real`."""

    def further(self, seen: Mapping[str, Seen]) -> Sequence[Source]:
        """Return more sources to translate, because the files seen include them."""

    def outside(self, seen: Mapping[str, Seen]) -> Mapping[str, Seen]:
        """Return what headers define that the files seen include and that are not translated."""

    def edges(self, seen: Mapping[str, Seen]) -> Edges:
        """Return the files that each file includes."""


class _Job(Struct, frozen=True):
    source: str
    foreign: frozenset[str] = frozenset()
    meanings: Meanings = NOTHING_KNOWN


def _silent(done: int, total: int) -> None:
    """Ignore progress."""


def nothing_recalled(source: Source) -> None:
    """Recall nothing."""


class TreeTranslator(Struct, frozen=True):
    """How the files of a tree are translated, the same for all of them.

    `jobs` is the maximum number of processes, None for one per processor. Sources that `recall` knows are translated
    only if the files that they include make a difference. `meanings` is what libclang knows about the names in
    sources, by path. `read` returns the bytes of a source instead of the disk.
    """

    convert: Converter
    context: Context
    jobs: int | None = None
    progress: Progress = _silent
    recall: Recall = nothing_recalled
    meanings: Mapping[str, Meanings] = field(default_factory=dict)
    read: Read | None = None

    def run(self, jobs: Sequence[_Job], size: int, progress: Progress) -> dict[str, Outcome]:
        """Translate files of `size` bytes in total, in several processes if worthwhile."""
        processes = _processes(len(jobs), size, self.jobs)
        # Other processes would keep what only a process that starts later could use.
        memory = self.context.memory if processes == 1 else None
        context = replace(self.context, memory=memory, many=size > processes * _MANY)
        work = functools.partial(_translate_file, context, self.convert, self.read)
        outcomes: dict[str, Outcome] = {}
        with contextlib.closing(_results(work, jobs, processes)) as results:
            for index, outcome in results:
                outcomes[jobs[index].source] = outcome
                progress(len(outcomes), len(jobs))
        return outcomes

    def meant(self, path: str) -> Meanings:
        """Return what libclang knows about the names in a source."""
        return self.meanings.get(path, NOTHING_KNOWN)


def translate_tree(files: Sequence[Source], resolver: Resolver, translator: TreeTranslator) -> dict[str, Outcome]:
    """Translate sources and those that the resolver adds; return the outcomes by path.

    A file that uses a CUDA name, or a constant, that is defined by a file it includes is translated a second time with
    that knowledge.
    """
    translator = replace(translator, context=replace(translator.context, memory=Memory()))
    sources: dict[str, Source] = {}
    first: dict[str, Outcome] = {}
    seen: dict[str, Seen] = {}
    fresh = list(files)
    while fresh:
        sources |= {source.path: source for source in fresh}
        first |= _first(fresh, translator)
        seen |= {source.real: first[source.path].seen for source in fresh}
        fresh = list(resolver.further(seen))
    known = seen | {**resolver.outside(seen)}
    foreign = foreign_names(known, resolver.edges)
    for path, facts in shared_decisions(known, resolver.edges).items():
        foreign[path] = foreign.get(path, frozenset()) | facts
    outcomes = first | _second(sources.values(), first, foreign, translator)
    declared = frozenset().union(*(each.declares for each in known.values()))
    return {path: outcome.among(declared, translator.context.tables) for path, outcome in outcomes.items()}


def _first(files: Sequence[Source], translator: TreeTranslator) -> dict[str, Outcome]:
    """Translate files, or recall them, without knowledge of other files."""
    ordered = sorted(files, key=lambda source: -source.size)  # longest first, so that no process ends up working alone
    recalled = {source.path: outcome for source in ordered if (outcome := translator.recall(source)) is not None}
    known = {path: outcome for path, outcome in recalled.items() if outcome.meant == translator.meant(path).digest}
    fresh = [source for source in ordered if source.path not in known]
    jobs = [_Job(source.path, meanings=translator.meant(source.path)) for source in fresh]
    return known | translator.run(jobs, _total(fresh), translator.progress)


def _second(
    files: Iterable[Source],
    first: Mapping[str, Outcome],
    foreign: Mapping[str, frozenset[str]],
    translator: TreeTranslator,
) -> dict[str, Outcome]:
    """Translate the files again that were translated with other knowledge of foreign names than there is now."""
    nothing: frozenset[str] = frozenset()
    again = [source for source in files if first[source.path].foreign != foreign.get(source.real, nothing)]
    again.sort(key=lambda source: -source.size)
    jobs = [_Job(each.path, foreign.get(each.real, nothing), translator.meant(each.path)) for each in again]
    outcomes = translator.run(jobs, _total(again), _silent)
    return {path: replace(outcome, seen=first[path].seen) for path, outcome in outcomes.items()}


def translate_bytes(data: bytes, name: str, context: Context, convert: Converter) -> Outcome:
    """Translate text that is not in a file; any exception becomes a diagnostic."""
    try:
        conversion = convert(data, name, context)
    except MemoryError:
        return Outcome(diagnostics=(problems.needs_memory(name, len(data)),), foreign=context.foreign)
    except Exception as error:  # a bug of ours in one file must not cost the user the others
        what = f"{type(error).__name__}: {error}"
        return Outcome(diagnostics=(problems.internal_error(name, what),), foreign=context.foreign)
    return Outcome(
        conversion.data if conversion.data != data else None,
        conversion.diagnostics,
        Seen(conversion.defines, conversion.uses, conversion.includes, conversion.declares, conversion.reads),
        support=conversion.support,
        foreign=context.foreign,
        meant=context.meanings.digest,
        unknown=conversion.unknown,
    )


def _total(files: Iterable[Source]) -> int:
    return sum(source.size for source in files)


def _processes(count: int, size: int, limit: int | None) -> int:
    """Return the number of processes worthwhile for `count` files with `size` bytes in total."""
    available = limit or system.processors()
    return max(1, min(available, count, size // _WORTH_A_PROCESS))


def _results(work: Callable[[_Job], Outcome], jobs: Sequence[_Job], processes: int) -> Generator[tuple[int, Outcome]]:
    if processes == 1:
        yield from ((index, work(job)) for index, job in enumerate(jobs))
        return
    from hipport.files.workers import in_processes

    with contextlib.closing(in_processes(work, jobs, processes, _died)) as results:
        yield from results


def _translate_file(context: Context, convert: Converter, read: Read | None, job: _Job) -> Outcome:
    try:
        data = (read or sources.read)(job.source)
    except OSError as error:
        return Outcome(diagnostics=(problems.unreadable(job.source, error),), failed=True)
    return translate_bytes(data, job.source, replace(context, foreign=job.foreign, meanings=job.meanings), convert)


def _died(job: _Job) -> Outcome:
    what = "the process that translated this file died"
    return Outcome(diagnostics=(problems.internal_error(job.source, what),))
