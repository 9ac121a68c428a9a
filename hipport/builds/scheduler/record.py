"""Record what an output was made from, so that it is not rebuilt.

The record of `x.o` is `x.o.made`, written when the output is complete. It holds the digests of all files that the
command read, in the order of `reads`; their names are in the compiler's dependency file.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import stat
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from hipport.builds.freshness import dependencies
from hipport.builds.prepare import write_if_changed
from hipport.builds.scheduler.protocol import Task
from hipport.errors import HipportError
from hipport.files.documents import LARGEST_JSON, parse_json, read_bounded
from hipport.files.hashes import digest_of_file

_SETTLED = 2 * 10**9
"""Nanoseconds: a file changed this recently may change again without a new timestamp."""


@dataclasses.dataclass(frozen=True, slots=True)
class BuildRecord:
    """The task's key, digests of the files read, size and time of the output, and what the command printed."""

    key: str
    reads: tuple[str, ...]
    digest: str
    size: int
    changed: int
    text: str


def record_path(output: str) -> str:
    return f"{output}.made"


def step_key(command: Iterable[str], tools: str) -> str:
    """Return a hash of a command and the tools it uses."""
    return hashlib.sha256(json.dumps([*command, tools]).encode()).hexdigest()


def load(folder: str, output: str) -> BuildRecord | None:
    """Return the record of an output, or None if it is missing or invalid."""
    try:
        path = Path(folder) / record_path(output)
        fields = parse_json(read_bounded(path, LARGEST_JSON), str(path))
        return BuildRecord(**{**fields, "reads": tuple(fields["reads"])})
    except (OSError, ValueError, TypeError, KeyError, HipportError):
        return None


def save(folder: str, task: Task, text: str, started: int) -> None:
    """Record an output that is in place; `started` is when its command started, in nanoseconds.

    If a file has changed since then, it is unknown which version the command read: the record then has no `reads` and
    never matches.
    """
    output = Path(folder) / task.output
    status = output.stat()
    paths = reads(folder, task)
    settled = all(changed_at(folder, path) <= started for path in paths)
    found = tuple(digest_at(folder, path) or "" for path in paths) if settled else ()
    record = BuildRecord(task.key, found, digest_of_file(str(output)), status.st_size, status.st_mtime_ns, text)
    write_if_changed(Path(folder) / record_path(task.output), json.dumps(dataclasses.asdict(record)).encode())


def holds(record: BuildRecord | None, folder: str, task: Task, digest_of: Callable[[str], str | None]) -> bool:
    """Return whether the existing output is what this task would make; `digest_of` returns the digest at a path."""
    if record is None or record.key != task.key:
        return False
    try:
        status = (Path(folder) / task.output).stat()
    except OSError:
        return False
    if (status.st_size, status.st_mtime_ns) != (record.size, record.changed):
        return False
    return record.reads == tuple(digest_of(path) for path in reads(folder, task))


def reads(folder: str, task: Task) -> list[str]:
    """Return the files that a task reads, including known headers."""
    headers: Iterable[str] = ()
    if task.depfile:
        try:
            text = (Path(folder) / task.depfile).read_text(encoding="utf-8", errors="surrogateescape")
        except OSError:
            text = ""
        headers = dependencies(text)
    return sorted({*(path for path, _ in task.inputs), *headers})


def digest_at(folder: str, path: str) -> str | None:
    """Return the digest of a regular file, or None if there is none.

    Files with unchanged metadata are not read again.
    """
    place = Path(folder) / path
    try:
        status = place.stat()
        if not stat.S_ISREG(status.st_mode):
            return None
        if time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) < _SETTLED:
            return digest_of_file(str(place))
        return _digest(str(place), status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    except OSError:
        return None


def changed_at(folder: str, path: str) -> int:
    """Return a file's modification time in nanoseconds, or 0 if it does not exist."""
    try:
        return (Path(folder) / path).stat().st_mtime_ns
    except OSError:
        return 0


@functools.lru_cache(maxsize=1 << 16)
def _digest(place: str, *looks: int) -> str:
    return digest_of_file(place)
