"""Query libclang about a project: find its units, parse them, and merge their answers."""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from hipport.errors import HipportError
from hipport.files import system
from hipport.files.hashes import digest
from hipport.files.workers import in_processes
from hipport.mappings.tables import Tables
from hipport.project.request import Semantic
from hipport.project.task import Task
from hipport.semantic import libclang
from hipport.semantic.cache import AnswerCache, StoredAnswers, UnitRecord
from hipport.semantic.database import read_database
from hipport.semantic.flags import Flags, read_flags
from hipport.semantic.inputs import Digests, Inputs
from hipport.semantic.look import Tree, glances
from hipport.semantic.merge import Words, merge
from hipport.semantic.stubs import stub_names, write_stubs
from hipport.semantic.unit import Setup, UnitAnswers, UnitJob, read_unit
from hipport.toolchain.cuda_headers import compiler_include_dirs, cuda_include_dirs
from hipport.toolchain.places import Surroundings
from hipport.translate.meanings import Meanings

_NO_CUDA = "CUDA's headers were not found: set CUDA_HOME, or pip install nvidia-cuda-runtime."
_MISSING = "Headers are searched in the folders that compile_commands.json (-p) or -I name."


def find_meanings(
    semantic: Semantic,
    tasks: Sequence[Task],
    tables: Tables,
    jobs: int | None,
    where: Surroundings | None = None,
    memory: AnswerCache | None = None,
) -> dict[str, Meanings]:
    """Return what the names in sources refer to, by `Task.source`; units that are unchanged in `memory` are not parsed.

    Raises HipportError if libclang or the compilation database is missing. Problems in a unit become diagnostics of its
    files.
    """
    libclang.require()
    where = where or Surroundings()
    files = {task.real: task.source for task in tasks}
    found = cuda_include_dirs(where)
    memory = None if memory is None else replace(memory, key=_key(memory.key, found, where))
    kept = StoredAnswers() if memory is None else memory.load()
    digests = Digests(kept.sightings)
    read = {file: digests.of(file) for file in files}
    tree = Tree.of(glances(read, tables.active | frozenset(tables.members), kept.glances))
    last = (*tree.folders(), *map(str, compiler_include_dirs(where)))
    with tempfile.TemporaryDirectory(prefix="hipport-") as stubs:
        setup = Setup(tables, frozenset(files), tuple(map(str, found)), (stubs,), last)
        inputs = Inputs(setup, tree, stub_names(tables, found, tree.operands()), digests)
        records = _records(inputs, _jobs(semantic, tree), kept, jobs)
    now = StoredAnswers(records, {read[file]: tree.files[file] for file in files}, digests.seen)
    if memory is not None and now != kept:
        memory.store(now)
    without = "no unit of the compilation database includes it" if semantic.database else "no unit includes it"
    answers = [record.answers for record in records.values()]
    return merge(files, answers, tables, Words(_MISSING if found else _NO_CUDA, without))


def _key(key: str, found: Sequence[Path], where: Surroundings) -> str:
    """Return a key for everything that affects how units are parsed, besides the units and their headers."""
    paths = [where.environ.get(name) for name in ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH")]
    compilers = sorted(where.root.glob("usr/lib/gcc/*/*"))
    return digest(repr((key, libclang.version(), found, paths, compilers)).encode("utf-8", "surrogateescape"))


def _jobs(semantic: Semantic, tree: Tree) -> list[UnitJob]:
    """Return the units of the project: those of the database, or without one all sources that may matter."""
    worth, folder = tree.units(), os.path.abspath(semantic.folder)
    if semantic.database is None:
        return [UnitJob(source, read_flags(semantic.flags, source, folder)) for source in worth]
    known = frozenset(worth)
    return [
        UnitJob(command.source, _with(command.flags, read_flags(semantic.flags, command.source, folder)))
        for command in read_database(semantic.database)
        if command.source in known
    ]


def _with(flags: Flags, given: Flags) -> Flags:
    return Flags(flags.language, given.standard or flags.standard, (*flags.others, *given.others))


def _records(
    inputs: Inputs, units: Sequence[UnitJob], kept: StoredAnswers, jobs: int | None
) -> dict[UnitJob, UnitRecord]:
    """Return the records of all units; only changed or new ones are parsed."""
    known = {unit: kept.records[unit] for unit in units if unit in kept.records}
    known = {unit: record for unit, record in known.items() if inputs.hold(unit, record)}
    fresh = [unit for unit in units if unit not in known]
    if fresh:
        setup = inputs.setup
        write_stubs(Path(setup.stubs[0]), setup.tables, [Path(folder) for folder in setup.cuda], inputs.tree.operands())
    said = zip(fresh, _read(inputs.setup, fresh, jobs), strict=True)
    known |= {unit: inputs.record(unit, answers) for unit, answers in said}
    return {unit: known[unit] for unit in units}


def _read(setup: Setup, units: Sequence[UnitJob], jobs: int | None) -> list[UnitAnswers]:
    """Read all units in separate processes, even a single one: libclang may crash or hang. Raises HipportError."""
    if not system.HAS_FORK:
        hint = "On Windows, use it in WSL, or convert without it."
        raise HipportError("--semantic needs a system that can fork", hint=hint)
    count = max(1, min(jobs or system.processors(), len(units)))
    answers = dict(in_processes(functools.partial(read_unit, setup, {}), units, count, _died))
    return [answers[index] for index in range(len(units))]


def _died(job: UnitJob) -> UnitAnswers:
    return UnitAnswers(job.source, {}, "libclang crashed or timed out")
