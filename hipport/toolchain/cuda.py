"""Find CUDA: nvcc and its release."""

from __future__ import annotations

import os
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from hipport.errors import HipportError
from hipport.toolchain.places import Surroundings, newest, programs
from hipport.toolchain.process import run

_RELEASE = re.compile(r"release (\d+)\.(\d+)")
_OLDEST = 11
_ADVICE = (
    "Searched CUDA_HOME, CUDA_PATH, PATH, /usr/local/cuda*, /opt/cuda and Python's packages. "
    "Or give the path of nvcc with --compiler."
)


class Cuda(Struct, frozen=True):
    """A CUDA installation: its compiler, and its release as (13, 0)."""

    nvcc: Path
    release: tuple[int, int]

    def __str__(self) -> str:
        return f"nvcc {'.'.join(map(str, self.release))} ({self.nvcc})"


def find_cuda(where: Surroundings, wanted: str | None = None) -> Cuda:
    """Return the requested nvcc, or the first one found.

    Raises `HipportError` if there is none, or if its release is older than 11.
    """
    if wanted and os.sep in wanted and not os.access(wanted, os.X_OK):
        raise HipportError(f"cannot run {wanted}", hint="Give the path of nvcc with --compiler.")
    nvcc = Path(wanted) if wanted and os.sep in wanted else next(programs(_folders(where), [wanted or "nvcc"]), None)
    if nvcc is None:
        raise HipportError(f"no {wanted or 'nvcc'} found for the NVIDIA target", hint=_ADVICE)
    done = run([nvcc, "--version"])
    match = _RELEASE.search(done.stdout) if done else None
    if match is None:
        raise HipportError(f"{nvcc} does not report its CUDA release", hint=_ADVICE)
    found = Cuda(nvcc, (int(match[1]), int(match[2])))
    if found.release[0] < _OLDEST:
        raise HipportError(f"{found} is too old", hint=f"The NVIDIA target needs CUDA {_OLDEST} or later.")
    return found


def _folders(where: Surroundings) -> Iterator[Path]:
    """Yield the folders that may hold nvcc, best first."""
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if value := where.environ.get(variable):
            yield Path(value) / "bin"
    yield from (Path(folder) for folder in where.environ.get("PATH", "").split(os.pathsep) if folder)
    local = where.root / "usr/local"
    yield from (
        local / "cuda/bin",
        *(folder / "bin" for folder in newest(local, "cuda-*")),
        where.root / "opt/cuda/bin",
    )
    packages = where.root / sysconfig.get_path("purelib").lstrip("/")
    yield from (folder / "bin" for folder in newest(packages, "nvidia/cu*"))
