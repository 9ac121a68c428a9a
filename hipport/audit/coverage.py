"""Coverage of a CUDA release: how many of its declared names the tables know, by library."""

from __future__ import annotations

import enum
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hipport.audit.extract import Extract
from hipport.audit.headers import Declaration, Folder
from hipport.audit.rules import rules
from hipport.mappings.entry import Entry
from hipport.mappings.loader import Tables

ELSEWHERE = "(no table)"
"""Library name for headers that no table knows."""


class State(str, enum.Enum):
    """Status of a name in the tables."""

    MAPPED = "mapped"
    CHANGED = "changed"
    NONE = "none"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class LibraryCoverage:
    """Number of a library's public names per state, and the unknown names.

    `whole` counts the known names without a line of their own: their namespace or header has one.
    """

    library: str
    counts: Mapping[State, int]
    whole: int
    unknown: tuple[str, ...]

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def known(self) -> int:
        """Return the number of names that the tables know."""
        return self.total - self.counts[State.UNKNOWN]


@dataclass(frozen=True, slots=True)
class Coverage:
    """Coverage by library of a CUDA release; `rocm` is the ROCm release whose counterparts count."""

    cuda: str
    source: str
    rocm: str
    libraries: tuple[LibraryCoverage, ...]

    @property
    def whole(self) -> LibraryCoverage:
        """Return the coverage of all libraries combined."""
        counts: Counter[State] = Counter()
        for library in self.libraries:
            counts.update(library.counts)
        unknown = tuple(name for library in self.libraries for name in library.unknown)
        return LibraryCoverage("all", counts, sum(library.whole for library in self.libraries), unknown)


def coverage(cuda: Extract, tables: Tables) -> Coverage:
    """Count the public names of a release by library and state."""
    counts: dict[str, Counter[State]] = defaultdict(lambda: Counter(dict.fromkeys(State, 0)))
    unknown: dict[str, list[str]] = defaultdict(list)
    wholes: Counter[str] = Counter()
    for name, declaration, library in public_names(cuda.folder, tables):
        state, whole = state_of(name, declaration, tables)
        counts[library][state] += 1
        wholes[library] += whole
        if state is State.UNKNOWN:
            unknown[library].append(name)
    libraries = (LibraryCoverage(name, counts[name], wholes[name], tuple(sorted(unknown[name]))) for name in counts)
    ordered = sorted(libraries, key=lambda library: (library.library == ELSEWHERE, library.library))
    return Coverage(cuda.release, cuda.source, tables.releases.rocm, tuple(ordered))


def public_names(folder: Folder, tables: Tables) -> Iterator[tuple[str, Declaration, str]]:
    """Yield the public names of a release, with their declarations and libraries.

    The library is the one whose table has the name, else that of its namespace, else that of its header.
    """
    for name, declaration in folder.names.items():
        entry = tables.names.get(name)
        if entry is not None:
            yield name, declaration, entry.library
            continue
        place = _namespace(declaration.scope, tables) or tables.headers.get(declaration.header)
        library = place.library if place is not None else ELSEWHERE
        if rules().is_public(declaration, library):
            yield name, declaration, library


def state_of(name: str, declaration: Declaration, tables: Tables) -> tuple[State, bool]:
    """Return the state of a name, and whether it comes from its namespace or header rather than an own line."""
    entry = tables.names.get(name)
    if entry is not None:
        return _of_entry(entry), False
    space = _namespace(declaration.scope, tables)
    if space is not None:
        return _of_entry(space), True
    header = tables.headers.get(declaration.header)
    if header is not None and header.hip is None and not header.drop:
        return State.NONE, True
    return State.UNKNOWN, False


def _of_entry(entry: Entry) -> State:
    if entry.hip is None and not entry.drop:
        return State.NONE
    return State.CHANGED if entry.args or entry.note else State.MAPPED


def _namespace(scope: str, tables: Tables) -> Entry | None:
    """Return the entry of the innermost enclosing namespace that has one."""
    while scope:
        if scope in tables.namespaces:
            return tables.namespaces[scope]
        scope = scope.rpartition("::")[0]
    return None
