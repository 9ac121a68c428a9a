"""Check that MPI supports device buffers: Open MPI built with ROCm, or with a UCX built with ROCm."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.doctor.findings import Area, Finding, ok, warning
from hipport.doctor.machine import Machine
from hipport.doctor.releases import release_of
from hipport.doctor.tree import TreeUse

TITLE = "MPI and device buffers"
AREA = Area.LIBRARIES
_OWN = re.compile(r"(accelerator|extensions?)[:=].*\brocm\b", re.IGNORECASE)
_UCX = re.compile(r"pml:ucx", re.IGNORECASE)
_MPI_HEADERS = ("mpi.h", "mpi-ext.h")


def run(machine: Machine) -> Iterator[Finding]:
    """Ask Open MPI and UCX how they were built, unless the tree does not use MPI."""
    if machine.tree is not None and not _is_used(machine.tree):
        return
    ompi_info = machine.program("ompi_info")
    answer = machine.ask([ompi_info, "--parsable", "--all"]) if ompi_info else None
    if answer is not None and answer.status == 0:
        yield from _open_mpi(machine, answer.stdout)
    elif machine.tree is not None and machine.program("mpicc") is None:
        yield warning(
            "the tree includes mpi.h, but mpicc is not on PATH",
            "Install Open MPI with a UCX that was built with ROCm, or load your site's module",
        )


def _open_mpi(machine: Machine, said: str) -> Iterator[Finding]:
    if _OWN.search(said):
        yield ok("Open MPI was built with ROCm")
    elif _UCX.search(said) and _has_rocm(machine):
        yield ok("Open MPI supports AMD GPUs through UCX: mpirun --mca pml ucx")
    else:
        yield warning(
            f"this Open MPI ({machine.program('ompi_info')}) does not support AMD GPUs: passing it device buffers "
            "crashes the program",
            f"Build UCX {_oldest_ucx(machine)}or newer with --with-rocm and Open MPI with --with-ucx, "
            "or copy to the host before each call",
        )


def _has_rocm(machine: Machine) -> bool:
    """Return whether UCX has transports for ROCm."""
    ucx_info = machine.program("ucx_info")
    answer = machine.ask([ucx_info, "-d"]) if ucx_info else None
    return answer is not None and "rocm" in answer.stdout


def _oldest_ucx(machine: Machine) -> str:
    """Return the oldest UCX for the installed ROCm, followed by a blank; empty if it is unknown."""
    row = release_of(machine.hip.version) if machine.hip else None
    return f"{row.ucx} " if row and row.ucx else ""


def _is_used(tree: TreeUse) -> bool:
    return any(operand in _MPI_HEADERS for operand, _ in tree.includes)
