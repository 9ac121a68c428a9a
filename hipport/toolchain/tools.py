"""Finds the LLVM tools that a build or a check needs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hipport.errors import HipportError
from hipport.toolchain.compilers import Compiler
from hipport.toolchain.places import Surroundings, natural, program_folders, programs

_PACKAGES = {
    "clang-offload-bundler": ("clang-tools-15", "rocm-llvm"),
    "clang++": ("clang-15", "rocm-llvm"),
    "rocminfo": ("rocminfo", "rocminfo"),
}
"""The Debian and the ROCm package of each program."""


def find_tool(name: str, where: Surroundings, compiler: Compiler | None = None) -> Path:
    """A program, the one of the compiler's own LLVM first. Raises `HipportError` naming its packages."""
    folders = [*_near(compiler, where), *program_folders(where)]
    spellings = [name, f"{name}-{compiler.clang.split('.')[0]}"] if compiler else [name]
    found = next(programs(folders, [*spellings, *_versioned(name, folders)]), None)
    if found is None:
        debian, rocm = _PACKAGES.get(name, ("llvm", "rocm-llvm"))
        raise HipportError(
            f"cannot find {name}",
            hint=f"Debian and Ubuntu: apt-get install {debian}. ROCm's own packages: {rocm}.",
        )
    return found


def _near(compiler: Compiler | None, where: Surroundings) -> Iterator[Path]:
    if compiler is not None:
        yield from (compiler.clang_folder, compiler.path.parent, compiler.path.resolve().parent)
        yield where.root / f"usr/lib/llvm-{compiler.clang.split('.')[0]}/bin"


def _versioned(name: str, folders: list[Path]) -> list[str]:
    found = {path.name for folder in folders for path in folder.glob(f"{name}-[0-9]*")}
    return sorted(found, key=lambda spelling: natural(Path(spelling)), reverse=True)
