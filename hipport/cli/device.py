"""Options for the GPUs that device code is checked for, shared by several commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

_Function = TypeVar("_Function", bound=Callable[..., Any])


def device_options(function: _Function) -> _Function:
    """Add --wave-size and --fix to a command."""
    wave_size = click.option(
        "--wave-size",
        type=click.Choice(["auto", "32", "64"]),
        default="auto",
        show_default=True,
        help="Lanes of a wavefront on the GPUs meant: 64 on gfx9, 32 on gfx10 and later; auto: right on both.",
    )
    fix = click.option("--fix", is_flag=True, help="Carry out the quick fixes of diagnostics that have one.")
    return wave_size(fix(function))


def device_settings(options: dict[str, Any]) -> dict[str, Any]:
    """Return these options as arguments of `hipport.context.Options`."""
    wave_size = options["wave_size"]
    return {"wave_size": 0 if wave_size == "auto" else int(wave_size), "fix": options["fix"]}
