"""`hipport bench p2p`: a matrix of copy rates between GPUs, on the terminal, as JSON and as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from hipport.builds.backends import NAMES, BackendName
from hipport.cli.common import takes
from hipport.cli.results import check_folders, write

if TYPE_CHECKING:
    from hipport.bench.p2p.measurements import Measurements

_File = click.Path(path_type=Path, dir_okay=False)


class P2pOptions(Struct, frozen=True):
    """The options of `hipport bench p2p`."""

    target: BackendName | None
    compiler: str | None
    size: int
    stored: Path | None
    json_path: Path | None
    svg_path: Path | None


@click.command("p2p")
@click.option("--target", type=click.Choice(NAMES), help="Default: the GPUs of this machine, else the CPU.")
@click.option("--compiler", metavar="NAME", help="Compiler for the copying program, as for `hipport build`.")
@click.option(
    "--size",
    type=click.IntRange(1, 65536),
    default=256,
    show_default=True,
    metavar="MIB",
    help="Size of the large copies in MiB.",
)
@click.option(
    "--from",
    "stored",
    type=_File,
    metavar="FILE",
    help="Show the results in a file that --json wrote; measure nothing.",
)
@click.option("--json", "json_path", type=_File, metavar="FILE", help="Write the results to FILE.")
@click.option("--svg", "svg_path", type=_File, metavar="FILE", help="Write a plot of the results to FILE.")
@takes(P2pOptions)
def command(options: P2pOptions) -> None:
    """Measure copies between all pairs of GPUs and within each GPU: large ones, one-way and both ways, and small ones.

    The copies of each pair are checked on the device before they are measured. The copying program is built on first
    use.
    """
    check_folders(options.json_path, options.svg_path)
    if options.stored:
        if options.target or options.compiler or options.json_path:
            raise click.UsageError("--target, --compiler and --json cannot be used with --from, which measures nothing")
        from hipport.bench.p2p.measurements import read_result

        result = read_result(options.stored)
    else:
        result = _measured(options.target, options.compiler, options.size)
    _show(result)
    _write(result, options.json_path, options.svg_path)


def _measured(target: str | None, compiler: str | None, size: int) -> Measurements:
    from hipport.bench.p2p.measure import measure
    from hipport.builds.shipped import choose_target
    from hipport.toolchain.places import Surroundings

    where = Surroundings()
    chosen = choose_target(where, target)
    return measure(chosen, size << 20, where, lambda line: click.echo(line, err=True), compiler)


def _show(result: Measurements) -> None:
    from rich.console import Console

    from hipport.bench.p2p.promises import explanations
    from hipport.bench.p2p.table import tables

    for number, device in enumerate(result.devices):
        click.echo(f"GPU {number}: {device.name}, {device.architecture}, {device.bus}")
    if len(result.devices) == 1:
        click.echo("only one GPU: copies are within its memory")
    for line in explanations(result):
        click.echo(line)
    console = Console()
    for heading, table in tables(result):
        click.echo(heading)
        console.print(table)


def _write(result: Measurements, json_path: Path | None, svg_path: Path | None) -> None:
    from hipport.bench.p2p.measurements import write_result
    from hipport.bench.p2p.picture import svg

    if json_path:
        write_result(json_path, result)
    if svg_path:
        write(svg_path, svg(result))
