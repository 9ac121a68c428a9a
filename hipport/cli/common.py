"""Options shared by several commands."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import is_dataclass
from typing import Any, TypeVar, get_type_hints

import click

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Options = TypeVar("_Options")


def takes(kind: type[_Options]) -> Callable[[Callable[[_Options], None]], Callable[..., None]]:
    """Have click call a command with one instance of `kind`, a dataclass with a field for each parameter.

    A field whose type is a dataclass takes the parameters that this one has fields for: a group of shared options.
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
    """Build a dataclass from the parameters that it has fields for, and remove these from `parameters`."""
    types: dict[str, type[object]] = get_type_hints(kind)
    values = {
        name: _taken(type_, parameters) if is_dataclass(type_) else parameters.pop(name)
        for name, type_ in types.items()
    }
    return kind(**values)


def jobs_option(function: _Function) -> _Function:
    """Add -j, the number of translating processes, to a command."""
    option = click.option(
        "-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="Number of processes. Default: one per processor."
    )
    return option(function)


def reports_option(function: _Function) -> _Function:
    """Add --report to a command that reports findings."""
    option = click.option(
        "--report",
        "reports",
        metavar="FILE",
        multiple=True,
        help="Also write the report to FILE: .sarif, .html, else JSON; - prints JSON. Repeatable.",
    )
    return option(function)
