"""A compiler for AMD GPUs, HIP's headers, runtime and device libraries are there."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hipport.doctor.machine import Machine
from hipport.doctor.model import Area, Finding, error, ok
from hipport.errors import HipportError
from hipport.toolchain.choice import choose
from hipport.toolchain.hip import find_hip

TITLE = "compiler and HIP"
AREA = Area.COMPILERS


def run(machine: Machine) -> Iterator[Finding]:
    """Look for them as a build does."""
    if machine.compilers:
        yield ok(f"{machine.compilers[0]}")
    else:
        yield from _failure(lambda: choose((), machine.where))
    if machine.hip is not None:
        yield ok(f"HIP {machine.hip.version or 'of an unknown version'} ({machine.hip.root})")
    else:
        yield from _failure(lambda: find_hip(machine.where))


def _failure(look: Callable[[], object]) -> Iterator[Finding]:
    """What a build would say."""
    try:
        look()
    except HipportError as missing:
        yield error(str(missing), missing.hint or "")
