"""Find a C++ compiler for the CPU target."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from hipport.errors import HipportError, UsageError
from hipport.toolchain.hosts import CrossTools, HostTarget, cross_tools
from hipport.toolchain.places import Surroundings, natural, program_folders, programs
from hipport.toolchain.process import run as run_tool

_KINDS = ("clang++", "g++")
_NO_HEADERS = (
    "clang++ uses those of the newest gcc that it finds (see clang++ -v). Debian and Ubuntu: apt-get install "
    "g++, or libstdc++-N-dev for gcc N."
)
_NAME = re.compile(r"(clang\+\+|g\+\+)(-\d+)?")


@dataclass(frozen=True, slots=True)
class CxxCompiler:
    """A C++ compiler: `kind` is clang++ or g++, `host` its target if not this machine, `ar` the matching archiver."""

    path: Path
    kind: str
    host: HostTarget | None = None
    ar: str = "ar"

    @property
    def command(self) -> tuple[str, ...]:
        """Return how every command starts; clang++, which can compile for all hosts, gets a --target."""
        told = (f"--target={self.host.triple}",) if self.host and self.kind == "clang++" else ()
        return (str(self.path), *told)


def find_compiler(
    where: Surroundings, wanted: str | None = None, *, prefer_gcc: bool = False, host: HostTarget | None = None
) -> CxxCompiler:
    """Return the requested compiler, or else the newest clang++ or g++ that finds a C++ library, clang++ first.

    g++ always comes with its sanitizers and OpenMP, which are separate packages for clang++: `prefer_gcc` reverses
    the order. `host` is the target it must find a C++ library for if not this machine. Raises `HipportError` if there
    is none.
    """
    kinds = _KINDS[::-1] if prefer_gcc else _KINDS
    named = iter([_at(Path(wanted))]) if wanted and os.sep in wanted else _named(kinds, wanted or "", where)
    unusable = []
    for compiler in (replace(found, host=host) for found in named):
        if _finds_headers(compiler, where):
            return compiler
        unusable.append(str(compiler.path))
    if unusable:
        raise HipportError(f"{', '.join(unusable)}: the C++ standard library's headers are missing", hint=_NO_HEADERS)
    raise HipportError(
        f"no {wanted or 'clang++ or g++'} found for the CPU target",
        hint="Debian and Ubuntu: apt-get install g++ or clang. Or name a compiler with --compiler.",
    )


def _finds_headers(compiler: CxxCompiler, where: Surroundings) -> bool:
    """Return whether a compiler finds the standard library: clang++ may pick a gcc installed without one."""
    command = (*compiler.command, "-x", "c++", "-fsyntax-only", "-include", "cstddef", os.devnull)
    done = run_tool(command, environ=where.environ)
    return done is None or done.status == 0


def find_cross_compiler(host: HostTarget, where: Surroundings, wanted: str | None = None) -> CxxCompiler:
    """Return the cross compiler for a host, or the requested clang++ with its libraries.

    Raises `HipportError` if one is missing, `UsageError` if `wanted` does not compile for the host.
    """
    tools = cross_tools(host, where)
    clang = wanted if wanted and "clang" in wanted else None
    chosen = find_compiler(where, clang, host=host) if clang else _cross(wanted, tools)
    return replace(chosen, host=host, ar=str(tools.ar))


def _cross(wanted: str | None, tools: CrossTools) -> CxxCompiler:
    if wanted not in (None, "g++", str(tools.gxx), tools.gxx.name):
        raise UsageError(f"{wanted} does not compile for {tools.host.triple}", hint=f"Use {tools.gxx} or clang++.")
    return CxxCompiler(tools.gxx, "g++")


def _at(path: Path) -> CxxCompiler:
    kind = _NAME.match(path.name)
    if kind is None or not os.access(path, os.X_OK):
        raise HipportError(f"{path} is not a working clang++ or g++", hint="The CPU target needs clang++ or g++.")
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
