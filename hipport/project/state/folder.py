"""Manage the folder `.hipport` of an output tree: lock, manifest, journal, bases, and the memory of this machine.

`manifest.json` and `bases/` are meant to be committed with the tree; `.gitignore` excludes the rest.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager

from hipport.errors import HipportError
from hipport.files.documents import LARGEST_JSON, read_text
from hipport.files.hashes import Hasher
from hipport.files.sources import read
from hipport.project.content import Bytes
from hipport.project.output import Output
from hipport.project.state.bases import Bases
from hipport.project.state.manifest import Manifest, from_text, to_text
from hipport.project.walk import STATE

_MANIFEST = f"{STATE}/manifest.json"
_JOURNAL = f"{STATE}/journal.json"
_MEMORY = f"{STATE}/memory.json"
_BASES = f"{STATE}/bases"
_IGNORED = "/lock\n/journal.json\n/memory.json\n.hipport-*.tmp\n"


class StateFolder:
    """The state of the output tree `tree`. Writing raises HipportError if it is impossible."""

    def __init__(self, tree: str) -> None:
        self._tree = tree
        self._output = Output(tree)
        self._kept = Bases(tree, self._output, _BASES)

    def exists(self) -> bool:
        """Return whether the tree has a manifest, or an interrupted run would have written one."""
        return os.path.lexists(self._path(_MANIFEST)) or self.interrupted()

    def interrupted(self) -> bool:
        """Return whether a run began to write and did not finish."""
        return os.path.lexists(self._path(_JOURNAL))

    def locked(self) -> AbstractContextManager[None]:
        """Lock the tree against other runs. Raises HipportError if one holds the lock."""
        return self._output.locked(f"{STATE}/lock", f"another hipport is writing to {self._tree!r}")

    def manifest(self, hasher: Hasher) -> Manifest:
        """Return the manifest that matches the tree: files that an interrupted run finished count as done."""
        manifest, _ = self._load(_MANIFEST)
        planned, results = self._load(_JOURNAL)
        done = {
            name: planned.entries[name]
            for name, result in results.items()
            if name in planned.entries and hasher.at(self._path(name)) == result
        }
        return Manifest(manifest.setup or planned.setup, {**manifest.entries, **done})

    def announce(self, planned: Manifest, results: dict[str, str]) -> None:
        """Write a journal of what is about to be written, in case of an interruption; `results` are digests by file."""
        self._write(f"{STATE}/.gitignore", _IGNORED.encode())
        self._write(_JOURNAL, to_text(planned, results).encode())

    def settle(self, manifest: Manifest) -> None:
        """Write the manifest of a tree that matches it, and drop bases that no entry needs."""
        self._write(f"{STATE}/.gitignore", _IGNORED.encode())
        self._write(_MANIFEST, to_text(manifest).encode())
        self._drop(_JOURNAL)
        with self._writing(_BASES):
            self._kept.keep_only({entry.output for entry in manifest.entries.values()})

    def memory(self) -> bytes:
        """Return the data last passed to `remember`, or empty bytes."""
        try:
            return read(self._path(_MEMORY))
        except OSError:
            return b""

    def remember(self, data: bytes) -> None:
        """Store data that is useful only on this machine and that may be lost."""
        self._write(_MEMORY, data)

    def keep_bases(self, contents: Iterable[tuple[str, bytes]]) -> None:
        """Store contents of output files, with their digests, for later merges."""
        with self._writing(_BASES):
            self._kept.add(contents)

    def base(self, wanted: str) -> bytes | None:
        """Return the content with that digest; None if it was not stored or is damaged."""
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
            hint = "Every file is either unchanged or complete. Fix the cause and run again."
            raise HipportError(f"cannot write {self._path(name)}: {why}", hint=hint) from None

    def _drop(self, name: str) -> None:
        try:
            self._output.remove(name)
        except FileNotFoundError:
            return
        except OSError as error:
            raise HipportError(f"cannot remove {self._path(name)}: {(error.strerror or str(error)).lower()}") from None
