"""`hipport include-dir`."""

from __future__ import annotations

from pathlib import Path

import click
from msgspec import Struct

from hipport.cli.common import takes


class IncludeDirOptions(Struct, frozen=True):
    """The options of `hipport include-dir`."""

    names: Path | None


@click.command()
@click.option(
    "--nvidia",
    "names",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the headers that map HIP names to CUDA names to DIR, and print all folders that nvcc needs, one per "
    "line.",
)
@takes(IncludeDirOptions)
def command(options: IncludeDirOptions) -> None:
    """Print the path of hipport's headers, for a compiler's -I.

    Translations made with --stdout, --diff or --no-support-headers need it: no headers were copied for them.
    """
    from hipport.support import include_dir

    names = options.names
    if names is not None:
        from hipport.builds.nvidia.headers import by_hand, write_headers

        write_headers(names)
        click.echo(by_hand())
        click.echo(names)
    click.echo(include_dir())
