"""C++ names of symbols, by the demangler that comes with binutils or LLVM.

A separate program, not a library in this process: the names come from files that nobody vouches for.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable

from hipport.errors import HipportError

_PROGRAMS = ("c++filt", "llvm-cxxfilt")
_SECONDS = 60


def demangle(names: Iterable[str]) -> dict[str, str]:
    """The C++ name of each mangled name; a name that is not mangled stands for itself."""
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
