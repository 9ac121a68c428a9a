"""Find compilers and query their kind, version and supported processors."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from msgspec import Struct

from hipport.errors import UsageError
from hipport.toolchain import remembered
from hipport.toolchain.places import Surroundings, natural, program_folders, programs
from hipport.toolchain.process import run

Kind = Literal["hipcc", "amdclang++", "clang++"]
KINDS: tuple[Kind, ...] = ("hipcc", "amdclang++", "clang++")
"""Best first: hipcc knows its installation; AMD's own clang++ matches its device libraries."""

_CLANG_VERSION = re.compile(r"clang version (\d+(?:\.\d+)*)")
_HIP_VERSION = re.compile(r"HIP version: (\S+)")
_FRONT_END = re.compile(r'^ *"([^"]+)" "-cc1" ', re.MULTILINE)
_CPU = re.compile(r"^\s+(gfx\S+)$", re.MULTILINE)
_ASK_FOR_FRONT_END = ("-###", "-x", "c++", "-c", os.devnull)
_ASK_FOR_CPUS = ("--target=amdgcn-amd-amdhsa", "-nogpulib", "--print-supported-cpus")


class Compiler(Struct, frozen=True):
    """A compiler that was found and can be run.

    `version` is its own version (HIP's for hipcc), `clang` the release of the clang behind it, `clang_folder` the
    folder of that clang and of the rest of its LLVM, `processors` the supported gfx names.
    """

    kind: Kind
    path: Path
    version: str
    clang: str
    clang_folder: Path
    processors: frozenset[str]

    def __str__(self) -> str:
        inner = f", clang {self.clang}" if self.kind == "hipcc" else ""
        return f"{self.kind} {self.version}{inner} ({self.path})"


@functools.cache
def describe(path: Path, kind: Kind | None = None) -> Compiler | None:
    """Query a compiler; return None if it does not answer like hipcc or clang, or has no AMDGPU back end."""
    key = remembered.key_of(path, kind or "")
    answer = remembered.recall(key)
    if answer is None:
        answer = _ask(path, kind)
        if answer is None:
            return None
        remembered.remember(key, answer)
    version, clang, front_end, processors = answer
    is_amd = path.name.startswith("amdclang")
    name = kind or ("hipcc" if _is_hipcc(path, kind) else "amdclang++" if is_amd else "clang++")
    return Compiler(name, path, version, clang, Path(front_end).parent, frozenset(processors))


def _ask(path: Path, kind: Kind | None) -> remembered.Answer | None:
    answer = run([path, "--version"])
    clang = _CLANG_VERSION.search(answer.stdout) if answer else None
    front_end = _front_end(path) if clang else None
    if answer is None or clang is None or front_end is None:
        return None
    processors = _processors(front_end)
    hip = _HIP_VERSION.search(answer.stdout) if _is_hipcc(path, kind) else None
    if not processors or (_is_hipcc(path, kind) and hip is None):
        return None
    return (hip or clang)[1], clang[1], str(front_end), tuple(sorted(processors))


def _is_hipcc(path: Path, kind: Kind | None) -> bool:
    return kind == "hipcc" or path.name.startswith("hipcc")


def _front_end(path: Path) -> Path | None:
    """Return the clang that a compiler driver, including hipcc, starts to compile a file."""
    answer = run([path, *_ASK_FOR_FRONT_END])
    found = _FRONT_END.search(answer.stderr + answer.stdout) if answer else None
    return Path(found[1]) if found else None


@functools.cache
def _processors(clang: Path) -> frozenset[str]:
    """Return the gfx names that a clang supports. hipcc cannot be asked: since 5.7 it turns the query into an error."""
    answer = run([clang, *_ASK_FOR_CPUS])
    return frozenset(_CPU.findall(answer.stdout + answer.stderr)) if answer else frozenset()


def _names(kind: Kind, folders: list[Path]) -> list[str]:
    """Return the file names of a kind; Debian's include the release: clang++-15."""
    versioned = {path.name for folder in folders for path in folder.glob(f"{kind}-[0-9]*")}
    return [kind, *sorted(versioned, key=lambda name: natural(Path(name)), reverse=True)]


def find(where: Surroundings, kinds: tuple[Kind, ...] = KINDS) -> Iterator[Compiler]:
    """Yield all compilers of these kinds, best first; each is only queried when the iteration reaches it."""
    folders = list(dict.fromkeys(program_folders(where)))
    for kind in kinds:
        for path in programs(folders, _names(kind, folders)):
            compiler = describe(path, kind)
            if compiler is not None:
                yield compiler


def named(choice: str, where: Surroundings) -> Iterator[Compiler]:
    """Yield the compilers that `--compiler` names: those of a kind, or the one at a path. Raises `UsageError`."""
    for kind in KINDS:
        if choice == kind:
            yield from find(where, (kind,))
            return
    path = next(programs([Path(), *program_folders(where)] if "/" not in choice else [Path()], [choice]), None)
    if path is None:
        raise UsageError(f"unknown compiler {choice!r}", hint=f"Name one of {', '.join(KINDS)}, or a path.")
    compiler = describe(path)
    if compiler is None:
        raise UsageError(f"{choice} is neither hipcc nor a clang++ with the AMDGPU back end")
    yield compiler
