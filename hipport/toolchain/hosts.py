"""Hosts that code can be cross-compiled for, with Debian's cross compilers."""

from __future__ import annotations

import platform
from pathlib import Path

from msgspec import Struct

from hipport.errors import HipportError, UsageError
from hipport.toolchain.places import Surroundings, natural, program_folders, programs


class HostTarget(Struct, frozen=True):
    """A host by its GNU `triple`; `machine` is its `uname -m`."""

    triple: str
    machine: str

    @property
    def package(self) -> str:
        """Debian's package with compiler, linker, C and C++ libraries for this host."""
        return f"g++-{self.triple.replace('_', '-')}"


_ROWS = (
    HostTarget("aarch64-linux-gnu", "aarch64"),
    HostTarget("riscv64-linux-gnu", "riscv64"),
    HostTarget("x86_64-linux-gnu", "x86_64"),
)
HOSTS = {row.triple: row for row in _ROWS}
"""All rows by triple."""


class CrossTools(Struct, frozen=True):
    """The cross compiler for a host, and its `ar`."""

    host: HostTarget
    gxx: Path
    ar: Path


def host_target(triple: str) -> HostTarget | None:
    """Return the host with a triple; None for this machine's own. Raises `UsageError` for an unknown triple."""
    row = HOSTS.get(triple)
    if row is None:
        raise UsageError(f"unknown host {triple!r}", hint=f"Supported hosts: {', '.join(HOSTS)}.")
    return None if row.machine == platform.machine() else row


def cross_tools(host: HostTarget, where: Surroundings) -> CrossTools:
    """Find the newest cross compiler for a host. Raises a `HipportError` that names its package."""
    return CrossTools(host, _find(host, "g++", where), _find(host, "ar", where))


def _find(host: HostTarget, name: str, where: Surroundings) -> Path:
    folders = list(program_folders(where))
    plain = f"{host.triple}-{name}"
    versioned = {path.name for folder in folders for path in folder.glob(f"{plain}-[0-9]*")}
    names = [plain, *sorted(versioned, key=lambda found: natural(Path(found)), reverse=True)]
    found = next(programs(folders, names), None)
    if found is None:
        raise HipportError(
            f"cannot find {plain}, which building for {host.triple} needs",
            hint=f"Debian and Ubuntu: apt-get install {host.package}",
        )
    return found
