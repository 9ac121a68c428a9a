"""Run programs with tracing of launches and of buffer contents."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hipport.errors import HipportError
from hipport.support import include_dir
from hipport.toolchain.temporary import own_temporary_folder
from hipport.verify.execute import execute
from hipport.verify.model import Conditions, Platform, Program
from hipport.verify.trace.file import Launch, read_trace
from hipport.verify.trace.walk import Place

_HINTS = {
    Platform.CPU: "It must launch kernels, and be built by this release of `hipport build --target cpu`.",
    Platform.NVIDIA: "It must launch kernels, and be linked with `nvcc -cudart shared`.",
}


@dataclass(frozen=True, slots=True)
class Trace:
    """The launches of a run, and whether it timed out."""

    launches: list[Launch]
    stopped: bool


@dataclass(frozen=True, slots=True)
class Tracer:
    """A program that can be traced: `name` is its argv[0], `folder` holds its runs."""

    program: Program
    path: Path
    name: str
    folder: Path
    conditions: Conditions
    preload: Path | None

    def run(self, wanted: Iterable[Place] = ()) -> Trace:
        """Run the program, recording the contents of `wanted` buffers. Raises `HipportError`."""
        self._clear()
        self._trace.with_name("trace.wanted").write_text("".join(f"{place.key}\n" for place in wanted))
        extra = {"HIPPORT_TRACE": str(self._trace)}
        if self.preload is not None:
            extra["LD_PRELOAD"] = str(self.preload)
        outcome = execute(self.path, self.name, self.folder / "run", self.conditions, extra)
        try:
            launches = read_trace(self._trace.read_text(encoding="utf-8", errors="replace"))
        except FileNotFoundError:
            raise HipportError(f"the {self.program.title} wrote no trace", hint=_HINTS[self.program.platform]) from None
        return Trace(launches, outcome.status is None)

    def contents(self, place: Place) -> bytes | None:
        """Return a wanted buffer from the last run, or None if the program did not reach that place."""
        try:
            return self._trace.with_name(f"trace.{place.key.replace(' ', '.')}").read_bytes()
        except FileNotFoundError:
            return None

    @property
    def _trace(self) -> Path:
        return self.folder.resolve() / "trace"

    def _clear(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)


def preloaded(platform: Platform, folder: Path) -> Path | None:
    """Return the library that traces programs of a platform, compiled into `folder`; the CPU target needs none.

    Raises `HipportError` if tracing is unsupported there, or no compiler is found.
    """
    if platform is Platform.CPU:
        return None
    if platform is Platform.AMD:
        raise HipportError("--trace does not support AMD GPUs", hint="Trace the port with --port cpu or nvidia.")
    folder_of_sources = include_dir() / "trace"
    library = folder.resolve() / "libhipport_trace.so"
    if not _is_newer(library, folder_of_sources.iterdir()):
        _compile(folder_of_sources / "cuda.cpp", library)
    return library


def _is_newer(path: Path, others: Iterable[Path]) -> bool:
    return path.exists() and all(path.stat().st_mtime > other.stat().st_mtime for other in others)


def _compile(source: Path, library: Path) -> None:
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        raise HipportError(
            "--trace needs g++ or clang++ to compile the library that it puts in front of CUDA's runtime"
        )
    flags = ("-std=c++17", "-O2", "-fPIC", "-shared", "-fvisibility=hidden")
    command = [compiler, *flags, str(source), "-o", str(library), "-ldl"]
    with own_temporary_folder(os.environ) as environ:
        done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise HipportError(f"{source} does not compile:\n{done.stderr.rstrip()}")
