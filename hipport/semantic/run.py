"""Asks libclang about a project: which units there are, how they are parsed, what they say together."""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hipport.mappings.tables import Tables
from hipport.project.task import Task
from hipport.project.workers import in_processes
from hipport.semantic import libclang
from hipport.semantic.database import read_database
from hipport.semantic.flags import Flags, read_flags
from hipport.semantic.look import Tree, glances
from hipport.semantic.merge import Words, merge
from hipport.semantic.model import Meanings, Semantic
from hipport.semantic.stubs import write_stubs
from hipport.semantic.unit import Job, Setup, UnitAnswers, read_unit
from hipport.toolchain.cuda_headers import compiler_include_dirs, cuda_include_dirs
from hipport.toolchain.places import Surroundings

_NO_CUDA = "CUDA's headers are not found: set CUDA_HOME, or pip install nvidia-cuda-runtime."
_MISSING = "Headers are looked for where compile_commands.json (-p) or -I say."


def find_meanings(
    semantic: Semantic, tasks: Sequence[Task], tables: Tables, jobs: int | None, where: Surroundings | None = None
) -> dict[str, Meanings]:
    """What the names in sources refer to, by `Task.source`.

    Raises HipportError where libclang or the compilation database is missing. What goes wrong in a unit becomes a
    diagnostic of its files.
    """
    libclang.require()
    where = where or Surroundings()
    files = {task.real: task.source for task in tasks}
    tree = Tree.of(glances(files, tables.active | frozenset(tables.members)))
    units = _jobs(semantic, tree)
    found = cuda_include_dirs(where)
    with tempfile.TemporaryDirectory(prefix="hipport-") as stubs:
        operands = {operand for glance in tree.files.values() for operand in glance.includes}
        write_stubs(Path(stubs), tables, found, operands)
        setup = Setup(
            tables,
            frozenset(files),
            tuple(map(str, found)),
            (stubs,),
            (*tree.folders(), *map(str, compiler_include_dirs(where))),
        )
        answers = _read(setup, units, jobs)
    without = "no unit of the compilation database includes it" if semantic.database else "no unit includes it"
    return merge(files, answers, tables, Words(_MISSING if found else _NO_CUDA, without))


def _jobs(semantic: Semantic, tree: Tree) -> list[Job]:
    """The units of the project: those of the database, without one all sources that may matter."""
    worth, folder = tree.units(), os.path.abspath(semantic.folder)
    if semantic.database is None:
        return [Job(source, read_flags(semantic.flags, source, folder)) for source in worth]
    known = frozenset(worth)
    return [
        Job(command.source, _with(command.flags, read_flags(semantic.flags, command.source, folder)))
        for command in read_database(semantic.database)
        if command.source in known
    ]


def _with(flags: Flags, given: Flags) -> Flags:
    return Flags(flags.language, given.standard or flags.standard, (*flags.others, *given.others))


def _read(setup: Setup, units: Sequence[Job], jobs: int | None) -> list[UnitAnswers]:
    """Read all units, in processes of their own even if that is one: libclang may crash, or never end."""
    count = max(1, min(jobs or len(os.sched_getaffinity(0)), len(units)))
    answers = dict(in_processes(functools.partial(read_unit, setup, {}), units, count, _died))
    return [answers[index] for index in range(len(units))]


def _died(job: Job) -> UnitAnswers:
    return UnitAnswers(job.source, {}, "libclang crashed, or took too long")
