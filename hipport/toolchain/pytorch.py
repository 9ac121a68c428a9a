"""Find the PyTorch that is installed beside hipport, without importing it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from hipport import lazy_re as re

_VERSION = re.compile(r"""^__version__ = ['"](\d+(?:\.\d+){1,2})""", re.MULTILINE)
_LONGEST = 4096


def installed_version(paths: Iterable[str] = sys.path, environ: Mapping[str, str] = os.environ) -> str | None:
    """Return the release of PyTorch in the active virtual environment or on Python's path; None without one."""
    for package in _packages(paths, environ):
        try:
            with (package / "version.py").open(encoding="utf-8", errors="replace") as file:
                match = _VERSION.search(file.read(_LONGEST))
        except OSError:
            continue
        if match:
            return match[1]
    return None


def _packages(paths: Iterable[str], environ: Mapping[str, str]) -> Iterable[Path]:
    active = environ.get("VIRTUAL_ENV")
    if active:
        yield from sorted(Path(active).glob("lib/python3*/site-packages/torch"))
    yield from (Path(path, "torch") for path in paths if path)
