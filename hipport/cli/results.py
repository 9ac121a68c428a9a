"""Files for what was measured."""

from __future__ import annotations

from pathlib import Path

from hipport.errors import HipportError


def check_folders(*paths: Path | None) -> None:
    """Refuse, before minutes are spent, to write where there is no folder. Raises `HipportError`."""
    for path in paths:
        if path and not path.parent.is_dir():
            raise HipportError(f"cannot write {path}: there is no folder {path.parent}")


def write(path: Path, text: str) -> None:
    """Write a file. Raises `HipportError`."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise HipportError(f"cannot write {path}: {error.strerror}") from None
