"""The folder in which programs are built and run."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from hipport.errors import UsageError

_MARK = ".hipport-verify"


@contextlib.contextmanager
def workplace(wanted: str | None) -> Iterator[Path]:
    """Yield a temporary folder, or the given one, which is kept and reused the next time.

    Raises `UsageError` if that contains other files: runs remove what earlier ones left.
    """
    if wanted is None:
        with tempfile.TemporaryDirectory(prefix="hipport-verify-", ignore_cleanup_errors=True) as name:
            yield Path(name)
        return
    folder = Path(wanted)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()) and not (folder / _MARK).is_file():
            raise UsageError(f"{wanted} contains other files", hint="Name an empty or a new folder.")
        (folder / _MARK).touch()
    except OSError as error:
        raise UsageError(f"cannot use {wanted}: {error.strerror}") from None
    yield folder
