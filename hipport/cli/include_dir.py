"""`hipport include-dir`."""

from __future__ import annotations

import click


@click.command()
def command() -> None:
    """Print the folder of hipport's own headers, for a compiler's -I.

    Needed for translations whose headers were not copied: of --stdout, --diff and --no-support-headers.
    """
    from hipport.support import include_dir

    click.echo(include_dir())
