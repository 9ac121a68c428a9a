"""The environment variables with which a program runs on the emulator."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hipport.emulate.library import LIBRARY, TARGETS, library_folder
from hipport.errors import UsageError
from hipport.toolchain.places import Surroundings
from hipport.toolchain.target_id import parse

ANY = "any"
"""In place of a target: the GPU that the code objects of the program fit best."""
VARIABLE = "HIPPORT_EMULATE"


def check_target(target: str) -> None:
    """Raise `UsageError` if no GPU of that target ID can be emulated."""
    if target == ANY:
        return
    if target.partition(":")[0] not in TARGETS:
        raise UsageError(f"{target} cannot be emulated", hint=f"Targets: {', '.join(TARGETS)}, {ANY}.")
    parse(target)  # its features


def check_one_target(target: str) -> None:
    """Raise `UsageError` if a processor of that name cannot be emulated."""
    if target not in TARGETS:
        raise UsageError(f"{target} cannot be emulated", hint=f"Targets: {', '.join(TARGETS)}.")


def is_emulated(target: str, present: Mapping[str, str]) -> bool:
    """Return whether the variables of a process are those of `emulated`."""
    return present.get(VARIABLE) == target and LIBRARY in present.get("LD_PRELOAD", "")


def emulated(
    target: str, present: Mapping[str, str], where: Surroundings, progress: Callable[[str], None]
) -> dict[str, str]:
    """Return the variables that put the emulator in the place of HIP's library, before what is `present`.

    Raises `HipportError` if the emulator cannot be built.
    """
    check_target(target)
    folder = library_folder(where, progress)
    # Preloaded, since a path in the program itself would come before LD_LIBRARY_PATH.
    return {
        "LD_PRELOAD": first(str(folder / LIBRARY), present.get("LD_PRELOAD")),
        "LD_LIBRARY_PATH": first(str(folder), present.get("LD_LIBRARY_PATH")),
        VARIABLE: "" if target == ANY else target,
    }


def first(path: str, others: str | None) -> str:
    """Return a search path that begins with `path`."""
    return ":".join([path, *filter(None, [others])])
