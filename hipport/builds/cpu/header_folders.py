"""The include folders of a build for the CPU: the target's headers hide ROCm's, and those of libraries are replaced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from hipport.builds.cpu.device_libraries import has_libraries, library_folder, required
from hipport.builds.gather import Gathered
from hipport.builds.request import BuildRequest
from hipport.toolchain.places import Surroundings


def without_rocm(request: BuildRequest) -> tuple[BuildRequest, tuple[str, ...]]:
    """Return a request without include folders of ROCm or of its libraries, and those: they are no part of the project."""
    named = request.settings.include_dirs
    rocm = tuple(folder for folder in named if _has_hip(folder) or has_libraries(folder))
    settings = replace(request.settings, include_dirs=tuple(folder for folder in named if folder not in rocm))
    return replace(request, settings=settings), rocm


def later_folders(found: Gathered, rocm: Sequence[str], where: Surroundings) -> tuple[str, ...]:
    """Return the include folders that follow the target's headers: the HIP libraries that the sources include, and `rocm`.

    Raises `HipportError` if such a library is not installed.
    """
    libraries = required(_texts(found))
    return (*((str(library_folder(libraries, rocm, where)),) if libraries else ()), *rocm)


def _has_hip(folder: str) -> bool:
    return (Path(folder) / "hip/hip_runtime.h").is_file()


def _texts(found: Gathered) -> Iterator[bytes]:
    yield from (data for _, data in found.ingested.files)
    yield from (Path(path).read_bytes() for path in found.ingested.read)
