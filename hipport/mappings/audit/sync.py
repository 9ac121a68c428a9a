"""Proposes lines for the tables from headers: names that they lack, counterparts that HIP has by now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hipport.headers import Declaration
from hipport.mappings.audit.coverage import ELSEWHERE, State, public_names, state_of
from hipport.mappings.audit.extract import Extract
from hipport.mappings.audit.patterns import Patterns
from hipport.mappings.audit.rules import rules
from hipport.mappings.life import format_target, release
from hipport.mappings.loader import Tables
from hipport.mappings.model import Kind, Life, Target
from hipport.mappings.rows import Library

SECTIONS = {
    Kind.FUNCTION: "functions",
    Kind.TYPE: "types",
    Kind.ENUMERATOR: "enumerators",
    Kind.MACRO: "macros",
    Kind.VARIABLE: "variables",
}
TODO = "TODO"
"""Begins a reason that is still to be written."""
_ALL = "*"
_WIDTH = 120


@dataclass(frozen=True, slots=True)
class Proposal:
    """A new name for a section of a table.

    `hip` is the counterpart and its life as a table spells them; without one, `reason` says what is to be done, unless
    a group of the table has it. `cuda` is the life of the name.
    """

    file: str
    section: str
    name: str
    hip: str = ""
    cuda: str = ""
    reason: str = ""

    @property
    def lines(self) -> list[str]:
        """The lines as the table has them."""
        fields = {"cuda": self.cuda, "hip": self.hip, "reason": f'"{self.reason}"' if self.reason else ""}
        parts = [f"{key}: {value}" for key, value in fields.items() if value]
        parts += ["alternative: TODO"] if self.reason else []
        if parts == [f"hip: {self.hip}"]:
            return [f"  {self.name}: {self.hip}"]
        line = f"  {self.name}: {{{', '.join(parts)}}}" if parts else f"  {self.name}:"
        return [line] if len(line) <= _WIDTH else [f"  {self.name}:", *(f"    {part}" for part in parts)]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A line that is there already, and the counterpart that HIP has for it by now: a person decides."""

    file: str
    line: int
    name: str
    hip: str


@dataclass(frozen=True, slots=True)
class Hip:
    """What HIP declares in several releases, the oldest first."""

    extracts: tuple[Extract, ...]

    def find(self, name: str, cuda: Declaration) -> tuple[Target | None, str]:
        """The counterpart of a CUDA name by its spelling, and why there is none although HIP has the name.

        A release is given unless the oldest headers at hand have the name already.
        """
        objection = ""
        for spelled in (name, *rules().hip_spellings(name)):
            for number, extract in enumerate(self.extracts):
                found = extract.folder.names.get(spelled)
                if found is None:
                    continue
                if _is_same_call(cuda, found):
                    return Target(spelled, Life(_release(extract) if number else None)), ""
                objection = f"{spelled} takes {found.parameters} arguments, {name} {cuda.parameters}"
                break
        return None, objection


def proposals(
    cuda: Extract, older: Sequence[Extract], hip: Hip, tables: Tables, files: Sequence[Library]
) -> list[Proposal]:
    """A line for every public name that no table knows, in the table of its header's library.

    `older` are releases before this one: a name that none of them has came with this one.
    """
    by_name = {library.name: library for library in files}
    found = []
    for name, declaration, library in public_names(cuda.folder, tables):
        if library != ELSEWHERE and state_of(name, declaration, tables)[0] is State.UNKNOWN:
            life = cuda.release if _is_new(name, declaration, older) else ""
            found.append(_proposal(name, declaration, by_name[library], hip, life))
    return sorted(found, key=lambda one: (one.file, list(SECTIONS.values()).index(one.section), one.name))


def unclaimed(cuda: Extract, tables: Tables) -> dict[str, int]:
    """The headers that no table knows, with the number of public names in each."""
    counts: dict[str, int] = defaultdict(int)
    for _, declaration, library in public_names(cuda.folder, tables):
        if library == ELSEWHERE:
            counts[declaration.header] += 1
    return dict(sorted(counts.items()))


def suggestions(cuda: Mapping[str, Declaration], hip: Hip, files: Sequence[Library]) -> Iterator[Suggestion]:
    """Names without a counterpart, and without a reason of their own, that HIP declares."""
    for library in files:
        shared = {(group.reason, group.alternative) for group in library.groups}
        for row in library.names:
            if row.hip or row.drop or (row.reason, row.alternative) not in shared or row.name not in cuda:
                continue
            target, _ = hip.find(row.name, cuda[row.name])
            if target is not None and target.name != row.name:
                yield Suggestion(library.file, row.line, row.name, format_target(target))


def _release(extract: Extract) -> str:
    """The release with all its patches, as tables spell it."""
    major, minor = (*extract.release.split("."), "0")[:2]
    return f"{major}.{minor}.0"


def _is_same_call(cuda: Declaration, hip: Declaration) -> bool:
    """Whether two declarations may be counterparts: functions of the same number of parameters, or no functions."""
    counts = {cuda.parameters, hip.parameters} - {None}
    return len(counts) < 2


def _is_new(name: str, declaration: Declaration, older: Sequence[Extract]) -> bool:
    """Whether older releases have the header, and not the name."""
    return bool(older) and all(
        declaration.header in extract.folder.headers and name not in extract.folder.names for extract in older
    )


def _proposal(name: str, declaration: Declaration, library: Library, hip: Hip, cuda: str) -> Proposal:
    target, objection = hip.find(name, declaration)
    section = SECTIONS[declaration.kind]
    if target is not None:
        return Proposal(library.file, section, name, format_target(target), cuda)
    why = f"; {objection}" if objection else ""
    reason = "" if _is_explained(name, library) else f"{TODO}: no counterpart found by its spelling{why}"
    return Proposal(library.file, section, name, cuda=cuda, reason=reason)


def _is_explained(name: str, library: Library) -> bool:
    """Whether a group for names like this, and not for all names, has a reason."""
    return any(Patterns(group.patterns).match(name) for group in library.groups if _ALL not in group.patterns)


def with_headers(extract: Extract, hip: Sequence[Extract]) -> Hip:
    """HIP's releases with one more, in the order of time."""
    return Hip(tuple(sorted((*hip, extract), key=lambda one: release(one.release))))
