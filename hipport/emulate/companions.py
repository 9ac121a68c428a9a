"""Libraries such as hipBLAS for programs that run on the emulator."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from hipport.emulate.library import COMPANIONS, companion_folder
from hipport.toolchain.places import Surroundings
from hipport.toolchain.shared_libraries import needed

_STEM = re.compile(r"lib(\w+)\.so")


def with_companions(
    program: Path, variables: Mapping[str, str], where: Surroundings, progress: Callable[[str], None]
) -> dict[str, str]:
    """Return `variables` with the folders of the libraries that the program needs first in LD_LIBRARY_PATH.

    They are those of the CPU target, even where AMD's are installed. Raises `HipportError` if one cannot be built.
    """
    stems = [match[1] for name in needed(program, variables) if (match := _STEM.match(name)) and match[1] in COMPANIONS]
    folders = [str(companion_folder(stem, where, progress)) for stem in dict.fromkeys(stems)]
    path = [*folders, *filter(None, [variables.get("LD_LIBRARY_PATH")])]
    return {**variables, "LD_LIBRARY_PATH": os.pathsep.join(path)}
