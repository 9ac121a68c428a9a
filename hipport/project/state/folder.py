"""The folder `.hipport` of an output tree: lock, manifest, journal, bases, and what this machine remembers.

`manifest.json` and `bases/` are meant to be committed with the tree; `.gitignore` leaves the rest out.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager

from hipport.documents import LARGEST_JSON, read_text
from hipport.errors import HipportError
from hipport.project.content import Bytes
from hipport.project.output import Output
from hipport.project.sources import read
from hipport.project.state.bases import Bases
from hipport.project.state.hashes import Hasher
from hipport.project.state.manifest import Manifest, from_text, to_text
from hipport.project.walk import STATE

_MANIFEST = f"{STATE}/manifest.json"
_JOURNAL = f"{STATE}/journal.json"
_MEMORY = f"{STATE}/memory.json"
_BASES = f"{STATE}/bases"
_IGNORED = "/lock\n/journal.json\n/memory.json\n.hipport-*.tmp\n"


class StateFolder:
    """What is kept of the output tree `tree`. Writing raises HipportError where it is impossible."""

    def __init__(self, tree: str) -> None:
        self._tree = tree
        self._output = Output(tree)
        self._kept = Bases(tree, self._output, _BASES)

    def exists(self) -> bool:
        """Whether the tree has a manifest, or a run that would have written one was interrupted."""
        return os.path.lexists(self._path(_MANIFEST)) or self.interrupted()

    def interrupted(self) -> bool:
        """Whether a run has begun to write and not come to its end."""
        return os.path.lexists(self._path(_JOURNAL))

    def locked(self) -> AbstractContextManager[None]:
        """Keep other runs out of the tree. Raises `HipportError` if one is in it."""
        return self._output.locked(f"{STATE}/lock", f"another hipport writes to {self._tree!r}")

    def manifest(self, hasher: Hasher) -> Manifest:
        """The manifest as the tree is: what an interrupted run has finished counts as done."""
        manifest, _ = self._load(_MANIFEST)
        planned, results = self._load(_JOURNAL)
        done = {
            name: planned.entries[name]
            for name, result in results.items()
            if name in planned.entries and hasher.at(self._path(name)) == result
        }
        return Manifest(manifest.setup or planned.setup, {**manifest.entries, **done})

    def announce(self, planned: Manifest, results: dict[str, str]) -> None:
        """Write down what is about to be written: `results` are digests by file, for the case of an interruption."""
        self._write(f"{STATE}/.gitignore", _IGNORED.encode())
        self._write(_JOURNAL, to_text(planned, results).encode())

    def settle(self, manifest: Manifest) -> None:
        """Write the manifest of a tree that is as it says, and drop bases that no entry needs."""
        self._write(f"{STATE}/.gitignore", _IGNORED.encode())
        self._write(_MANIFEST, to_text(manifest).encode())
        self._drop(_JOURNAL)
        with self._writing(_BASES):
            self._kept.keep_only({entry.output for entry in manifest.entries.values()})

    def memory(self) -> bytes:
        """What `remember` was given last; empty where there is nothing."""
        try:
            return read(self._path(_MEMORY))
        except OSError:
            return b""

    def remember(self, data: bytes) -> None:
        """Keep data that is of use on this machine alone and that may get lost."""
        self._write(_MEMORY, data)

    def keep_bases(self, contents: Iterable[tuple[str, bytes]]) -> None:
        """Keep contents of output files, with their digests, for later merges."""
        with self._writing(_BASES):
            self._kept.add(contents)

    def base(self, wanted: str) -> bytes | None:
        """The content of that digest; None if it was not kept, or is damaged."""
        return self._kept.get(wanted)

    def _path(self, name: str) -> str:
        return os.path.join(self._tree, name)

    def _load(self, name: str) -> tuple[Manifest, dict[str, str]]:
        path = self._path(name)
        try:
            return from_text(read_text(path, LARGEST_JSON), path)
        except FileNotFoundError:
            return Manifest(), {}
        except OSError as error:
            raise HipportError(f"{path}: {(error.strerror or str(error)).lower()}") from None

    def _write(self, name: str, data: bytes) -> None:
        with self._writing(name):
            self._output.write(name, Bytes(data), 0o644)

    @contextmanager
    def _writing(self, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            hint = "Every file is either as it was or complete; mend the cause and run again."
            raise HipportError(f"cannot write {self._path(name)}: {why}", hint=hint) from None

    def _drop(self, name: str) -> None:
        try:
            self._output.remove(name)
        except FileNotFoundError:
            return
        except OSError as error:
            raise HipportError(f"cannot remove {self._path(name)}: {(error.strerror or str(error)).lower()}") from None
