"""Cache of packed weights in the user's cache folder: quantizing a large model takes minutes, reading it seconds."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from hipport.errors import HipportError
from hipport.files.documents import LARGEST_JSON, parse_json, read_bounded
from hipport.llm.model.config import ModelConfig
from hipport.llm.weights.checkpoint import Checkpoint
from hipport.llm.weights.formats import Formats
from hipport.llm.weights.tensors import Array, Wanted

_FORMAT = 2
_WEIGHTS, _CHECKSUMS = "weights.bin", "checksums.json"
_SPARE = 1 << 30
"""Bytes to leave free on the disk."""


@dataclass(frozen=True, slots=True)
class CachedCheckpoint:
    """The tensors of a checkpoint, read from the cache folder `base`, or written there while they are made.

    A cache entry is keyed by the formats and by the paths, sizes and modification times of the checkpoint's files. A
    tensor with a wrong checksum is made again, and the whole entry is rewritten the next time.
    """

    checkpoint: Checkpoint
    base: Path

    @property
    def config(self) -> ModelConfig:
        return self.checkpoint.config

    @property
    def formats(self) -> Formats:
        return self.checkpoint.formats

    def tensors(self) -> Iterator[tuple[Wanted, Array]]:
        """Return an iterator over the engine's tensors, one in memory at a time."""
        if self.formats.native:  # nothing is computed that would be worth keeping
            return self.checkpoint.tensors()
        folder = self.base / self._key()
        checksums = _checksums(folder)
        if checksums is not None:
            return self._stored(folder, checksums)
        room = sum(tensor.bytes for tensor in self.wanted()) + _SPARE
        return self._storing(folder) if _free(self.base) > room else self.checkpoint.tensors()

    def _key(self) -> str:
        files = self.checkpoint.source.files
        known = [(str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
        formats = self.formats.weights, self.formats.activations
        return hashlib.sha256(repr((_FORMAT, formats, known)).encode()).hexdigest()[:16]

    def wanted(self) -> Iterator[Wanted]:
        """Yield the engine's tensors."""
        return self.checkpoint.wanted()

    def _stored(self, folder: Path, checksums: list[str]) -> Iterator[tuple[Wanted, Array]]:
        with (folder / _WEIGHTS).open("rb") as stream:
            for tensor, checksum in zip(self.wanted(), checksums, strict=True):
                data = stream.read(tensor.bytes)
                if hashlib.sha256(data).hexdigest() == checksum:
                    yield tensor, np.frombuffer(data, np.uint8)
                else:
                    (folder / _CHECKSUMS).unlink(missing_ok=True)
                    yield tensor, self.checkpoint.make(tensor)

    def _storing(self, folder: Path) -> Iterator[tuple[Wanted, Array]]:
        """Yield the tensors while writing them to the cache.

        Other processes see the complete entry or nothing. If the disk is full, nothing is cached and loading continues.
        """
        temporary = Path(tempfile.mkdtemp(dir=self.base, prefix=".unfinished-"))
        checksums: list[str] | None = []
        try:
            with (temporary / _WEIGHTS).open("wb") as stream:
                for tensor, data in self.checkpoint.tensors():
                    checksums = _append(stream, data, checksums)
                    yield tensor, data
            if checksums is not None:
                _finish(temporary, folder, checksums)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def _append(stream: BinaryIO, data: Array, checksums: list[str] | None) -> list[str] | None:
    """Write a tensor and return the checksums including its own, or None once a write has failed."""
    if checksums is None:
        return None
    whole = data.tobytes()
    try:
        stream.write(whole)
        stream.flush()
    except OSError:
        return None
    return [*checksums, hashlib.sha256(whole).hexdigest()]


def _finish(temporary: Path, folder: Path, checksums: list[str]) -> None:
    with contextlib.suppress(OSError):
        (temporary / _CHECKSUMS).write_text(json.dumps(checksums))
        if not (folder / _CHECKSUMS).exists():
            shutil.rmtree(folder, ignore_errors=True)
        temporary.rename(folder)


def _checksums(folder: Path) -> list[str] | None:
    try:
        path = folder / _CHECKSUMS
        found = parse_json(read_bounded(path, LARGEST_JSON), str(path))
    except (OSError, ValueError, HipportError):
        return None
    return found if isinstance(found, list) else None


def _free(base: Path) -> int:
    """Return the bytes free for a folder, which is created if missing; 0 if it is not writable."""
    try:
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        return shutil.disk_usage(base).free if os.access(base, os.W_OK) else 0
    except OSError:
        return 0
