"""Options for the names to translate to, shared by the commands that translate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import click
from msgspec import Struct

from hipport.cli.common import Function

if TYPE_CHECKING:
    from hipport.mappings.choice import NameChoice

_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--rocm", metavar="REL", help="ROCm release to translate for. Default: the installed one, else the newest."
    ),
    click.option("--cuda", metavar="REL", help="CUDA release of the sources. Default: any."),
    click.option(
        "--libs",
        type=click.Choice(["hip", "roc"]),
        help="Translate to hip libraries (hipBLAS) or roc libraries (rocBLAS).",
    ),
    click.option(
        "--torch",
        metavar="REL",
        help="PyTorch release that extensions are for. Default: the installed one, else the newest.",
    ),
    click.option("--mappings", metavar="FILE", multiple=True, help="YAML file with additional names; repeatable."),
)


class NameOptions(Struct, frozen=True):
    """The values of `name_options`."""

    rocm: str | None
    cuda: str | None
    libs: Literal["hip", "roc"] | None
    torch: str | None
    mappings: tuple[str, ...]


def name_options(function: Function) -> Function:
    """Add --rocm, --cuda, --libs, --torch and --mappings to a command."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def chosen_names(options: NameOptions, inputs: Sequence[str], *, look: bool = True) -> NameChoice:
    """Return the names chosen by the options, or else by the project's settings, or else by the installed HIP.

    `look` is False if the installed HIP need not be searched for, as a build already knows it.
    """
    from hipport.mappings.choice import NameChoice
    from hipport.project.settings import find_settings

    settings = find_settings(inputs)
    rocm, torch = options.rocm or settings.rocm, options.torch or settings.torch
    return NameChoice(
        rocm=rocm,
        cuda=options.cuda or settings.cuda,
        flavour=options.libs or settings.libs or "hip",
        overlays=(*settings.mappings, *options.mappings),
        installed=_installed() if look and rocm is None else None,
        torch=torch,
        installed_torch=_installed_torch() if torch is None else None,
    )


def _installed() -> str | None:
    from hipport.toolchain.hip import installed_version
    from hipport.toolchain.places import Surroundings

    return installed_version(Surroundings())


def _installed_torch() -> str | None:
    from hipport.toolchain.pytorch import installed_version

    return installed_version()
