"""Find the OpenMP library that clang's code needs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from hipport.errors import HipportError
from hipport.toolchain.places import Surroundings, natural

_HEADERS = ("lib/clang/*/include", "lib64/clang/*/include", "include")
_LIBRARIES = ("lib", "lib64", "lib/*-linux-gnu")


class OpenMP(Struct, frozen=True):
    """The folders of `omp.h` and of `libomp.so`; `own` if clang finds them by itself."""

    header: Path
    library: Path
    own: bool


def find_openmp(clang: Path, where: Surroundings) -> OpenMP:
    """Find clang's own OpenMP, or else that of another LLVM, newest first. Raises `HipportError`.

    GCC's libgomp is not an option: clang ignores `#pragma omp` with it, and a program would run on one thread.
    """
    found = next(_installations(clang, where), None)
    if found is None:
        release = clang.resolve().parent.parent.name.removeprefix("llvm-")
        package = f"libomp-{release}-dev" if release.isdigit() else "libomp-dev"
        raise HipportError(
            f"-fopenmp: no OpenMP library for {clang} (omp.h and libomp.so)",
            hint=f"Debian and Ubuntu: apt-get install {package}. ROCm's own packages: openmp-extras-devel.",
        )
    return found


def _installations(clang: Path, where: Surroundings) -> Iterator[OpenMP]:
    own = clang.resolve().parent.parent
    others = sorted((where.root / "usr/lib").glob("llvm-*"), key=natural, reverse=True)
    for root in (own, *(other for other in others if other != own)):
        header, library = _first(root, _HEADERS, "omp.h"), _first(root, _LIBRARIES, "libomp.so")
        if header and library:
            yield OpenMP(header, library, root == own)


def _first(root: Path, patterns: tuple[str, ...], name: str) -> Path | None:
    return next((path.parent for pattern in patterns for path in sorted(root.glob(f"{pattern}/{name}"))), None)
