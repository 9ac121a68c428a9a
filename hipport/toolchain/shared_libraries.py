"""Find the shared libraries that a program needs."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from hipport.errors import HipportError
from hipport.toolchain.places import Surroundings, rocm_roots
from hipport.toolchain.process import run

_NEEDED = re.compile(r"^\s*(\S+) =>", re.M)
_MISSING = re.compile(r"^\s*(\S+) => not found", re.M)
_NO_VERSION = re.compile(r": (\S+): version `(\S+)' not found", re.M)
_STEM = re.compile(r"lib([\w-]+?)(?:64)?\.so")
_INTERPRETER = 3  # PT_INTERP


def library_path(program: Path, variables: Mapping[str, str], where: Surroundings) -> str:
    """Return LD_LIBRARY_PATH with the folders of all libraries that a program needs and its own path does not find.

    `variables` are those that it will run with. Raises `HipportError` for a library that is not there.
    """
    folders = list(filter(None, variables.get("LD_LIBRARY_PATH", "").split(":")))
    if not is_dynamic(program):
        return ":".join(folders)
    while missing := _missing(program, {**variables, "LD_LIBRARY_PATH": ":".join(folders)}):
        found = {str(folder) for name in missing for folder in _holding(name, program, where)}
        if found <= set(folders):
            raise _lacking(program, missing)
        folders += sorted(found - set(folders))
    return ":".join(folders)


def needed(program: Path, variables: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the shared libraries that a program loads at its start, found or not."""
    if not is_dynamic(program):
        return ()
    done = run([program], environ={**variables, "LD_TRACE_LOADED_OBJECTS": "1"})
    return tuple(_NEEDED.findall(done.stdout)) if done else ()


def is_dynamic(program: Path) -> bool:
    """Return whether the dynamic linker loads a file: a 64-bit ELF file that names it."""
    try:
        with program.open("rb") as file:
            head = file.read(64)
            if len(head) < 64 or head[:5] != b"\x7fELF\x02":
                return False
            (start,) = struct.unpack_from("<Q", head, 32)
            size, count = struct.unpack_from("<HH", head, 54)
            file.seek(start)
            table = file.read(size * count)
    except OSError:
        return False
    return any(struct.unpack_from("<I", table, at)[0] == _INTERPRETER for at in range(0, len(table) - 3, max(size, 1)))


def _missing(program: Path, variables: Mapping[str, str]) -> list[str]:
    """Return the libraries that the dynamic linker does not find; raise `HipportError` for one that is too old."""
    done = run([program], environ={**variables, "LD_TRACE_LOADED_OBJECTS": "1"})
    if done is None:
        return []
    if too_old := _NO_VERSION.search(done.stdout + done.stderr):
        raise HipportError(f"{program.name} needs a newer {Path(too_old[1]).name}: it lacks {too_old[2]}")
    return _MISSING.findall(done.stdout)


def _holding(name: str, program: Path, where: Surroundings) -> Iterator[Path]:
    """Yield the first folder that holds a library: by the program, of ROCm or of CUDA."""
    yield from (folder for folder in _folders(program, where) if (folder / name).is_file())


def _folders(program: Path, where: Surroundings) -> Iterator[Path]:
    own = program.resolve().parent
    yield from (own, own.parent / "lib")
    for root in rocm_roots(where):
        yield from (root / "lib", root / "lib64", *sorted(root.glob("lib/*-linux-gnu")))
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if value := where.environ.get(variable):
            yield Path(value) / "lib64"
    yield from sorted((where.root / "usr/local").glob("cuda*/lib64"), reverse=True)


def _lacking(program: Path, names: Iterable[str]) -> HipportError:
    from hipport.toolchain.libraries import load_libraries

    known, hints = load_libraries(), []
    for name in names:
        stem = _STEM.match(name)
        library = known.get(stem[1].lower()) if stem else None
        if library is not None:
            debian = f"Debian: apt-get install {library.debian}. " if library.debian else ""
            hints.append(f"{debian}ROCm's own packages: {library.rocm}.")
        elif name.startswith("libamdhip64"):
            hints.append("That is HIP's library. `hipport run --emulate` runs the program without it.")
    hint = " ".join([*dict.fromkeys(hints), "Installed elsewhere? Add its folder to LD_LIBRARY_PATH."])
    return HipportError(f"{program.name} needs {', '.join(names)}, not found on this machine", hint=hint)
