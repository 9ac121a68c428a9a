"""Options shared by several commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

_Function = TypeVar("_Function", bound=Callable[..., Any])


def jobs_option(function: _Function) -> _Function:
    """Add -j, the number of translating processes, to a command."""
    option = click.option(
        "-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="Processes; one per processor if not given."
    )
    return option(function)


def reports_option(function: _Function) -> _Function:
    """Add --report to a command that reports findings."""
    option = click.option(
        "--report",
        "reports",
        metavar="FILE",
        multiple=True,
        help="Also write the report to FILE: .sarif, .html, else JSON; - is JSON on standard output. Repeatable.",
    )
    return option(function)
