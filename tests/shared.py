"""Compile fixtures once for all workers of pytest-xdist."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def shared_folder(factory: pytest.TempPathFactory) -> Path:
    """Return a folder of this session that all workers share."""
    base = factory.getbasetemp()
    return base.parent if base.name.startswith("popen-") else base


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """Return the shared folder of that name; the first worker fills it with `make`."""
    folder = shared_folder(factory) / name
    done = folder.with_name(f"{name}.done")
    with folder.with_name(f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)  # what failed for another worker
            folder.mkdir()
            make(folder)
            done.touch()
    return folder
