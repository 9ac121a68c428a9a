"""The lines after a build that succeeded: its programs, how to run one, and how to follow changes of sources."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from hipport.counts import count_of
from hipport.toolchain.shared_libraries import is_dynamic

_NAMED = 3
"""Programs to name; the rest is counted."""
_REGISTERS = b"__hipRegisterFatBinary"
"""The function of HIP's library that a program with kernels calls at its start."""


def next_steps(place: str, tree: str, output: str) -> Iterator[str]:
    """Yield how to go on with what was built in the folder `place` from `output`, the translation of `tree`.

    Every command can be pasted into the shell that ran `hipport port`.
    """
    if found := programs(place):
        rest = len(found) - _NAMED
        more = f" and {count_of(rest, 'more program')}" if rest > 0 else ""
        yield f"hipport: next: run {', '.join(map(shlex.quote, found[:_NAMED]))}{more}"
        yield f"  on an AMD GPU:  {shlex.join(('hipport', 'run', found[0]))}"
        yield f"  without a GPU:  {shlex.join(('hipport', 'run', '--emulate', found[0]))}"
        yield "  after changes of the CUDA code: run `hipport port` again, or translate only:"
    else:
        yield "hipport: after changes of the CUDA code, port it again, or translate only:"
    yield f"  {shlex.join(('hipport', 'update', tree, output))}"


def programs(place: str) -> list[str]:
    """Return the programs with kernels below a folder, sorted, as paths that a shell does not look up in PATH."""
    paths = (str(Path(folder, name)) for folder, _, names in os.walk(place) for name in names)
    found = sorted(path for path in paths if os.access(path, os.X_OK) and _has_kernels(Path(path)))
    return [path if os.sep in path else f"./{path}" for path in found]


def _has_kernels(path: Path) -> bool:
    return is_dynamic(path) and _REGISTERS in path.read_bytes()
