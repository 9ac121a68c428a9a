"""The CUDA tree used by the benchmarks."""

from __future__ import annotations

import shutil
from pathlib import Path

PROGRAMS = Path(__file__).parents[2] / "fixtures" / "programs"
SUFFIXES = (".cu", ".cuh", ".h", ".cpp", ".hpp", ".c", ".cc")


def make_tree(folder: Path, copies: int) -> Path:
    """The fixture programs `copies` times over."""
    for number in range(copies):
        shutil.copytree(PROGRAMS, folder / f"copy{number}")
    return folder


def sources(tree: Path) -> dict[str, bytes]:
    """The CUDA and C++ files of a tree and their bytes."""
    return {str(path): path.read_bytes() for path in sorted(tree.rglob("*")) if path.suffix in SUFFIXES}
