"""Compile the emulator for this machine, and cache it in the user's cache folder."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hipport
from hipport.builds.cpu.compiler import CxxCompiler, find_compiler
from hipport.builds.shipped import cache_folder
from hipport.errors import HipportError
from hipport.files.locks import locked
from hipport.support import include_dir
from hipport.toolchain.places import Surroundings
from hipport.toolchain.process import run

NATIVE = Path(__file__).parent / "native"
TARGETS = ("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201")
"""The processors that have an instruction table."""
LIBRARY = "libamdhip64.so"
RELEASES = (5, 6, 7)
"""The releases of HIP whose programs look for the library under a name of their own."""

_TIMEOUT = 600
# A product and a sum are two roundings on AMD GPUs, unless the instruction says otherwise.
_FLAGS = ("-std=c++20", "-O2", "-fPIC", "-fvisibility=default", "-ffp-contract=off", "-march=native", "-w")


def library_folder(where: Surroundings, progress: Callable[[str], None]) -> Path:
    """Return the folder with the emulator as HIP's runtime library, from the cache if possible.

    `progress` receives status messages. Raises `HipportError` if there is no C++ compiler or it fails.
    """
    compiler = find_compiler(where, prefer_gcc=True)
    folder = cache_folder("emulator") / _key(compiler)
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


def _sources() -> Iterator[Path]:
    yield from sorted(path for path in NATIVE.rglob("*") if path.is_file())
    yield from sorted(path for path in (include_dir() / "cpu").rglob("*.h"))


def _key(compiler: CxxCompiler) -> str:
    """Return a hash of everything that the library depends on; the processor is part of it for -march=native."""
    parts = hashlib.sha256(repr((hipport.__version__, compiler.command, _FLAGS, _processor())).encode())
    for path in _sources():
        parts.update(path.read_bytes())
    return parts.hexdigest()[:16]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line for line in lines if line.lower().startswith(("flags", "features"))), "")


def _build(compiler: CxxCompiler, folder: Path) -> None:
    sources = sorted(NATIVE.glob("*.cpp"))
    objects = [folder / f"{source.stem}.o" for source in sources]
    common = [*compiler.command, *_FLAGS, "-DHIPPORT_WAVE_SIZE=64", "-I", str(include_dir() / "cpu")]
    commands = [[*common, "-c", str(source), "-o", str(made)] for source, made in zip(sources, objects, strict=True)]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        list(pool.map(_perform, commands))
    unfinished = folder / f"{LIBRARY}.new"
    script = f"-Wl,--version-script={NATIVE / 'versions.map'}"
    _perform([*compiler.command, "-shared", script, *map(str, objects), "-o", str(unfinished), "-ldl", "-lpthread"])
    for made in objects:
        made.unlink()
    for release in RELEASES:
        link = folder / f"{LIBRARY}.{release}"
        link.unlink(missing_ok=True)
        link.symlink_to(LIBRARY)
    unfinished.rename(folder / LIBRARY)


def _perform(command: list[str]) -> None:
    done = run(command, _TIMEOUT)
    if done is None or done.status != 0:
        said = "" if done is None else "".join(f"\n  {line}" for line in done.stderr.splitlines()[:10])
        raise HipportError(f"the emulator cannot be compiled: {command[0]} failed{said}")
