"""Read a project's targets: `[targets.NAME]` in `hipport.toml`, `[tool.hipport.targets.NAME]` in `pyproject.toml`.

They name what to build from which sources, and nothing that could run a program: no compilers, no flags.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hipport.builds.request import BuildRequest, OutputKind
from hipport.errors import HipportError
from hipport.project.setting_keys import check_known
from hipport.project.settings import own_table

KINDS = {"executable": OutputKind.EXECUTABLE, "shared": OutputKind.SHARED, "static": OutputKind.STATIC}
_FILES = {OutputKind.EXECUTABLE: "{}", OutputKind.SHARED: "lib{}.so", OutputKind.STATIC: "lib{}.a"}
LISTS = ("sources", "include-dirs", "defines", "libraries", "library-dirs")
SWITCHES = ("rdc", "mpi", "openmp")
KEYS = (*LISTS, *SWITCHES, "kind", "std")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
_DEFINE = re.compile(r"[A-Za-z_]\w*(=.*)?")
_STANDARD = re.compile(r"(c|gnu)\+\+\w\w")


@dataclass(frozen=True, slots=True)
class ProjectTarget:
    """A build target; paths are relative to where hipport runs. `libraries` are other targets or system libraries.

    `options` are whole preprocessor options, which only come from a compilation database.
    """

    name: str
    kind: OutputKind
    sources: tuple[str, ...]
    include_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    library_dirs: tuple[str, ...] = ()
    std: str | None = None
    rdc: bool = False
    options: tuple[str, ...] = ()
    mpi: bool = False
    openmp: bool = False

    @property
    def file(self) -> str:
        """The file name of the output."""
        return _FILES[self.kind].format(self.name)


def has_targets(folder: Path) -> bool:
    """Return whether a project describes targets."""
    try:
        return bool(own_table(folder)[1].get("targets"))
    except HipportError:
        return False


def read_targets(folder: Path) -> tuple[ProjectTarget, ...]:
    """Return a project's targets in dependency order. Raises HipportError for any mistake in them."""
    path, table = own_table(folder)
    tables = table.get("targets")
    if tables is not None and not isinstance(tables, dict):
        raise HipportError(f'{path}: targets: expected tables, such as [targets.app] with sources = ["app.cu"]')
    if not tables:
        raise HipportError(
            f"{path}: no targets", hint="Describe what to build with [targets.NAME] and sources = [...]."
        )
    targets = {name: _target(path, name, value) for name, value in tables.items()}
    return tuple(_in_order(path, targets))


def request_for(
    target: ProjectTarget, targets: tuple[ProjectTarget, ...], base: BuildRequest, out: Path
) -> BuildRequest:
    """Return the build of one target into the folder `out`; `base` has the command line's options for all targets."""
    linked = _linked(target, targets)
    files = tuple(str(out / one.file) for one in linked if one.kind is not OutputKind.EXECUTABLE)
    known = {one.name for one in targets}
    system = dict.fromkeys(name for one in (target, *linked) for name in one.libraries if name not in known)
    folders = dict.fromkeys(place for one in (target, *linked) for place in one.library_dirs)
    settings = replace(
        base.settings,
        include_dirs=(*target.include_dirs, *base.settings.include_dirs),
        defines=(*(f"-D{text}" for text in target.defines), *target.options, *base.settings.defines),
        std=target.std or base.settings.std,
        rdc=target.rdc or base.settings.rdc,
        both=(*(("-fopenmp",) if any(one.openmp for one in (target, *linked)) else ()), *base.settings.both),
        link=(
            *(f"-L{place}" for place in folders),
            *(f"-l{name}" for name in system),
            *((f"-Wl,-rpath,{out.resolve()}",) if any(one.kind is OutputKind.SHARED for one in linked) else ()),
            *base.settings.link,
        ),
    )
    output = str(out / target.file)
    return replace(base, sources=(*target.sources, *files), output=output, kind=target.kind, settings=settings)


def needs_mpi(target: ProjectTarget, targets: tuple[ProjectTarget, ...]) -> bool:
    """Return whether a target, or one that it links, is built with MPI."""
    return any(one.mpi for one in (target, *_linked(target, targets)))


