"""Finds a C++ compiler for the CPU target."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from hipport.errors import HipportError, UsageError
from hipport.toolchain.hosts import CrossTools, HostTarget, cross_tools
from hipport.toolchain.places import Surroundings, natural, program_folders, programs

_KINDS = ("clang++", "g++")
_NAME = re.compile(r"(clang\+\+|g\+\+)(-\d+)?")


@dataclass(frozen=True, slots=True)
class CxxCompiler:
    """A C++ compiler and which of the two it is; `host` is what it compiles for if not this machine, `ar` its `ar`."""

    path: Path
    kind: str
    host: HostTarget | None = None
    ar: str = "ar"

    @property
    def command(self) -> tuple[str, ...]:
        """How every command begins; clang++ compiles for all hosts and is told which."""
        told = (f"--target={self.host.triple}",) if self.host and self.kind == "clang++" else ()
        return (str(self.path), *told)


def find_compiler(where: Surroundings, wanted: str | None = None, *, prefer_gcc: bool = False) -> CxxCompiler:
    """The compiler that was asked for, else the newest clang++, else g++. Raises `HipportError`.

    g++ always comes with its sanitizers and OpenMP, which are packages of their own for clang++: `prefer_gcc` turns
    them round.
    """
    if wanted and os.sep in wanted:
        return _at(Path(wanted))
    kinds = _KINDS[::-1] if prefer_gcc else _KINDS
    found = next(_named(kinds, wanted or "", where), None)
    if found is None:
        raise HipportError(
            f"found no {wanted or 'clang++ or g++'} for the CPU target",
            hint="Debian and Ubuntu: apt-get install g++ or clang. --compiler takes a name or a path.",
        )
    return found


def find_cross_compiler(host: HostTarget, where: Surroundings, wanted: str | None = None) -> CxxCompiler:
    """The cross compiler for a host, or the clang++ that was asked for with its libraries. Raises `HipportError`."""
    tools = cross_tools(host, where)
    chosen = find_compiler(where, wanted) if wanted and "clang" in wanted else _cross(wanted, tools)
    return replace(chosen, host=host, ar=str(tools.ar))


def _cross(wanted: str | None, tools: CrossTools) -> CxxCompiler:
    if wanted not in (None, "g++", str(tools.gxx), tools.gxx.name):
        raise UsageError(f"{wanted} does not compile for {tools.host.triple}", hint=f"{tools.gxx} and clang++ do.")
    return CxxCompiler(tools.gxx, "g++")


def _at(path: Path) -> CxxCompiler:
    kind = _NAME.match(path.name)
    if kind is None or not os.access(path, os.X_OK):
        raise HipportError(
            f"{path} is no clang++ or g++ that can be run", hint="The CPU target needs one of these two compilers."
        )
    return CxxCompiler(path, kind[1])


def _named(kinds: tuple[str, ...], name: str, where: Surroundings) -> Iterator[CxxCompiler]:
    folders = list(program_folders(where))
    for kind in kinds:
        names = sorted({kind, *_versioned(kind, folders)}, key=lambda item: (item == kind, natural(Path(item))))
        for path in programs(folders, [name] if name else reversed(names)):
            if path.name.startswith(kind):
                yield CxxCompiler(path, kind)


def _versioned(kind: str, folders: list[Path]) -> Iterator[str]:
    return (path.name for folder in folders for path in folder.glob(f"{kind}-*") if _NAME.fullmatch(path.name))
