"""Build the programs to run, after checking that the machine has their devices."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from hipport.builds.backends import backend
from hipport.errors import HipportError, UsageError
from hipport.toolchain.cuda import find_cuda
from hipport.toolchain.places import Surroundings
from hipport.toolchain.temporary import own_temporary_folder
from hipport.verify.model import Platform, Program

_SUFFIXES = (".cu", ".hip", ".cpp", ".cc", ".cxx", ".c")
_RUN_ELSEWHERE = "--original cpu and --port cpu need no GPU."
_NVCC_FLAGS = "NVCC_APPEND_FLAGS"
_SHARED_RUNTIME = "-cudart=shared"
"""A trace is interposed between a program and CUDA's runtime, so the runtime must not be linked statically."""


def expand(paths: Sequence[str], *, cuda: bool) -> tuple[str, ...]:
    """Expand files and folders into sources; of a folder with both, take .cu files for CUDA and .hip files for a port.

    Raises `UsageError` for missing files, and for a folder without sources.
    """
    return tuple(source for path in paths for source in (_below(path, cuda) if Path(path).is_dir() else [_file(path)]))


def _file(path: str) -> str:
    if not Path(path).is_file():
        raise UsageError(f"no such file or folder: {path}")
    return path


def _below(folder: str, cuda: bool) -> list[str]:
    from hipport.project.walk import EntryKind, TreeEntry, walk

    found = [
        entry.source
        for entry in walk(folder, gitignore=True)
        if isinstance(entry, TreeEntry) and entry.kind is EntryKind.FILE and entry.source.endswith(_SUFFIXES)
    ]
    other = ".hip" if cuda else ".cu"
    if any(name.endswith(".cu" if cuda else ".hip") for name in found):
        found = [name for name in found if not name.endswith(other)]
    if not found:
        raise UsageError(f"no sources in {folder}", hint=f"Sources end in {', '.join(_SUFFIXES)}.")
    return found


def check_device(platform: Platform, where: Surroundings) -> None:
    """Raise `HipportError` if the machine has no device for a platform."""
    chosen = backend(platform.value)
    if chosen.native(where) is None:
        raise HipportError(f"no working {chosen.device} in this machine", hint=_RUN_ELSEWHERE)


def executable(program: Program, output: Path, flags: Sequence[str]) -> Path:
    """Return the program's executable, built at `output` unless one was given. Raises `HipportError`."""
    if program.executable is not None:
        path = Path(program.executable)
        if not (path.is_file() and os.access(path, os.X_OK)):
            raise UsageError(f"{path} is not an executable program")
        return path.resolve()
    command = list(_nvcc(program, output) if _is_cuda_original(program) else _hipport(program, output))
    _build([*command, *flags], program)
    return output.resolve()


def identity(program: Program) -> tuple[object, ...]:
    """Return a key that is equal for programs built in the same way."""
    made_of = (program.sources, program.executable)
    return (*made_of, program.platform, program.wave_size, _is_cuda_original(program))


def _is_cuda_original(program: Program) -> bool:
    return program.platform is Platform.NVIDIA and program.label == "original"


def _nvcc(program: Program, output: Path) -> Iterator[str]:
    yield from (str(find_cuda(Surroundings()).nvcc), "-O3", "-std=c++17", "-arch=native")
    yield from (*program.sources, "-o", str(output))


def _hipport(program: Program, output: Path) -> Iterator[str]:
    yield from (sys.executable, "-m", "hipport", "build", *program.sources, "-o", str(output))
    if program.platform is Platform.AMD:
        yield from ("--offload-arch", ",".join(program.targets) or "native")
        return
    yield from ("--target", program.platform.value)
    if program.platform is Platform.CPU:
        yield from ("--wave-size", str(program.wave_size))


def _build(command: Sequence[str], program: Program) -> None:
    flags = f"{os.environ.get(_NVCC_FLAGS, '')} {_SHARED_RUNTIME}".strip()
    with own_temporary_folder({**os.environ, _NVCC_FLAGS: flags}) as environ:
        done = subprocess.run(
            command,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if done.returncode != 0:
        said = done.stdout.decode(errors="replace").rstrip()
        raise HipportError(f"cannot build the {program.title}:\n{said}", hint="Pass flags to the build with --build.")
