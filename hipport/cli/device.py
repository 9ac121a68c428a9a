"""Options for the GPUs that device code is checked for, shared by several commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click
from msgspec import Struct

from hipport.cli.common import Function

if TYPE_CHECKING:
    from hipport.translate.context import WaveSize


class DeviceOptions(Struct, frozen=True):
    """The values of `device_options`."""

    wave_size: Literal["auto", "32", "64"] | None
    fix: bool

    @property
    def lanes(self) -> WaveSize:
        """Return the wavefront size for `hipport.translate.context.Options`."""
        sizes: dict[str, WaveSize] = {"auto": 0, "32": 32, "64": 64}
        return sizes[self.wave_size or "auto"]


def wave_size_option(function: Function) -> Function:
    """Add --wave-size to a command."""
    option = click.option(
        "--wave-size",
        type=click.Choice(["auto", "32", "64"]),
        help="Lanes per wavefront of the target GPUs: 64 on gfx9, 32 on gfx10 and later; auto (default): both.",
    )
    return option(function)


def device_options(function: Function) -> Function:
    """Add --wave-size and --fix to a command."""
    fix = click.option("--fix", is_flag=True, help="Apply the quick fixes of diagnostics that have one.")
    return wave_size_option(fix(function))
