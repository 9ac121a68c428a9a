"""Options for builds on several machines."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
from msgspec import Struct

from hipport.cli.common import Function

if TYPE_CHECKING:
    from hipport.builds.engine import Engine


class SchedulerOptions(Struct, frozen=True):
    """The values of `scheduler_options`."""

    scheduler: Literal["dask", "slurm"] | None
    address: str | None
    scheduler_options: tuple[str, ...]


def scheduler_options(function: Function) -> Function:
    """Add --scheduler, --address and --scheduler-option to a command."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


_OPTIONS = (
    click.option(
        "--scheduler",
        type=click.Choice(["dask", "slurm"]),
        help="Compile on the workers of a Dask scheduler, or in Slurm jobs.",
    ),
    click.option("--address", metavar="ADDRESS", help="Address of the Dask scheduler: tcp://HOST:8786."),
    click.option(
        "--scheduler-option",
        "scheduler_options",
        metavar="KEY=VALUE",
        multiple=True,
        help="For Slurm: partition, account, qos, constraint, minutes, memory, cpus, interface, python; for both: "
        "wait.",
    ),
)


@contextlib.contextmanager
def chosen_engine(options: SchedulerOptions, jobs: int | None, logs: Path, *, dry_run: bool) -> Iterator[Engine | None]:
    """Yield the engine for the options, None for this machine only. `logs` is the folder for Slurm output."""
    _check(options)
    if options.scheduler is None or dry_run:
        yield None
        return
    from hipport.builds.scheduler.engine import ScheduledEngine
    from hipport.builds.scheduler.options import read_options

    chosen = read_options(options.scheduler, options.scheduler_options)
    if options.address:  # only with Dask
        from hipport.builds.scheduler.dask_pool import PATIENCE, connected

        patience = PATIENCE if chosen.wait is None else chosen.wait
        with connected(options.address, patience, jobs) as pool:
            yield ScheduledEngine(pool)
    else:
        from hipport.builds.scheduler.slurm_pool import allocated

        with allocated(chosen, jobs, logs) as workers:
            yield ScheduledEngine(workers)


def _check(options: SchedulerOptions) -> None:
    if options.scheduler == "dask" and not options.address:
        raise click.UsageError("--scheduler dask needs --address, such as tcp://HOST:8786")
    if options.scheduler != "dask" and options.address:
        raise click.UsageError("--address needs --scheduler dask")
    if options.scheduler is None and options.scheduler_options:
        raise click.UsageError("--scheduler-option needs --scheduler")
