"""Derive build targets from a compilation database. Its commands are parsed for options and never run."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from hipport.builds.ingest import is_toolkit
from hipport.builds.project_file import ProjectTarget
from hipport.builds.request import OutputKind
from hipport.builds.units import is_source
from hipport.errors import HipportError
from hipport.semantic.database import FILE, Command, read_database
from hipport.semantic.flags import Flags
from hipport.source import SourceFile
from hipport.translate.syntax.unit import parse

_MAIN = re.compile(r"\b(?:int|auto)\s+main\s*\(")
_FOLDERS = frozenset({"-isystem", "-iquote", "-idirafter"})
_OLD = re.compile(r"(?:c|gnu)\+\+(?:98|03|0x|11|1y|14)?|(?:c|gnu)\d\w")
"""Standards before C++17, which the headers of HIP and hipport require, and C standards."""
_UNSAFE = re.compile(r"[^A-Za-z0-9_.+-]")


def find_database(folder: Path) -> Path | None:
    """Return the compilation database in a folder, or in its `build`, CMake's most common build folder."""
    return next((path for path in (folder / FILE, folder / "build" / FILE) if path.is_file()), None)


def database_targets(path: Path) -> tuple[ProjectTarget, ...]:
    """Return one program for each source that defines `main`, linked with all others. Raises HipportError.

    A database does not say what is linked with what. So the sources without `main` become static libraries, one for
    each set of options; each program links the parts of them that it calls.
    """
    commands = [command for command in read_database(str(path)) if is_source(command.source)]
    if not commands:
        raise HipportError(
            f"{path}: no command compiles a source that hipport can build", hint="Is it the database of this project?"
        )
    if missing := [command.source for command in commands if not Path(command.source).is_file()]:
        raise HipportError(f"{path}: no such file: {missing[0]}", hint="Generate the project's sources first.")
    programs = [command for command in commands if _defines_main(command.source)]
    parts: dict[Flags, list[str]] = {}
    for command in commands:
        if command not in programs:
            parts.setdefault(command.flags, []).append(command.source)
    libraries = tuple(
        _target(f"part{number}", OutputKind.STATIC, sources, flags)
        for number, (flags, sources) in enumerate(parts.items(), start=1)
    )
    # Libraries precede their users in the list of targets, but linkers want them after.
    linked = tuple(library.name for library in reversed(libraries))
    return (*libraries, *_programs(programs, linked))


def _programs(commands: Iterable[Command], libraries: tuple[str, ...]) -> Iterator[ProjectTarget]:
    taken: set[str] = set()
    for command in commands:
        stem, parent = Path(command.source).stem, Path(command.source).parent.name
        name = next(name for name in _names(_UNSAFE.sub("_", stem), _UNSAFE.sub("_", parent)) if name not in taken)
        taken.add(name)
        yield _target(name, OutputKind.EXECUTABLE, [command.source], command.flags, libraries)


def _names(stem: str, parent: str) -> Iterator[str]:
    yield from (stem, f"{parent}_{stem}")
    number = 2
    while True:
        yield f"{parent}_{stem}_{number}"
        number += 1


def _target(
    name: str, kind: OutputKind, sources: Iterable[str], flags: Flags, libraries: tuple[str, ...] = ()
) -> ProjectTarget:
    include_dirs, options = _sorted(flags)
    return ProjectTarget(
        name,
        kind,
        tuple(map(os.path.relpath, dict.fromkeys(sources))),
        include_dirs,
        libraries=libraries,
        std=None if _OLD.fullmatch(flags.standard) or not flags.standard else flags.standard,
        rdc=flags.rdc,
        options=options,
        openmp=flags.openmp,
    )


def _sorted(flags: Flags) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the include folders and the other options, without folders of the CUDA toolkit."""
    include_dirs: list[str] = []
    options: list[str] = []
    words = iter(flags.others)
    for word in words:
        if word == "-I":
            include_dirs.append(os.path.relpath(next(words)))
        elif word in _FOLDERS:
            folder = next(words)
            options += () if is_toolkit(folder) else (word, folder)
        elif word == "-include":
            options += (word, next(words))
        else:
            options.append(word)
    return tuple(include_dirs), tuple(options)


def _defines_main(source: str) -> bool:
    data = Path(source).read_bytes()
    return b"main" in data and _MAIN.search(parse(SourceFile.decode(data, source)).code) is not None