def _linked(target: ProjectTarget, all_targets: tuple[ProjectTarget, ...]) -> list[ProjectTarget]:
    """Return the targets that a target links, in linker order: dependencies after their users."""
    targets = {one.name: one for one in all_targets}
    found: dict[str, ProjectTarget] = {}
    level = _linked_directly([target], targets)
    while level:
        for one in level:
            found.pop(one.name, None)
            found[one.name] = one
        level = _linked_directly(level, targets)
    return list(found.values())


def _linked_directly(level: Iterable[ProjectTarget], targets: Mapping[str, ProjectTarget]) -> list[ProjectTarget]:
    """Return the directly linked targets, each once at its last position.

    Duplicates are dropped because the number of paths to a target may be exponential.
    """
    names = [name for one in level for name in one.libraries if name in targets]
    return [targets[name] for name in reversed(dict.fromkeys(reversed(names)))]


def _in_order(path: Path, targets: Mapping[str, ProjectTarget]) -> Iterator[ProjectTarget]:
    done: set[str] = set()
    while len(done) < len(targets):
        ready = [
            target
            for name, target in targets.items()
            if name not in done and all(other in done for other in target.libraries if other in targets)
        ]
        if not ready:
            circle = ", ".join(sorted(targets.keys() - done))
            raise HipportError(f"{path}: circular dependency of targets: {circle}")
        for target in ready:
            if any(targets[name].kind is OutputKind.EXECUTABLE for name in target.libraries if name in targets):
                raise HipportError(f"{path}: targets.{target.name}: libraries: cannot link an executable")
            done.add(target.name)
            yield target


def _target(path: Path, name: str, table: object) -> ProjectTarget:
    where = f"{path}: targets.{name}"
    if not _NAME.fullmatch(name) or not isinstance(table, dict):
        raise HipportError(f"{where}: expected a table with the name of a file")
    _check(where, table)
    folder = path.parent
    wanted = table.get("kind", "executable")
    kind = KINDS.get(wanted) if isinstance(wanted, str) else None
    if kind is None:
        raise HipportError(f"{where}: kind: expected {', '.join(KINDS)}, not {table['kind']!r}")
    return ProjectTarget(
        name,
        kind,
        tuple(_sources(where, folder, table.get("sources", []))),
        tuple(str(folder / place) for place in table.get("include-dirs", ())),
        tuple(table.get("defines", ())),
        tuple(table.get("libraries", ())),
        tuple(str(folder / place) for place in table.get("library-dirs", ())),
        table.get("std"),
        table.get("rdc", False),
        mpi=table.get("mpi", False),
        openmp=table.get("openmp", False),
    )


def _check(where: str, table: Mapping[str, Any]) -> None:
    for key, value in table.items():
        check_known(where, key, KEYS)
        if key in LISTS and not (isinstance(value, list) and all(isinstance(item, str) and item for item in value)):
            raise HipportError(f"{where}: {key}: expected a list of strings")
    _check_words(where, "defines", table.get("defines", ()), _DEFINE)
    _check_words(where, "libraries", table.get("libraries", ()), _NAME)
    if "std" in table and not (isinstance(table["std"], str) and _STANDARD.fullmatch(table["std"])):
        raise HipportError(f'{where}: std: expected a C++ standard, such as "c++17"')
    for key in SWITCHES:
        if not isinstance(table.get(key, False), bool):
            raise HipportError(f"{where}: {key}: expected true or false")


def _check_words(where: str, key: str, words: Any, allowed: re.Pattern[str]) -> None:
    for word in words:
        if not allowed.fullmatch(word):
            raise HipportError(f"{where}: {key}: invalid value {word!r}")


def _sources(where: str, folder: Path, patterns: list[str]) -> Iterator[str]:
    """Yield the files that names and patterns match, each once, in order."""
    if not patterns:
        raise HipportError(f"{where}: no sources", hint='Name them, for example: sources = ["src/*.cu"]')
    seen: set[Path] = set()
    for pattern in patterns:
        if Path(pattern).is_absolute():
            raise HipportError(f"{where}: sources: {pattern!r} is not relative to the folder of the file")
        try:
            found = sorted(folder.glob(pattern)) if set(pattern) & set("*?[") else [folder / pattern]
            matched = bool(found) and all(path.is_file() for path in found)
        except (ValueError, OSError) as error:  # "**a", a NUL, a name that is too long
            raise HipportError(f"{where}: sources: {pattern!r} cannot be looked for: {error}") from None
        if not matched:
            raise HipportError(f"{where}: sources: no file matches {pattern!r}")
        for path in found:
            if path not in seen:
                seen.add(path)
                yield str(path)
