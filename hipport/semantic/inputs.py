"""Check whether a unit would be read from the same bytes as before: its files, and where its includes are found."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from hipport.files.hashes import Hasher, Sighting, digest
from hipport.semantic.cache import UnitRecord
from hipport.semantic.flags import PATHS, Flags
from hipport.semantic.look import Tree
from hipport.semantic.unit import Setup, UnitAnswers, UnitJob, endings


class Digests:
    """Digests of files, following links; files seen in an earlier run are not read again if they look unchanged."""

    def __init__(self, known: Mapping[str, Sighting]) -> None:
        self._known = known
        self._hasher = Hasher(known)

    def of(self, path: str) -> str:
        """Return the digest of a regular file's content; empty for anything else."""
        try:
            status = os.stat(path)
            return self._hasher.of_file(path, status) if stat.S_ISREG(status.st_mode) else ""
        except OSError:
            return ""

    @property
    def seen(self) -> Mapping[str, Sighting]:
        """Return the sightings to store for the next run."""
        return self._hasher.seen


class Inputs(Struct, frozen=True):
    """The present inputs of units.

    `stubs` are the headers generated from the tables, as includes spell them. Their contents depend only on the tables,
    so they are not among the files that are compared.
    """

    setup: Setup
    tree: Tree
    stubs: frozenset[str]
    digests: Digests
    _files: dict[str, tuple[str, str]] = field(default_factory=dict)
    _folders: dict[str, frozenset[str]] = field(default_factory=dict)
    _found: dict[tuple[str, ...], dict[str, tuple[str, ...]]] = field(default_factory=dict)

    def record(self, job: UnitJob, answers: UnitAnswers) -> UnitRecord:
        """Return the record to store for a parsed unit."""
        folders = self._search(job.flags)
        names = [name for name, _ in answers.read]
        spelled = {operand for file in answers.files for operand in self.tree.files[file].includes}
        operands = tuple(sorted(spelled | {operand for name in names for operand in _operands(name, folders)}))
        read = tuple(each for each in answers.read if not each[0].startswith(self.setup.stubs))
        around = self._around(job, [*answers.files], operands)
        return UnitRecord(replace(answers, read=read), operands, around)

    def hold(self, job: UnitJob, record: UnitRecord) -> bool:
        """Return whether the answers still hold: no file the unit was read from has changed, nor what precedes it."""
        own = set()
        for name, was in record.answers.read:
            now, real = self._file(name)
            if now != was:
                return False
            own.add(real)
        files = record.answers.files
        return own - {""} == files.keys() and self._around(job, [*files], record.operands) == record.around

    def _file(self, name: str) -> tuple[str, str]:
        """Return the digest of the file at a path, and its real path if it is one of the project's, else empty."""
        found = self._files.get(name)
        if found is None:
            real = os.path.realpath(name)
            found = self._files[name] = (self.digests.of(name), real if real in self.setup.files else "")
        return found

    def _around(self, job: UnitJob, files: Collection[str], operands: Collection[str]) -> str:
        """Return a digest of all existing places that an `#include` of the unit may resolve to."""
        folders = self._search(job.flags)
        places = self._found.setdefault(folders, {})
        for operand in operands:
            if operand not in places:
                places[operand] = tuple(self._places(operand, folders))
        beside = [(file, each) for file in files for each in self.tree.files[file].includes if self._beside(file, each)]
        return digest(repr(([places[operand] for operand in operands], beside)).encode("utf-8", "surrogateescape"))

    def _places(self, operand: str, folders: tuple[str, ...]) -> Iterator[str]:
        yield from (folder for folder in folders if self._is_there(os.path.join(folder, operand)))
        if operand in self.stubs:
            yield ""

    def _beside(self, file: str, operand: str) -> bool:
        return self._is_there(os.path.join(os.path.dirname(file), operand))

    def _is_there(self, path: str) -> bool:
        folder, name = os.path.split(path)
        if folder not in self._folders:
            self._folders[folder] = _listing(folder)
        return name in self._folders[folder]

    def _search(self, flags: Flags) -> tuple[str, ...]:
        """Return the include search path, in order."""
        named = (path for option, path in zip(flags.others, flags.others[1:], strict=False) if option in PATHS)
        return (*named, *self.setup.cuda, *self.setup.last)


def _listing(folder: str) -> frozenset[str]:
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return frozenset()


def _operands(name: str, folders: tuple[str, ...]) -> list[str]:
    """Return how an `#include` may spell a file that was found in one of the folders or of the compiler's own."""
    inside = [name[len(folder) + 1 :] for folder in folders if name.startswith(f"{folder}/")]
    return inside or endings(name)
