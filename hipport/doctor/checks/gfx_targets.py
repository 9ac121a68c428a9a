"""Check that a compiler supports the gfx targets."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.doctor.findings import Area, Finding, error, ok, warning
from hipport.doctor.machine import Machine
from hipport.doctor.releases import releases_for
from hipport.toolchain.compilers import Compiler
from hipport.toolchain.target_id import near_miss
from hipport.toolchain.targets import TARGETS

TITLE = "gfx targets"
AREA = Area.COMPILERS


def run(machine: Machine) -> Iterator[Finding]:
    """Ask every compiler which processors it supports."""
    if not machine.compilers:
        return
    known = []
    for processor in dict.fromkeys(target.processor for target in machine.targets):
        knowing = [compiler for compiler in machine.compilers if processor in compiler.processors]
        if machine.compilers[0] in knowing:
            known.append(processor)
        else:
            yield _unknown(processor, machine.compilers[0], knowing)
    if known:
        yield ok(f"{machine.compilers[0].kind} supports {', '.join(known)}")


def _unknown(processor: str, first: Compiler, knowing: list[Compiler]) -> Finding:
    if knowing:
        return warning(
            f"{first.kind} does not support {processor}, but {knowing[0]} does",
            f"`hipport build` chooses it automatically; elsewhere use {knowing[0].path}",
        )
    return error(f"no compiler on this machine supports {processor}", _advice(processor))


def _advice(processor: str) -> str:
    row = TARGETS.get(processor)
    if row is None:
        return near_miss(processor)
    releases = releases_for(processor)
    rocm = f", or ROCm {releases[0]} or newer" if releases else ""
    return f"Install clang of {row.releases}{rocm}"
