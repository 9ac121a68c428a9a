"""`--mpi[=WRAPPER]` of `hipport build`: the option, and the messages about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from hipport.cli.common import Function

if TYPE_CHECKING:
    from hipport.builds.request import BuildRequest

_OPTION = "--mpi"


def mpi_option(function: Function) -> Function:
    """Add --mpi to a command, which must call `spelled_out` on its arguments."""
    help_text = (
        "Compile and link with MPI, with the options of its compiler wrapper. Default: mpicxx or its equivalent."
    )
    return click.option(_OPTION, metavar="[=WRAPPER]", help=help_text)(function)


def spelled_out(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with `--mpi` as `--mpi=`: click would take the next word as its value."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return [*(f"{_OPTION}=" if word == _OPTION else word for word in arguments[:end]), *arguments[end:]]


def with_mpi(request: BuildRequest, wrapper: str | None, target: str, *, wanted: bool) -> BuildRequest:
    """Return the request with MPI if the command line, or with `wanted` a project, asks for it.

    `wrapper` is the value of --mpi: None without it, empty if it names none. `target` is that of --target. Raises
    `HipportError`.
    """
    if wrapper is None and not wanted:
        return request
    if request.settings.host_target and not wrapper:
        raise click.UsageError("--mpi finds the MPI of this machine; with --host-target, name a wrapper: --mpi=WRAPPER")
    from hipport.builds import mpi
    from hipport.toolchain.mpi import find_mpi
    from hipport.toolchain.places import Surroundings

    where = Surroundings()
    gpus = mpi.cray_gpus(target, list(request.targets))
    return mpi.with_mpi(request, find_mpi(where, wrapper or ""), where, gpus)


def mpi_found(requests: Sequence[BuildRequest]) -> Iterator[str]:
    """Yield which MPI is used, and that there are others."""
    for found in [request.mpi for request in requests if request.mpi][:1]:
        also = f"; also here: {', '.join(path.name for path in found.others)}" if found.others else ""
        yield f"MPI: {found}{also}"


def mpi_needs(requests: Sequence[BuildRequest], target: str) -> Iterator[str]:
    """Yield what running the built programs requires, for the first of them."""
    from hipport.builds.mpi import run_needs
    from hipport.builds.request import OutputKind

    for request in [one for one in requests if one.mpi and one.kind is OutputKind.EXECUTABLE][:1]:
        yield from run_needs(request, target)
