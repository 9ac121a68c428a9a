"""What every build for the CPU needs, compiled once, in the user's cache: the runtime's headers and functions."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import hipport
from hipport.builds.freshness import dependencies
from hipport.errors import HipportError
from hipport.files import atomic
from hipport.files.locks import locked
from hipport.mappings import cache
from hipport.toolchain.process import run

_TIMEOUT = 300


@dataclass(frozen=True, slots=True)
class Kind:
    """Files called `name` that are compiled from a source, of which `kept` stay in a folder of the cache."""

    folder: str
    name: str
    source: str
    text: str
    kept: int


_RUNTIME = "#include <hip/hip_runtime.h>\n"
HEADERS = Kind("cpu-headers", "headers.pch", "headers.h", _RUNTIME, 12)
"""The runtime's headers: 25 MB for each combination of a compiler and options."""
RUNTIME = Kind("cpu-runtime", "runtime.o", "runtime.cpp", _RUNTIME, 48)
"""The functions of the headers that are compiled once: see HIPPORT_RUNTIME."""
CHECKS = Kind("cpu-checks", "checks.o", "checks.cpp", "#include <hipport_cpu/checks/runtime.cpp>\n", 8)
"""The runtime of --sanitize."""


@dataclass(frozen=True, slots=True)
class CachedFile:
    """A file that `command` compiles, with a source, an output and a depfile appended, into `folder`."""

    kind: Kind
    command: tuple[str, ...]
    folder: Path

    @property
    def output(self) -> Path:
        return self.folder / self.kind.name

    @property
    def _depfile(self) -> Path:
        return self.folder / f"{self.kind.name}.d"

    def is_current(self) -> bool:
        """Return whether the file is compiled and no source has changed since, nor been replaced by an older one."""
        try:
            made = self.output.stat().st_mtime_ns
            names = dependencies(self._depfile.read_text(encoding="utf-8", errors="surrogateescape"))
            return all(Path(name).stat().st_ctime_ns <= made for name in names)
        except OSError:
            return False

    def provide(self) -> None:
        """Compile the file unless it is current. Raises `HipportError` if that is impossible."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with locked(self.folder / ".lock", wait=True):
                if not self.is_current():
                    self._compile()
                (self.folder / "used").touch()
            _prune(self.folder.parent, self.kind.kept)
        except OSError as error:
            hint = "Set XDG_CACHE_HOME to use another cache folder."
            raise HipportError(f"cannot write {error.filename}: {error.strerror}", hint=hint) from None

    def _compile(self) -> None:
        source = self.folder / self.kind.source
        with atomic.naming(source):
            source.write_text(self.kind.text, encoding="utf-8")
        os.utime(source, (0, 0))  # clang compares it
        # By the clock that stamps files: the system's is up to a tick ahead. The source is compared, too, and the line
        # above stamps it.
        started = source.stat().st_ctime_ns
        with atomic.replacing(self.output, suffix=self.output.suffix) as fresh:
            written = ("-MD", "-MF", str(self._depfile), "-MQ", "headers", "-c", str(source), "-o", fresh)
            done = run((*self.command, *written), _TIMEOUT)
            if done is None or done.status != 0:
                raise HipportError(f"the CPU target's headers do not compile{_said(done.stderr if done else '')}")
            os.utime(fresh, ns=(started, started))


def cached(kind: Kind, command: Sequence[str], compiler: Path) -> CachedFile | None:
    """Return the file compiled by a command; None if the user's cache cannot be written."""
    base = cache.folder()
    if base is None or not _is_writable(base):
        return None
    status = compiler.stat()
    told = (hipport.__version__, tuple(command), os.path.realpath(compiler), status.st_size, status.st_mtime_ns)
    return CachedFile(kind, tuple(command), base / kind.folder / hashlib.sha256(repr(told).encode()).hexdigest()[:16])


def _is_writable(folder: Path) -> bool:
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    return existing.is_dir() and os.access(existing, os.W_OK)


def _said(text: str) -> str:
    lines = [line for line in text.splitlines() if "error:" in line][:3] or text.splitlines()[-3:]
    return "".join(f"\n  {line}" for line in lines)


def _prune(folder: Path, kept: int) -> None:
    """Remove all but the compiled files that were used last."""
    with contextlib.suppress(OSError):
        used = sorted(folder.glob("*/used"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
        for path in used[kept:]:
            shutil.rmtree(path.parent, ignore_errors=True)
