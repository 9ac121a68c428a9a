"""Search for header files below a folder: an include folder, a toolkit, unpacked wheels."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from hipport.errors import HipportError

SUFFIXES = frozenset({".h", ".hpp", ".cuh", ".inl", ".pxd"})
_BARE = ("cuda/", "nv/")
"""Folders of the C++ standard library for CUDA, whose headers have no suffix."""
_INNER = ("cccl",)
"""Folders inside an include folder that are also on the compiler's search path."""
_DEPTH = 5
_OTHER_PLATFORM = ("hip/nvidia_detail/", "hip/nvcc_detail/")
"""HIP's implementation for NVIDIA GPUs, which uses CUDA's names."""
_LARGEST = 16 << 20
"""Maximum size of a header in bytes."""


def header_files(folder: Path, only: Sequence[str] = ()) -> list[tuple[str, Path]]:
    """Return the headers, spelled as in an `#include`, and their paths.

    `folder` is an include folder, one that has an `include` folder, or one below which wheels were unpacked. With
    `only`, headers count if the first component of their path matches one of these patterns. Raises HipportError if no
    header is found.
    """
    if not folder.is_dir():
        state = "is not a folder" if folder.exists() else "does not exist"
        raise HipportError(f"{folder}: {state}", hint="Name the folder with the headers.")
    found: dict[str, Path] = {}
    for root in _roots(folder):
        for header, path in _below(root):
            if not only or any(fnmatch.fnmatchcase(header.split("/")[0], pattern) for pattern in only):
                found.setdefault(header, path)
    if not found:
        kinds = ", ".join(sorted(SUFFIXES))
        raise HipportError(f"{folder}: no headers found", hint=f"Headers end in {kinds}; subfolders are searched, too.")
    return sorted(found.items())


def _roots(folder: Path) -> list[Path]:
    """Return the folders that a compiler would search."""
    if folder.name == "include" or any(path.suffix in SUFFIXES for path in folder.iterdir()):
        return [folder]
    if (folder / "include").is_dir():
        return [folder / "include"]
    inner = [Path(base, "include") for base, folders, _ in _walk(folder) if "include" in folders]
    return inner or [folder]


def _below(root: Path) -> Iterator[tuple[str, Path]]:
    prefix = f"{root.name}/" if (root / "hip_version.h").is_file() or (root / "chip.pxd").is_file() else ""
    for base, _, files in _walk(root, None):
        for file in files:
            path = Path(base, file)
            header = prefix + path.relative_to(root).as_posix()
            for inner in _INNER:
                header = header.removeprefix(f"{inner}/")
            if _is_header(path, header):
                yield header, path


def _is_header(path: Path, header: str) -> bool:
    if header.startswith(_OTHER_PLATFORM):
        return False
    if path.suffix not in SUFFIXES and (path.suffix or not header.startswith(_BARE)):
        return False
    return path.is_file() and path.stat().st_size <= _LARGEST


def _walk(folder: Path, depth: int | None = _DEPTH) -> Iterator[tuple[str, list[str], list[str]]]:
    """`os.walk` in sorted order and at most `depth` levels deep; a folder that cannot be listed raises HipportError."""
    for base, folders, files in os.walk(folder, onerror=_unreadable):
        folders.sort()
        yield base, folders, sorted(files)
        if depth is not None and len(Path(base).relative_to(folder).parts) >= depth:
            folders.clear()


def _unreadable(error: OSError) -> None:
    raise HipportError(f"{error.filename}: {error.strerror}", hint="Check the permissions of the folder.") from None
