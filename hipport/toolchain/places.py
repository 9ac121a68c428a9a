"""Folders where ROCm and LLVM may be installed, best first."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct, field

from hipport import lazy_re as re


class Surroundings(Struct, frozen=True):
    """The environment of a search: variables and the root of the file system (replaced in tests)."""

    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    root: Path = Path("/")


def natural(path: Path) -> list[tuple[int, str]]:
    """Return a sort key that puts `llvm-9` before `llvm-15`."""
    return [(int(number or -1), text) for number, text in re.findall(r"(\d+)|(\D+)", str(path))]


def newest(folder: Path, pattern: str) -> list[Path]:
    """Return what a pattern matches in a folder, the highest release first."""
    return sorted(folder.glob(pattern), key=natural, reverse=True)


def _newest_first(paths: Iterable[Path]) -> list[Path]:
    return sorted(paths, key=natural, reverse=True)


def rocm_roots(where: Surroundings) -> Iterator[Path]:
    """Yield possible ROCm roots: HIP_PATH, ROCM_PATH, that of the hipcc on PATH, /opt/rocm*, /usr.

    Environment modules and Spack put hipcc on PATH and may set no variable; /usr/bin is on every PATH and comes last.
    """
    for variable in ("HIP_PATH", "ROCM_PATH"):
        if value := where.environ.get(variable):
            yield Path(value)
    yield from (root for root in _roots_on_path(where) if root != where.root / "usr")
    yield where.root / "opt/rocm"
    yield from _newest_first((where.root / "opt").glob("rocm-*"))
    yield where.root / "usr"


def _roots_on_path(where: Surroundings) -> Iterator[Path]:
    """Yield the installations with headers whose hipcc is on PATH."""
    for folder in path_folders(where):
        if (folder / "hipcc").is_file() and (folder.parent / "include/hip/hip_runtime.h").is_file():
            yield folder.parent


def path_folders(where: Surroundings) -> Iterator[Path]:
    return (Path(folder) for folder in where.environ.get("PATH", "").split(os.pathsep) if folder)


def program_folders(where: Surroundings) -> Iterator[Path]:
    """Yield the folders that may contain compilers and LLVM's tools."""
    for root in rocm_roots(where):
        # lib64/rocm/llvm/bin is Fedora's.
        yield from (root / "bin", root / "llvm/bin", root / "lib/llvm/bin", root / "lib64/rocm/llvm/bin")
    yield from _newest_first((where.root / "usr/lib").glob("llvm-*/bin"))
    yield from path_folders(where)


def programs(folders: Iterable[Path], names: Iterable[str]) -> Iterator[Path]:
    """Yield executable files with one of these names, folder by folder, without duplicates by links."""
    names = tuple(names)
    seen: set[Path] = set()
    for folder in folders:
        for name in names:
            path = folder / name
            if os.access(path, os.X_OK) and path.is_file() and path.resolve() not in seen:
                seen.add(path.resolve())
                yield path
