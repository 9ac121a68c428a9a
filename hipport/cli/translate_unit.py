"""`hipport translate-unit`: run by `hipport_add_executable` of the CMake module for each source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from hipport.cli.names import chosen_names, name_options
from hipport.errors import HipportError


@click.command(name="translate-unit")
@click.argument("source")
@click.option("-o", "output", metavar="FILE", required=True, help="Where the translation goes.")
@click.option("--mirror", metavar="DIR", required=True, help="Where the translations of headers go.")
@click.option("--depfile", metavar="FILE", help="Write what the translation depends on, for make and ninja.")
@click.option("-I", "include_dirs", metavar="DIR", multiple=True, help="Look for headers in DIR.")
@name_options
def command(
    source: str, output: str, mirror: str, depfile: str | None, include_dirs: tuple[str, ...], **options: Any
) -> None:
    """Translate SOURCE, and the headers of the project that it includes, for a build system.

    A file that would stay the same keeps its date. Findings go to standard error; the compiler has the last word.
    """
    from hipport.build import translation_unit
    from hipport.build.gather import tables_converter

    names = chosen_names(options, (source,))
    convert = tables_converter(names.installed or "", names)
    folders = [folder for folder in include_dirs if folder]
    try:
        done = translation_unit.translate_unit(source, Path(output), Path(mirror).absolute(), folders, convert)
    except OSError as error:
        raise HipportError(f"{source}: cannot be read: {(error.strerror or str(error)).lower()}") from None
    if depfile:
        translation_unit.write_depfile(Path(depfile), output, done.dependencies)
    for found in done.diagnostics:
        where = f"{found.path}:{found.line}:{found.column}"
        click.echo(f"{where}: {found.severity.value}[{found.code}]: {found.message}", err=True)
