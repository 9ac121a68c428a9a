"""Compile the emulator for this machine, and cache it in the user's cache folder."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hipport
from hipport.builds.cpu.compiler import CxxCompiler, find_compiler
from hipport.builds.shipped import cache_folder
from hipport.emulate.exports import functions
from hipport.errors import HipportError
from hipport.files.atomic import naming
from hipport.files.locks import locked
from hipport.support import include_dir
from hipport.toolchain.places import Surroundings
from hipport.toolchain.process import run

NATIVE = Path(__file__).parent / "native"
TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1151", "gfx1201")
"""The processors that have an instruction table."""
LIBRARY = "libamdhip64.so"
RELEASES = (5, 6, 7)
"""The releases of HIP whose programs look for the library under a name of their own."""

COMPANIONS: Mapping[str, tuple[str, tuple[int, ...]]] = {
    "hipblas": ("hipblas/hipblas.h", (0, 1, 2, 3)),
    "hipfft": ("hipfft/hipfft.h", (0,)),
    "rccl": ("rccl/rccl.h", (1,)),
    "hipsparse": ("hipsparse/hipsparse.h", (0, 1)),
    "hipsolver": ("hipsolver/hipsolver.h", (0, 1)),
    "hiprand": ("hiprand/hiprand.h", (1,)),
    "MIOpen": ("miopen/miopen.h", (1,)),
}
"""The libraries that run as on the CPU target: their headers there, and the releases in their file names."""

_PREFIXES = {"rccl": "nccl"}
"""The prefixes of functions that are not the name of their library."""
_RTC = "libhiprtc.so"
_TIMEOUT = 600
# A product and a sum are two roundings on AMD GPUs, unless the instruction says otherwise.
_FLAGS = ("-std=c++20", "-fPIC", "-fvisibility=default", "-ffp-contract=off", "-march=native", "-w")
_FAST = "-O3"
_SMALL = "-O1"
"""Compiles in two thirds of the time."""
# What runs once for a program, a kernel or a call of the host, by the names of its files.
_ONCE = (
    "allowed", "api_", "avx", "block_versions", "compressed", "emit", "findings", "fuse", "inspect", "linear",
    "local_loads", "operation_text", "tool_report", "translator", "trace", "values", "vectors",
)  # fmt: skip
_TOGETHER = "api_"
"""What the names of files begin with that are compiled as two: most of their time is that of HIP's headers."""


def library_folder(where: Surroundings, progress: Callable[[str], None]) -> Path:
    """Return the folder with the emulator as HIP's runtime library, from the cache if possible.

    `progress` receives status messages. Raises `HipportError` if there is no C++ compiler or it fails.
    """
    compiler = find_compiler(where, prefer_gcc=True)
    folder = folder_for(where)
    if (folder / LIBRARY).exists():
        return folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / ".lock", wait=True):
            if not (folder / LIBRARY).exists():
                progress("building the emulator, on first use")
                _build(compiler, folder)
    except OSError as error:
        hint = "Set XDG_CACHE_HOME to use another cache folder."
        raise HipportError(f"cannot write to {folder}: {error.strerror}", hint=hint) from None
    return folder


def folder_for(where: Surroundings) -> Path:
    """Return the folder that `library_folder` returns, without building anything."""
    return cache_folder("emulator") / _key(find_compiler(where, prefer_gcc=True))


def _sources() -> Iterator[Path]:
    yield from sorted(path for path in NATIVE.rglob("*") if path.is_file())
    yield from sorted(path for path in (include_dir() / "cpu").rglob("*.h"))


def _key(compiler: CxxCompiler) -> str:
    """Return a hash of everything that the library depends on; the processor is part of it for -march=native."""
    parts = hashlib.sha256(
        repr((hipport.__version__, compiler.command, _FLAGS, _FAST, _SMALL, _ONCE, _TOGETHER, _processor())).encode()
    )
    for path in _sources():
        parts.update(path.read_bytes())
    return parts.hexdigest()[:16]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line for line in lines if line.lower().startswith(("flags", "features"))), "")


