"""Build the engine's CUDA original by nvcc alone, to be measured beside the HIP that hipport generates from it."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hipport.builds.shipped import Target
from hipport.errors import HipportError
from hipport.llm.runtime.library import defines_of, exact
from hipport.llm.weights.formats import Formats
from hipport.toolchain.cuda import find_cuda
from hipport.toolchain.places import Surroundings

_ENGINE = Path(__file__).parents[2] / "hipport" / "llm" / "engine"


def original(target: Target, where: Surroundings, formats: Formats, folder: Path) -> Path:
    """Return the library, built in `folder` unless it is there. Raises `HipportError`."""
    (architecture,) = exact(target).architectures
    number = architecture.removeprefix("sm_")
    options = (
        *("-std=c++17", "-O3", f"-gencode=arch=compute_{number},code=sm_{number}", "-Xcompiler", "-fPIC"),
        *defines_of(exact(target)),
        *formats.build_defines(0),
    )
    sources = sorted(_ENGINE.glob("*.cu"))
    inputs = sorted((*_ENGINE.iterdir(), *(_ENGINE.parent / "kernels").iterdir()))
    key = hashlib.sha256(repr((options, [path.read_bytes() for path in inputs])).encode()).hexdigest()[:16]
    made = folder / key / "libhipport_llm.so"
    if not made.is_file():
        made.parent.mkdir(parents=True, exist_ok=True)
        _build(str(find_cuda(where).nvcc), options, sources, made)
    return made


def _build(nvcc: str, options: Sequence[str], sources: Sequence[Path], made: Path) -> None:
    objects = [made.parent / f"{source.stem}.o" for source in sources]
    commands = [
        [nvcc, *options, "-c", str(source), "-o", str(output)] for source, output in zip(sources, objects, strict=True)
    ]
    with ThreadPoolExecutor() as pool:
        list(pool.map(_done, commands))
    unfinished = made.with_suffix(".new")
    _done([nvcc, *options, "-shared", *map(str, objects), "-o", str(unfinished)])
    unfinished.replace(made)


def _done(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise HipportError(f"{' '.join(command)} failed: {(done.stdout + done.stderr)[-2000:]}")
