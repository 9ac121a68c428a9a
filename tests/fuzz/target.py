"""A fuzz target, and where it puts what it fuzzes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_MEMORY = Path("/dev/shm")


@dataclass(frozen=True)
class Target:
    """A function that takes any bytes; `seeds` are initial inputs, `words` are tokens to insert."""

    run: Callable[[bytes], None]
    seeds: Callable[[], Iterable[bytes]]
    words: tuple[str, ...] = ()


@contextmanager
def folder_with(files: Mapping[str, bytes]) -> Iterator[Path]:
    """Yield a temporary folder with files."""
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as name:
        for file, data in files.items():
            Path(name, file).write_bytes(data)
        yield Path(name)
