"""Find the LLVM tools that a build or a check needs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from hipport.errors import HipportError
from hipport.toolchain.compilers import Compiler
from hipport.toolchain.places import Surroundings, natural, program_folders, programs

_PACKAGES = {
    "clang-offload-bundler": ("hipcc", "rocm-llvm"),
    "clang++": ("hipcc", "rocm-llvm"),
    "rocminfo": ("rocminfo", "rocminfo"),
}
"""The Debian and the ROCm package of each program."""


def find_tool(name: str, where: Surroundings, compiler: Compiler | None = None) -> Path:
    """Return a program, preferably of the compiler's own LLVM. Raises a `HipportError` that names its packages."""
    found = next(find_tools(name, where, compiler), None)
    if found is None:
        debian, rocm = _PACKAGES.get(name, ("llvm", "rocm-llvm"))
        raise HipportError(
            f"cannot find {name}",
            hint=f"Debian and Ubuntu: apt-get install {debian}. ROCm's own packages: {rocm}.",
        )
    return found


def find_tools(name: str, where: Surroundings, compiler: Compiler | None = None) -> Iterator[Path]:
    """Yield all programs of a name in `find_tool`'s order of preference, possibly with duplicates."""
    folders = list(program_folders(where))
    everywhere = programs(folders, [name, *_versioned(name, folders)])
    for found in chain(_near(name, compiler, where) if compiler else (), everywhere):
        # A tool looks for others of its release beside itself, not beside a link such as Debian's /usr/bin/NAME-19.
        real = found.resolve()
        yield real if real.name == name else found


def _near(name: str, compiler: Compiler, where: Surroundings) -> Iterator[Path]:
    """Yield the program of a compiler's LLVM. Debian's /usr/bin/NAME may be from another release, so it comes last."""
    release = compiler.clang.split(".")[0]
    folders = (compiler.clang_folder, where.root / f"usr/lib/llvm-{release}/bin")
    yield from programs([*folders, compiler.path.parent, compiler.path.resolve().parent], [f"{name}-{release}", name])


def _versioned(name: str, folders: list[Path]) -> list[str]:
    found = {path.name for folder in folders for path in folder.glob(f"{name}-[0-9]*")}
    return sorted(found, key=lambda spelling: natural(Path(spelling)), reverse=True)
