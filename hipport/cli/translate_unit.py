"""`hipport translate-unit`: run by `hipport_add_executable` of the CMake module for each source."""

from __future__ import annotations

from pathlib import Path

import click
from msgspec import Struct

from hipport.cli.common import takes
from hipport.cli.name_options import NameOptions, chosen_names, name_options
from hipport.errors import HipportError

_CACHE = ".translations"
"""The folder of the cache among the translated headers; make runs one process for each source."""


class TranslateUnitOptions(Struct, frozen=True):
    """The options of `hipport translate-unit`."""

    source: str
    output: str
    mirror: str
    depfile: str | None
    include_dirs: tuple[str, ...]
    names: NameOptions


@click.command(name="translate-unit")
@click.argument("source")
@click.option("-o", "output", metavar="FILE", required=True, help="File to write the translation to.")
@click.option("--mirror", metavar="DIR", required=True, help="Folder to write the translations of headers to.")
@click.option("--depfile", metavar="FILE", help="Write the dependencies of the translation, for make and ninja.")
@click.option("-I", "include_dirs", metavar="DIR", multiple=True, help="Search DIR for headers.")
@name_options
@takes(TranslateUnitOptions)
def command(options: TranslateUnitOptions) -> None:
    """Translate SOURCE, and the project's headers that it includes, for a build system.

    A file whose content would not change keeps its timestamp. Findings go to standard error and do not change the exit
    status.
    """
    from hipport.builds import translation_unit
    from hipport.builds.gather import translator

    source, mirror = options.source, Path(options.mirror).absolute()
    names = chosen_names(options.names, (source,))
    translating = translator(names, names.installed or "", mirror / _CACHE, jobs=1)
    folders = [folder for folder in options.include_dirs if folder]
    if not Path(source).is_file():
        raise HipportError(f"cannot read {source}: no such file or directory")
    done = translation_unit.translate_unit(source, Path(options.output), mirror, folders, translating)
    if options.depfile:
        translation_unit.write_depfile(Path(options.depfile), options.output, done.dependencies)
    for found in done.diagnostics:
        where = f"{found.path}:{found.line}:{found.column}"
        click.echo(f"{where}: {found.severity.value}[{found.code}]: {found.message}", err=True)
