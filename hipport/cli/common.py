"""Options shared by several commands."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import PurePath
from typing import Any, TypeVar

import click
from msgspec import Struct

Function = TypeVar("Function", bound=Callable[..., Any])
"""A command, to which a decorator adds options."""
_Options = TypeVar("_Options", bound=Struct)


def takes(kind: type[_Options]) -> Callable[[Callable[[_Options], None]], Callable[..., None]]:
    """Have click call a command with one instance of `kind`, a struct with a field for each parameter.

    A field whose type is a struct takes the parameters that this one has fields for: a group of shared options.
    """

    def decorate(function: Callable[[_Options], None]) -> Callable[..., None]:
        @functools.wraps(function)
        def callback(**parameters: object) -> None:
            options = _taken(kind, parameters)
            if parameters:
                raise TypeError(f"{kind.__name__} has no field for {', '.join(parameters)}")
            function(options)

        return callback

    return decorate


def _taken(kind: type[_Options], parameters: dict[str, object]) -> _Options:
    """Build a struct from the parameters that it has fields for, and remove these from `parameters`."""
    known = vars(sys.modules[kind.__module__])
    values = {
        name: _taken(known[written], parameters) if _is_struct(known.get(written)) else parameters.pop(name)
        for name, written in kind.__annotations__.items()
    }
    return kind(**values)


def _is_struct(type_: Any) -> bool:
    return isinstance(type_, type) and issubclass(type_, Struct)


def quiet_option(function: Function) -> Function:
    """Add -q to a command: what it prints on standard error is limited to errors."""
    option = click.option("-q", "--quiet", is_flag=True, help="Print errors only: no warnings, notes or totals.")
    return option(function)


def jobs_option(function: Function) -> Function:
    """Add -j, the number of translating processes, to a command."""
    option = click.option(
        "-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="Number of processes. Default: one per processor."
    )
    return option(function)


def reports_option(*formats: str) -> Callable[[Function], Function]:
    """Return a decorator that adds --report to a command; `formats` are the suffixes that it takes."""
    *most, last = formats
    named = f"{', '.join(most)} or {last}"

    def checked(_context: click.Context, _parameter: click.Parameter, files: tuple[str, ...]) -> tuple[str, ...]:
        for file in files:
            if file != "-" and PurePath(file).suffix.lower() not in (*formats, ".htm"):
                raise click.BadParameter(f"{file!r} has no suffix that says its format: {named}")
        return files

    return click.option(
        "--report",
        "reports",
        metavar="FILE",
        multiple=True,
        callback=checked,
        help=f"Also write the report to FILE, whose suffix says the format: {named}; - prints JSON. Repeatable.",
    )