def _flags(source: Path) -> tuple[str, ...]:
    return (*_FLAGS, _SMALL if source.name.startswith(_ONCE) else _FAST)


def _units(folder: Path) -> Iterator[Path]:
    """Yield the files to compile, those that include others first, as they take longest."""
    together = sorted(NATIVE.glob(f"{_TOGETHER}*.cpp"))
    for number in range(2):
        unit = folder / f"{_TOGETHER}{number}.cpp"
        with naming(unit):
            unit.write_text("".join(f'#include "{path}"\n' for path in together[number::2]), encoding="utf-8")
        yield unit
    yield from sorted({*NATIVE.glob("*.cpp")} - {*together})


def _build(compiler: CxxCompiler, folder: Path) -> None:
    sources = list(_units(folder))
    objects = [folder / f"{source.stem}.o" for source in sources]
    common = [*compiler.command, "-DHIPPORT_WAVE_SIZE=64", "-I", str(include_dir() / "cpu"), "-I", str(NATIVE)]
    commands = [
        [*common, *_flags(source), "-c", str(source), "-o", str(made)]
        for source, made in zip(sources, objects, strict=True)
    ]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        list(pool.map(_perform, commands))
    unfinished = folder / f"{LIBRARY}.new"
    script = f"-Wl,--version-script={NATIVE / 'versions.map'}"
    _perform([*compiler.command, "-shared", script, *map(str, objects), "-o", str(unfinished), "-ldl", "-lpthread"])
    for made in (*objects, *(source for source in sources if source.parent == folder)):
        made.unlink()
    for name in (LIBRARY, _RTC):
        for link in (folder / f"{name}.{release}" for release in RELEASES):
            link.unlink(missing_ok=True)
            link.symlink_to(LIBRARY)
    unfinished.rename(folder / LIBRARY)


def companion_folder(stem: str, where: Surroundings, progress: Callable[[str], None]) -> Path:
    """Return the folder with a library of COMPANIONS for the emulator, from the cache if possible.

    Raises `HipportError` like `library_folder`.
    """
    compiler = find_compiler(where, prefer_gcc=True)
    folder = folder_for(where) / stem
    if not (folder / f"lib{stem}.so").exists():
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / ".lock", wait=True):
            if not (folder / f"lib{stem}.so").exists():
                progress(f"building {stem} for the emulator, on first use")
                _build_companion(compiler, stem, folder)
    return folder


def _build_companion(compiler: CxxCompiler, stem: str, folder: Path) -> None:
    """Compile the functions of a header of the CPU target with their C names."""
    header, releases = COMPANIONS[stem]
    source, product = folder / "exports.cpp", folder / f"lib{stem}.so"
    common = [*compiler.command, *_FLAGS, "-DHIPPORT_WAVE_SIZE=64", "-I", str(include_dir() / "cpu"), "-I", str(NATIVE)]
    start = f'#include <{header}>\n#include "exports.h"\n'
    with naming(source):
        source.write_text(start)
    _perform([*common, "-E", "-P", str(source), "-o", str(folder / "exports.ii")])
    found = dict(reversed(list(functions((folder / "exports.ii").read_text()))))  # the first of each name
    prefix = _PREFIXES.get(stem, stem.lower())
    own = sorted(name for name in found if name.lower().startswith(prefix))
    with naming(source):
        source.write_text(start + "".join(f"{found[name]}\n" for name in own))
    unfinished = folder / f"lib{stem}.so.new"
    _perform([*common, "-O1", "-shared", str(source), "-o", str(unfinished), "-ldl", "-lpthread"])
    for release in releases:
        link = folder / f"lib{stem}.so.{release}"
        link.unlink(missing_ok=True)
        link.symlink_to(product.name)
    unfinished.rename(product)


def _perform(command: list[str]) -> None:
    done = run(command, _TIMEOUT)
    if done is None or done.status != 0:
        said = "" if done is None else "".join(f"\n  {line}" for line in done.stderr.splitlines()[:10])
        raise HipportError(f"the emulator cannot be compiled: {command[0]} failed{said}")
