"""Demangle C++ symbol names with the demangler of binutils or LLVM.

It runs as a separate program, not as a library in this process: the names come from untrusted files.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable

from hipport.errors import HipportError

_PROGRAMS = ("c++filt", "llvm-cxxfilt")
_SECONDS = 60


def demangle(names: Iterable[str]) -> dict[str, str]:
    """Map each mangled name to its C++ name; other names are left out. Raises `HipportError`."""
    program = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if program is None:
        raise HipportError("no demangler found", hint=f"Install one of {', '.join(_PROGRAMS)}, or omit --demangle.")
    mangled = [name for name in dict.fromkeys(names) if name.startswith("_Z") and name.isprintable()]
    try:
        done = subprocess.run(
            [program], input="\n".join(mangled), capture_output=True, text=True, check=True, timeout=_SECONDS
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise HipportError(f"{program} failed: {error}", hint="Omit --demangle.") from error
    return dict(zip(mangled, done.stdout.splitlines(), strict=False))
