"""`hipport run`: run a program, on a GPU or emulated."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from hipport.cli.common import takes
from hipport.errors import HipportError, UsageError


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of `hipport run`; `emulate` is a target, "" for any, or None for a GPU."""

    program: str
    arguments: tuple[str, ...]
    emulate: str | None


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("program", metavar="PROGRAM")
@click.argument("arguments", nargs=-1, metavar="[ARGUMENTS]...")
@click.option(
    "--emulate",
    metavar="TARGET",
    help="Run the machine code for TARGET (gfx90a, gfx1030...) on this processor, without a GPU; `any` takes the first "
    "code object that can be run.",
)
@takes(RunOptions)
def command(options: RunOptions) -> None:
    """Run PROGRAM with HIP's runtime library, or with an emulator in its place.

    PROGRAM is an executable as hipport, hipcc or CMake built it; it is not changed. Its host code runs as it is. What
    the emulator lacks stops the program with one line that names it (docs/emulation.md).
    Exit status: that of PROGRAM; 2 for a usage error.
    """
    program = _program(options.program)
    environment = _installed() if options.emulate is None else _emulated(options.emulate)
    try:
        os.execve(program, [options.program, *options.arguments], {**os.environ, **environment})
    except OSError as error:
        raise HipportError(f"{options.program} cannot be run: {error.strerror}") from None


def _program(name: str) -> Path:
    found = Path(name) if os.sep in name or Path(name).is_file() else Path(shutil.which(name) or name)
    if not found.is_file():
        raise UsageError(f"{name}: no such program")
    return found.absolute()


def _emulated(target: str) -> Mapping[str, str]:
    """Return the variables that put the emulator in the place of HIP's library. Raises `HipportError`."""
    from hipport.emulate.library import TARGETS, library_folder
    from hipport.toolchain.places import Surroundings

    if target not in (*TARGETS, "any"):
        raise UsageError(f"{target} cannot be emulated", hint=f"Targets: {', '.join(TARGETS)}, any.")
    folder = library_folder(Surroundings(), lambda text: click.echo(f"hipport: {text}", err=True))
    # Preloaded, since a path in the program itself would come before LD_LIBRARY_PATH.
    preload = [str(folder / "libamdhip64.so"), *filter(None, [os.environ.get("LD_PRELOAD")])]
    return {
        "LD_PRELOAD": ":".join(preload),
        "LD_LIBRARY_PATH": _first(folder),
        "HIPPORT_EMULATE": "" if target == "any" else target,
    }


def _installed() -> Mapping[str, str]:
    """Return the variable with which the program finds the installed HIP library."""
    from hipport.toolchain.hip import find_hip
    from hipport.toolchain.places import Surroundings

    return {"LD_LIBRARY_PATH": _first(find_hip(Surroundings()).library)}


def _first(folder: Path) -> str:
    return ":".join([str(folder), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])])
