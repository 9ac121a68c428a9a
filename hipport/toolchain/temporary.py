"""A temporary folder for compilers.

hipcc and clang leave an empty folder behind in TMPDIR for each target of a compilation for several, and partial files
when they are killed.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping

_VARIABLE = "TMPDIR"


@contextlib.contextmanager
def own_temporary_folder(environ: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Yield the environment with a new folder as TMPDIR, which is deleted afterwards with what is in it.

    A folder stays if a compiler crashed and wrote there what reproduces it: its message names those files. Without
    space for a folder the environment stays as it is.
    """
    folder = _made(environ)
    if folder is None:
        yield dict(environ)
        return
    try:
        yield {**environ, _VARIABLE: folder}
    finally:
        _remove(folder)


def _made(environ: Mapping[str, str]) -> str | None:
    import tempfile  # here: 5 ms, which a command that runs no compiler need not spend

    named = environ.get(_VARIABLE, "")
    try:
        return tempfile.mkdtemp(prefix="hipport-", dir=os.path.abspath(named) if os.path.isdir(named) else None)  # noqa: PTH100, PTH112
    except OSError:
        return None


def _remove(folder: str) -> None:
    import shutil

    # clang writes NAME.sh beside the preprocessed source.
    with contextlib.suppress(OSError):
        if any(name.endswith(".sh") for name in os.listdir(folder)):  # noqa: PTH208
            return
    shutil.rmtree(folder, ignore_errors=True)
