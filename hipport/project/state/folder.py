"""The folder `.hipport` of an output tree: lock, manifest, journal, bases, and what this machine remembers.

`manifest.json` and `bases/` are meant to be committed with the tree; `.gitignore` leaves the rest out.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable
from contextlib import AbstractContextManager

from hipport.errors import HipportError
from hipport.project.content import Bytes
from hipport.project.output import Output
from hipport.project.sources import read
from hipport.project.state.hashes import Hasher, digest
from hipport.project.state.manifest import Manifest, from_text, to_text
from hipport.project.walk import STATE

_MANIFEST = f"{STATE}/manifest.json"
_JOURNAL = f"{STATE}/journal.json"
_MEMORY = f"{STATE}/memory.json"
_BASES = f"{STATE}/bases"
_LARGEST_BASE = 4 << 20
"""Bytes up to which a text is kept for merges; above it is data."""

_LEVEL = 3  # of zlib: the time counts for more than a few percent of space

_IGNORED = "/lock\n/journal.json\n/memory.json\n.hipport-*.tmp\n"


class StateFolder:
    """What is kept of the output tree `tree`. Writing raises HipportError where it is impossible."""

    def __init__(self, tree: str) -> None:
        self._tree = tree
        self._output = Output(tree)

    def exists(self) -> bool:
        """Whether the tree has a manifest, or a run that would have written one was interrupted."""
        return os.path.lexists(self._path(_MANIFEST)) or self.interrupted()

    def interrupted(self) -> bool:
        """Whether a run has begun to write and not come to its end."""
        return os.path.lexists(self._path(_JOURNAL))

    def kept_open(self) -> AbstractContextManager[object]:
        """For many writes, one after the other: folders are not closed in between."""
        return self._output

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
        kept = {entry.output for entry in manifest.entries.values()}
        for name in self._bases():
            if os.path.basename(os.path.dirname(name)) + os.path.basename(name) not in kept:
                self._drop(name)

    def memory(self) -> bytes:
        """What `remember` was given last; empty where there is nothing."""
        try:
            return read(self._path(_MEMORY))
        except OSError:
            return b""

    def remember(self, data: bytes) -> None:
        """Keep data that is of use on this machine alone and that may get lost."""
        self._write(_MEMORY, data)

    def keep_base(self, data: bytes, name: str) -> None:
        """Keep the content of an output file, of that digest, for later merges. Text only: no other is merged."""
        name = _base_name(name)
        if b"\0" not in data and len(data) <= _LARGEST_BASE and not os.path.lexists(self._path(name)):
            self._write(name, zlib.compress(data, _LEVEL))

    def base(self, wanted: str) -> bytes | None:
        """The content of that digest; None if it was not kept, or is damaged."""
        try:
            data = zlib.decompressobj().decompress(read(self._path(_base_name(wanted))), _LARGEST_BASE)
        except (OSError, zlib.error):
            return None
        return data if digest(data) == wanted else None

    def _path(self, name: str) -> str:
        return os.path.join(self._tree, name)

    def _load(self, name: str) -> tuple[Manifest, dict[str, str]]:
        path = self._path(name)
        try:
            return from_text(read(path).decode(), path)
        except FileNotFoundError:
            return Manifest(), {}
        except OSError as error:
            raise HipportError(f"{path}: {(error.strerror or str(error)).lower()}") from None

    def _write(self, name: str, data: bytes) -> None:
        try:
            self._output.write(name, Bytes(data), 0o644)
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

    def _bases(self) -> Iterable[str]:
        for folder, _, files in os.walk(self._path(_BASES)):
            yield from (os.path.relpath(os.path.join(folder, file), self._tree) for file in files)


def _base_name(name: str) -> str:
    return f"{_BASES}/{name[:2]}/{name[2:]}"
