"""Find headers: CUDA's, in an installation or in Python packages, and those of compilers."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from pathlib import Path

from hipport.toolchain.places import Surroundings, natural, newest

_RUNTIME = "cuda_runtime.h"


def cuda_include_dirs(where: Surroundings) -> tuple[Path, ...]:
    """Return the include folders of the first CUDA found; empty if there is none.

    Searches CUDA_HOME, CUDA_PATH, /usr/local/cuda*, /opt/cuda and Python packages (`nvidia-cuda-runtime`).
    """
    for folders in _candidates(where):
        if any((folder / _RUNTIME).is_file() for folder in folders):
            found = [inner for folder in folders for inner in (folder, folder / "cccl") if inner.is_dir()]
            return tuple(dict.fromkeys(found))
    return ()


def compiler_include_dirs(where: Surroundings) -> tuple[Path, ...]:
    """Return the newest clang's headers, which have processor intrinsics, and the newest gcc's, which have OpenMP's."""
    clang = [*where.root.glob("usr/lib/llvm-*/lib/clang/*/include"), *where.root.glob("usr/lib*/clang/*/include")]
    gcc = [*where.root.glob("usr/lib/gcc/*-linux-gnu/*/include")]
    wanted = ((clang, "immintrin.h"), (gcc, "omp.h"))
    found = (max((p for p in places if (p / name).is_file()), key=natural, default=None) for places, name in wanted)
    return tuple(folder for folder in found if folder is not None)


def _candidates(where: Surroundings) -> Iterator[list[Path]]:
    """Yield sets of folders that belong together, best first."""
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if value := where.environ.get(variable):
            yield _of_installation(Path(value))
    local = where.root / "usr/local"
    for root in (local / "cuda", *newest(local, "cuda-*"), where.root / "opt/cuda"):
        yield _of_installation(root)
    packages = where.root / sysconfig.get_path("purelib").lstrip("/")
    for root in newest(packages, "nvidia/cu[0-9]*"):
        yield [root / "include"]
    yield sorted(packages.glob("nvidia/*/include"))


def _of_installation(root: Path) -> list[Path]:
    return [root / "include", *sorted(root.glob("targets/*-linux/include"))[:1]]
