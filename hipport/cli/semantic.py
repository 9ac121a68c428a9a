"""Options for resolving names with libclang, shared by the commands that translate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from hipport.cli.common import Function
from hipport.errors import UsageError

if TYPE_CHECKING:
    from hipport.project.request import Semantic

_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option("--semantic", is_flag=True, help="Resolve names with libclang."),
    click.option("-p", "database", metavar="DIR", help="Folder with compile_commands.json; implies --semantic."),
    click.option("-I", "include_dirs", metavar="DIR", multiple=True, help="With --semantic: search DIR for headers."),
    click.option("-D", "defined", metavar="NAME[=VALUE]", multiple=True, help="With --semantic: define a macro."),
)


class SemanticOptions(Struct, frozen=True):
    """The values of `semantic_options`."""

    semantic: bool
    database: str | None
    include_dirs: tuple[str, ...]
    defined: tuple[str, ...]


def semantic_options(function: Function) -> Function:
    """Add --semantic, -p, -I and -D to a command."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def chosen_semantic(options: SemanticOptions, inputs: Sequence[str]) -> Semantic | None:
    """Return the libclang settings of the options, or else of the project; None if neither asks for it."""
    from hipport.project.request import Semantic
    from hipport.project.settings import find_settings

    settings = find_settings(inputs)
    asked = options.semantic or options.database is not None
    if not (asked or settings.semantic):
        if options.include_dirs or options.defined:
            raise UsageError("-I and -D need --semantic: without it, headers are not read", hint="Give --semantic.")
        return None
    if "-" in inputs:
        if asked:
            raise UsageError("standard input cannot be translated with --semantic", hint="Omit --semantic and -p.")
        return None
    flags = [f"-I{Path(folder).absolute()}" for folder in options.include_dirs]
    flags += [f"-D{macro}" for macro in options.defined]
    database = options.database or settings.compile_commands
    return Semantic(database, (*settings.compile_flags, *flags), settings.folder)
