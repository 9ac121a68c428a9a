"""`hipport cmake-dir`."""

from __future__ import annotations

import click


@click.command()
def command() -> None:
    """Print the path of hipport's CMake files, for CMAKE_PREFIX_PATH and CMAKE_TOOLCHAIN_FILE."""
    from hipport.support import cmake_dir

    click.echo(cmake_dir())
