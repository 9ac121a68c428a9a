"""Write files with measurements."""

from __future__ import annotations

from pathlib import Path

from hipport.errors import HipportError


def check_folders(*paths: Path | None) -> None:
    """Raise `HipportError` if a folder does not exist, before minutes are spent on measurements."""
    for path in paths:
        if path and not path.parent.is_dir():
            raise HipportError(f"cannot write {path}: {path.parent} is not a folder")


def write(path: Path, text: str) -> None:
    """Write a file. Raises `HipportError`."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise HipportError(f"cannot write {path}: {error.strerror}") from None
