"""`hipport init`."""

from __future__ import annotations

import os
from pathlib import Path

import click
from msgspec import Struct

from hipport.cli.common import takes
from hipport.errors import HipportError, UsageError

_FILE = "hipport.toml"
_SHOWN = 5


class InitOptions(Struct, frozen=True):
    """The options of `hipport init`."""

    folder: str
    database: str | None
    stdout: bool
    force: bool


@click.command()
@click.argument("folder", default=".", metavar="[FOLDER]")
@click.option("-p", "database", metavar="DIR", help="Folder with compile_commands.json, relative to FOLDER.")
@click.option("--stdout", is_flag=True, help="Print the draft instead of writing it.")
@click.option("--force", is_flag=True, help="Overwrite an existing hipport.toml.")
@takes(InitOptions)
def command(options: InitOptions) -> None:
    """Draft FOLDER/hipport.toml from the project's CMakeLists.txt or compile_commands.json.

    Nothing of the project is run. Read the draft before you use it: CMake's conditions are not evaluated.
    """
    from hipport.init.draft import draft

    folder = Path(options.folder)
    if not folder.is_dir():
        raise UsageError(f"{options.folder!r} is not a folder", hint="Give the folder of a project.")
    if options.database is not None and not (folder / options.database / "compile_commands.json").is_file():
        raise UsageError(f"{str(folder / options.database)!r} has no compile_commands.json")
    made = draft(folder, options.database)
    if not made.origin and not _has_sources(folder):
        hint = "Give the folder of a project with a CMakeLists.txt, a compile_commands.json or CUDA sources."
        raise UsageError(f"there is nothing to draft from in {options.folder!r}", hint=hint)
    if options.stdout:
        click.echo(made.text, nl=False)
        return
    _write(folder / _FILE, made.text, force=options.force)
    click.echo(f"hipport: wrote {folder / _FILE}{f', from {made.origin}' if made.origin else ''}", err=True)
    if made.left_out:
        more = f" and {len(made.left_out) - _SHOWN} more" if len(made.left_out) > _SHOWN else ""
        click.echo(
            f"hipport: left out targets without device code, or with sources that do not exist yet: "
            f"{', '.join(made.left_out[:_SHOWN])}{more}",
            err=True,
        )
    click.echo(f"hipport: next: hipport check {options.folder}", err=True)


def _has_sources(folder: Path) -> bool:
    """Return whether there is a build file or a source below a folder; stops at the first."""
    from hipport.buildfiles.build_systems import kind_of
    from hipport.files.sources import is_source

    return any(is_source(name) or kind_of(name) is not None for _, _, names in os.walk(folder) for name in names)


def _write(path: Path, text: str, *, force: bool) -> None:
    try:
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise HipportError(f"{path} exists", hint="Use --force to overwrite it, --stdout to see a draft.") from None
    except OSError as error:
        raise HipportError(f"cannot write {path}: {error.strerror}") from None
