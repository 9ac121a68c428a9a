"""Store the answers for a project's units in the user's cache folder for the next run."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import astuple

from hipport.files.hashes import Sighting
from hipport.mappings import cache
from hipport.semantic.answers import FileAnswers, Problem
from hipport.semantic.flags import Flags
from hipport.semantic.look import Glance
from hipport.semantic.unit import UnitAnswers, UnitJob

_KIND = "units"
_MOST = 4_000_000
"""Maximum number of files and answers stored for a project's units, at about 5 bytes each."""


class UnitRecord(Struct, frozen=True):
    """The answers of a unit; `around` is a digest of where its includes were looked for and found."""

    answers: UnitAnswers
    operands: tuple[str, ...]
    around: str


class StoredAnswers(Struct, frozen=True):
    """Records by unit, glances at files by digest, and digests of files as last seen."""

    records: Mapping[UnitJob, UnitRecord] = field(default_factory=dict)
    glances: Mapping[str, Glance] = field(default_factory=dict)
    sightings: Mapping[str, Sighting] = field(default_factory=dict)


class AnswerCache(Struct, frozen=True):
    """Storage for a project's records: `name` identifies the project, `key` what all answers depend on."""

    name: str
    key: str

    def load(self) -> StoredAnswers:
        """Return what was stored under the name, if it was stored with the same key."""
        found = cache.read(self.name, _KIND)
        if not isinstance(found, dict) or found.get("key") != self.key:
            return StoredAnswers()
        records = dict(_record(packed) for packed in found["units"])
        return StoredAnswers(
            records, {each: Glance(*glance) for each, glance in found["glances"].items()}, found["sightings"]
        )

    def store(self, kept: StoredAnswers) -> None:
        """Store as many units as there is room for, except failed ones, which may succeed next time."""
        pool: dict[Any, Any] = {}
        records = [item for item in kept.records.items() if not item[1].answers.failed]
        sizes = itertools.accumulate(_size(record) for _, record in records)
        units = [_packed(*item, pool) for item, size in zip(records, sizes, strict=True) if size <= _MOST]
        glances = {each: astuple(glance) for each, glance in kept.glances.items()}
        found = {"key": self.key, "units": units, "glances": glances, "sightings": dict(kept.sightings)}
        cache.write(self.name, found, _KIND)


def _size(record: UnitRecord) -> int:
    answers = record.answers
    places = sum(len(each.cuda) + len(each.own) + len(each.members) for each in answers.files.values())
    return len(answers.read) + len(record.operands) + places


def _packed(job: UnitJob, record: UnitRecord, pool: dict[Any, Any]) -> tuple[Any, ...]:
    """Return a record as plain values; values shared by several units are one object, which `marshal` writes once."""

    def shared(value: Any) -> Any:
        return pool.setdefault(value, value)

    read = tuple(shared(each) for each in record.answers.read)
    files = tuple(shared(_packed_answers(path, found)) for path, found in record.answers.files.items())
    return job.source, shared(astuple(job.flags)), read, files, shared(record.operands), record.around


def _packed_answers(path: str, found: FileAnswers) -> tuple[Any, ...]:
    members = tuple((offset, tuple(sorted(owners))) for offset, owners in sorted(found.members.items()))
    problems = tuple(astuple(problem) for problem in found.problems)
    return path, tuple(sorted(found.cuda)), tuple(sorted(found.own)), members, problems


def _record(packed: tuple[Any, ...]) -> tuple[UnitJob, UnitRecord]:
    source, flags, read, files, operands, around = packed
    answers = {path: _answers(*rest) for path, *rest in files}
    return UnitJob(source, Flags(*flags)), UnitRecord(UnitAnswers(source, answers, read=read), operands, around)


def _answers(
    cuda: tuple[int, ...], own: tuple[int, ...], members: tuple[Any, ...], problems: tuple[Any, ...]
) -> FileAnswers:
    owners = {offset: frozenset(names) for offset, names in members}
    return FileAnswers(set(cuda), set(own), owners, [Problem(*problem) for problem in problems])
