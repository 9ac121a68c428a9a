"""The include folders of a build for the CPU: the target's headers hide ROCm's, and those of libraries are replaced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from hipport.builds.cpu.device_libraries import has_libraries, library_folder, needed
from hipport.builds.gather import Gathered
from hipport.builds.request import BuildRequest
from hipport.toolchain.places import Surroundings


def without_rocm(request: BuildRequest) -> tuple[BuildRequest, tuple[str, ...]]:
    """Return a request without the include folders of ROCm or its libraries, which are not the project's, and those."""
    named = request.settings.include_dirs
    rocm = tuple(folder for folder in named if _has_hip(folder) or has_libraries(folder))
    settings = replace(request.settings, include_dirs=tuple(folder for folder in named if folder not in rocm))
    return replace(request, settings=settings), rocm


def required(found: Gathered) -> tuple[str, ...]:
    """Return the HIP libraries that the sources of a build include, with those that they build on."""
    return needed(_texts(found))


def later_folders(libraries: Sequence[str], rocm: Sequence[str], where: Surroundings) -> tuple[str, ...]:
    """Return the include folders that follow the target's headers: that of the libraries, and `rocm`.

    Raises `HipportError` if a library is not installed.
    """
    return (*((str(library_folder(libraries, rocm, where)),) if libraries else ()), *rocm)


def _has_hip(folder: str) -> bool:
    return (Path(folder) / "hip/hip_runtime.h").is_file()


def _texts(found: Gathered) -> Iterator[bytes]:
    yield from (data for _, data in found.ingested.files)
    yield from (Path(path).read_bytes() for path in found.ingested.read)
