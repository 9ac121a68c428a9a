"""Propose table lines from headers: names that the tables lack, and counterparts that HIP has gained."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hipport.audit.coverage import ELSEWHERE, State, public_names, state_of
from hipport.audit.extract import Extract
from hipport.audit.headers import Declaration
from hipport.audit.patterns import Patterns
from hipport.audit.rules import rules
from hipport.mappings.entry import HipName, Kind, Life
from hipport.mappings.life import format_target, release
from hipport.mappings.loader import Tables
from hipport.mappings.rows import Library

SECTIONS = {
    Kind.FUNCTION: "functions",
    Kind.TYPE: "types",
    Kind.ENUMERATOR: "enumerators",
    Kind.MACRO: "macros",
    Kind.VARIABLE: "variables",
}
TODO = "TODO"
"""Prefix of a reason that is still to be written."""
_ALL = "*"
_WIDTH = 120


@dataclass(frozen=True, slots=True)
class Proposal:
    """A new name for a section of a table.

    `hip` is the counterpart with its life, in the notation of the tables; without one, `reason` says what is to be
    done, unless a group of the table has a reason. `cuda` is the CUDA release that added the name, or empty.
    """

    file: str
    section: str
    name: str
    hip: str = ""
    cuda: str = ""
    reason: str = ""

    @property
    def lines(self) -> list[str]:
        """Return the lines in the notation of the tables."""
        fields = {"cuda": self.cuda, "hip": self.hip, "reason": f'"{self.reason}"' if self.reason else ""}
        parts = [f"{key}: {value}" for key, value in fields.items() if value]
        parts += ["alternative: TODO"] if self.reason else []
        if parts == [f"hip: {self.hip}"]:
            return [f"  {self.name}: {self.hip}"]
        line = f"  {self.name}: {{{', '.join(parts)}}}" if parts else f"  {self.name}:"
        return [line] if len(line) <= _WIDTH else [f"  {self.name}:", *(f"    {part}" for part in parts)]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An existing line, and a counterpart that HIP has gained for it; whether to use it is decided by hand."""

    file: str
    line: int
    name: str
    hip: str


@dataclass(frozen=True, slots=True)
class Hip:
    """The declarations of several HIP releases, oldest first."""

    extracts: tuple[Extract, ...]

    def find(self, name: str, cuda: Declaration) -> tuple[HipName | None, str]:
        """Return the counterpart of a CUDA name by its spelling, else why a HIP name with that spelling is none.

        The counterpart carries a release unless the oldest available headers already have the name.
        """
        objection = ""
        for spelled in (name, *rules().hip_spellings(name)):
            for number, extract in enumerate(self.extracts):
                found = extract.folder.names.get(spelled)
                if found is None:
                    continue
                if _is_same_call(cuda, found):
                    return HipName(spelled, Life(_release(extract) if number else None)), ""
                objection = (
                    f"{spelled} has another number of parameters ({found.parameters}) than {name} ({cuda.parameters})"
                )
                break
        return None, objection


def proposals(
    cuda: Extract, older: Sequence[Extract], hip: Hip, tables: Tables, files: Sequence[Library]
) -> list[Proposal]:
    """Propose a line for every public name that no table knows, in the table of its header's library.

    `older` are earlier releases: a name that all of them lack is new in this one.
    """
    by_name = {library.name: library for library in files}
    found = []
    for name, declaration, library in public_names(cuda.folder, tables):
        if library != ELSEWHERE and state_of(name, declaration, tables)[0] is State.UNKNOWN:
            life = cuda.release if _is_new(name, declaration, older) else ""
            found.append(_proposal(name, declaration, by_name[library], hip, life))
    return sorted(found, key=lambda one: (one.file, list(SECTIONS.values()).index(one.section), one.name))


def unclaimed(cuda: Extract, tables: Tables) -> dict[str, int]:
    """Return the headers that no table knows, with the number of public names in each."""
    counts: dict[str, int] = defaultdict(int)
    for _, declaration, library in public_names(cuda.folder, tables):
        if library == ELSEWHERE:
            counts[declaration.header] += 1
    return dict(sorted(counts.items()))


def suggestions(cuda: Mapping[str, Declaration], hip: Hip, files: Sequence[Library]) -> Iterator[Suggestion]:
    """Yield counterparts that HIP declares for names with neither a counterpart nor a reason of their own."""
    for library in files:
        shared = {(group.reason, group.alternative) for group in library.groups}
        for row in library.names:
            if row.hip or row.drop or (row.reason, row.alternative) not in shared or row.name not in cuda:
                continue
            target, _ = hip.find(row.name, cuda[row.name])
            if target is not None and target.name != row.name:
                yield Suggestion(library.file, row.line, row.name, format_target(target))


def _release(extract: Extract) -> str:
    """Return the release as tables spell it, with patch level 0."""
    major, minor = (*extract.release.split("."), "0")[:2]
    return f"{major}.{minor}.0"


def _is_same_call(cuda: Declaration, hip: Declaration) -> bool:
    """Return whether two declarations may be counterparts: their parameter counts are equal, or one has none."""
    counts = {cuda.parameters, hip.parameters} - {None}
    return len(counts) < 2


def _is_new(name: str, declaration: Declaration, older: Sequence[Extract]) -> bool:
    """Return whether all older releases have the header but not the name."""
    return bool(older) and all(
        declaration.header in extract.folder.headers and name not in extract.folder.names for extract in older
    )


def _proposal(name: str, declaration: Declaration, library: Library, hip: Hip, cuda: str) -> Proposal:
    target, objection = hip.find(name, declaration)
    section = SECTIONS[declaration.kind]
    if target is not None:
        return Proposal(library.file, section, name, format_target(target), cuda)
    why = f"; {objection}" if objection else ""
    reason = "" if _is_explained(name, library) else f"{TODO}: no counterpart suggested by its spelling{why}"
    return Proposal(library.file, section, name, cuda=cuda, reason=reason)


def _is_explained(name: str, library: Library) -> bool:
    """Return whether a group that matches this name, other than a group for all names, explains it."""
    return any(Patterns(group.patterns).match(name) for group in library.groups if _ALL not in group.patterns)


def with_headers(extract: Extract, hip: Sequence[Extract]) -> Hip:
    """Return HIP's releases with one more, oldest first."""
    return Hip(tuple(sorted((*hip, extract), key=lambda one: release(one.release))))
