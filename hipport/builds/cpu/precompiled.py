"""The runtime's headers in compiled form, in the user's cache: most of what a small program makes the compiler read."""

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

_KEPT = 8
"""How many compiled headers are kept, of some 25 MB each: one for each combination of a compiler and options."""
_TIMEOUT = 300
_SOURCE = "#include <hip/hip_runtime.h>\n"


@dataclass(frozen=True, slots=True)
class CachedHeaders:
    """Headers that `command` compiles, with a source, an output and a depfile appended, into `folder`."""

    command: tuple[str, ...]
    folder: Path

    @property
    def output(self) -> Path:
        return self.folder / "headers.pch"

    @property
    def _depfile(self) -> Path:
        return self.folder / "headers.d"

    def is_current(self) -> bool:
        """Return whether the headers are compiled and none has changed since, nor been replaced by an older one."""
        try:
            made = self.output.stat().st_mtime_ns
            names = dependencies(self._depfile.read_text(encoding="utf-8", errors="surrogateescape"))
            return all(Path(name).stat().st_ctime_ns <= made for name in names)
        except OSError:
            return False

    def provide(self) -> None:
        """Compile the headers unless they are current. Raises `HipportError` if that is impossible."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with locked(self.folder / ".lock", wait=True):
                if not self.is_current():
                    self._compile()
                (self.folder / "used").touch()
            _prune(self.folder.parent)
        except OSError as error:
            hint = "Set XDG_CACHE_HOME to use another cache folder."
            raise HipportError(f"cannot write {error.filename}: {error.strerror}", hint=hint) from None

    def _compile(self) -> None:
        source = self.folder / "headers.h"
        source.write_text(_SOURCE, encoding="utf-8")
        started = source.stat().st_ctime_ns  # by the clock that stamps the headers: the system's is up to a tick ahead
        os.utime(source, (0, 0))  # clang compares it
        with atomic.replacing(self.output, suffix=".pch") as fresh:
            written = ("-MD", "-MF", str(self._depfile), "-MQ", "headers", "-c", str(source), "-o", fresh)
            done = run((*self.command, *written), _TIMEOUT)
            if done is None or done.status != 0:
                raise HipportError(f"the CPU target's headers do not compile{_said(done.stderr if done else '')}")
            os.utime(fresh, ns=(started, started))


def cached_headers(command: Sequence[str], compiler: Path) -> CachedHeaders | None:
    """Return the headers compiled by a command; None if the user's cache cannot be written."""
    base = cache.folder()
    if base is None or not _is_writable(base):
        return None
    status = compiler.stat()
    told = (hipport.__version__, tuple(command), os.path.realpath(compiler), status.st_size, status.st_mtime_ns)
    return CachedHeaders(tuple(command), base / "cpu-headers" / hashlib.sha256(repr(told).encode()).hexdigest()[:16])


def _is_writable(folder: Path) -> bool:
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    return existing.is_dir() and os.access(existing, os.W_OK)


def _said(text: str) -> str:
    lines = [line for line in text.splitlines() if "error:" in line][:3] or text.splitlines()[-3:]
    return "".join(f"\n  {line}" for line in lines)


def _prune(folder: Path) -> None:
    """Remove all but the compiled headers that were used last."""
    with contextlib.suppress(OSError):
        used = sorted(folder.glob("*/used"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
        for path in used[_KEPT:]:
            shutil.rmtree(path.parent, ignore_errors=True)
