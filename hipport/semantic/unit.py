"""Parse one translation unit and query it; runs in its own process."""

from __future__ import annotations

import functools
import os
import re
import signal
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from hipport.files import sources
from hipport.files.hashes import digest
from hipport.mappings.tables import Tables
from hipport.semantic import libclang
from hipport.semantic.answers import FileAnswers, Places, Problem, Reader
from hipport.semantic.flags import Flags
from hipport.source import SourceFile
from hipport.translate.syntax.unit import parse

_SECONDS = 60
_MEMORY = 8 << 30
"""Limits for a unit: sources may include a device that never ends, or a template that grows without end."""
_ERROR = 3  # severity: CXDiagnostic_Error; fatal is 4
_OWN = str(Path(__file__).with_name("headers"))
_OF_SIDES = re.compile(r"reference to __\w+__ (?:host |device )?(?:__\w+__ )?(?:function|variable)")
"""Errors about host and device side, which do not affect names."""
_STANDARDS = {"cuda": "c++17", "c++": "gnu++17", "c": "gnu17"}


class Setup(Struct, frozen=True):
    """Settings shared by all units of a run.

    `files`: the project's files, by real path. `cuda`, `stubs`, `last`: folders with CUDA's headers, with the stubs
    generated from the tables, and to be searched last.
    """

    tables: Tables
    files: frozenset[str]
    cuda: tuple[str, ...]
    stubs: tuple[str, ...]
    last: tuple[str, ...] = ()

    def is_cuda(self, file: str) -> bool:
        """Return whether a file (links resolved) is one of CUDA's headers, by its folder or else by its name."""
        if file in self.files:
            return False
        folders = (*self.cuda, *self.stubs, _OWN)
        known = file.startswith(tuple(f"{os.path.realpath(folder)}/" for folder in folders))
        return known or any(name in self.tables.headers.all() for name in endings(file))


class UnitJob(Struct, frozen=True):
    """A unit to read: its source, with links resolved, and its options."""

    source: str
    flags: Flags


class UnitAnswers(Struct, frozen=True):
    """The answers of a unit for its files, by real path; `failed` is why there are none.

    `read`: all files that the unit was read from, by clang's names for them, with digests of their contents.
    """

    source: str
    files: Mapping[str, FileAnswers]
    failed: str = ""
    read: tuple[tuple[str, str], ...] = ()


def read_unit(setup: Setup, known: dict[str, Places], job: UnitJob) -> UnitAnswers:
    """Parse a unit and query the project's files in it. The process is killed if that takes too long.

    `known` caches the places in files that several units share, so that each process looks them up once.
    """
    _restrain()
    unit = libclang.parse(job.source, arguments(setup, job.flags))
    if unit is None:
        signal.alarm(0)
        return UnitAnswers(job.source, {}, "libclang cannot parse it")
    reader = Reader(unit, setup.tables, functools.cache(setup.is_cuda))
    names = {job.source: None, **{inclusion.include.name: None for inclusion in unit.get_includes()}}
    inside = _own_files(unit, names, setup.files)
    for path in inside.keys() - known.keys():
        known[path] = _places(path, setup.tables)
    files = {path: reader.answers(file, known[path]) for path, file in inside.items()}
    _add_problems(unit, files)
    read = tuple((name, digest(libclang.contents(unit, unit.get_file(name)))) for name in names)
    signal.alarm(0)
    return UnitAnswers(job.source, files, read=read)


def _restrain() -> None:
    """Limit the resources of this process, and keep LLVM's crash output off the user's terminal."""
    import resource  # which Windows lacks; nothing is parsed there

    _, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = _MEMORY if most == resource.RLIM_INFINITY else min(_MEMORY, most)
    resource.setrlimit(resource.RLIMIT_AS, (limit, most))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # a handler of Python's, inherited, never runs inside libclang
    signal.alarm(_SECONDS)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)


def arguments(setup: Setup, flags: Flags) -> list[str]:
    """Return libclang's arguments."""
    found = ["-x", flags.language, f"-std={flags.standard or _STANDARDS[flags.language]}", "-w", "-ferror-limit=0"]
    found += ["-nobuiltininc", "-isystem", _OWN, *flags.others]
    if flags.language == "cuda":
        found += ["--cuda-host-only", "-nocudainc", "-nocudalib", "-include", f"{_OWN}/hipport_cuda.h"]
        # clang's driver passes this by itself only if it finds CUDA.
        found += ["-Xclang", "-fcuda-allow-variadic-functions"]
    for folder in setup.cuda:
        found += ["-isystem", folder]
    for folder in (*setup.stubs, *setup.last):
        found += ["-idirafter", folder]
    return found


def _own_files(unit: Any, names: Collection[str], wanted: frozenset[str]) -> dict[str, Any]:
    """Return the project's files in a unit, by real path."""
    paths = {os.path.realpath(name): name for name in reversed([*names])}
    return {real: unit.get_file(name) for real, name in paths.items() if real in wanted}


def _add_problems(unit: Any, files: Mapping[str, FileAnswers]) -> None:
    """Record errors with the files that they are in."""
    real = functools.cache(os.path.realpath)
    for found in unit.diagnostics:
        place = found.location
        serious = found.severity >= _ERROR and _OF_SIDES.match(found.spelling) is None
        if serious and place.file is not None and real(place.file.name) in files:
            problem = Problem(place.line, place.column, found.spelling)
            files[real(place.file.name)].problems.append(problem)


def _places(path: str, tables: Tables) -> Places:
    """Return the occurrences of names in a file; none if it is unreadable or in UTF-16, which clang does not read."""
    try:
        source = SourceFile.decode(sources.read(path), path)
    except OSError:
        return Places((), ())
    if source.encoding is not None:
        return Places((), ())
    unit = parse(source)
    return Places(
        _shifted(unit.occurrences(tables.active), len(source.bom)),
        _shifted(unit.occurrences(frozenset(tables.members)), len(source.bom)),
    )


def _shifted(places: Iterable[tuple[str, int]], by: int) -> tuple[tuple[str, int], ...]:
    return tuple((name, offset + by) for name, offset in places)


def endings(path: str) -> list[str]:
    """Return the path suffixes that an `#include` may have spelled: `cub.cuh`, `cub/cub.cuh`."""
    parts = path.split("/")
    return ["/".join(parts[start:]) for start in range(-1, -min(len(parts), 4), -1)]
