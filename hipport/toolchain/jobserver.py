"""The job slots of a `make -j` that started hipport.

make names them in MAKEFLAGS: by the path of a FIFO, or by two file descriptors
(https://www.gnu.org/software/make/manual/html_node/POSIX-Jobserver.html). Commands that hipport starts inherit no
descriptors unless they are passed on, and ninja refuses to start if those that MAKEFLAGS names are closed.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping

_PIPE = re.compile(r"(?<!\S)--jobserver-(?:auth|fds)=(-?\d+),(-?\d+)(?!\S)\s*")


def jobserver_pipe(environ: Mapping[str, str]) -> tuple[int, int] | None:
    """Return the descriptors of the pipe that MAKEFLAGS names, if both are open here; None for a FIFO or no jobserver.

    make opens the pipe only to recipes that it takes for another make: those with `+` or `$(MAKE)`.
    """
    named = _PIPE.findall(environ.get("MAKEFLAGS", ""))
    # make itself uses the last.
    return (int(named[-1][0]), int(named[-1][1])) if named and all(map(_is_pipe, map(int, named[-1]))) else None


def without_pipe(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for a command that does not inherit the pipe."""
    flags = environ.get("MAKEFLAGS", "")
    kept = _PIPE.sub("", flags)
    return dict(environ) if kept == flags else {**environ, "MAKEFLAGS": kept}


def _is_pipe(descriptor: int) -> bool:
    try:
        return stat.S_ISFIFO(os.fstat(descriptor).st_mode)
    except OSError:
        return False
