"""Compile fixtures once for all workers of pytest-xdist, and take samples of what takes long."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

T = TypeVar("T")
EVERYTHING = bool(os.environ.get("HIPPORT_TEST_ALL"))
"""Set to also run what takes long; without it, tests take samples."""


def sampled(values: Sequence[T], every: int) -> Sequence[T]:
    """Return all values, or one of so many."""
    return values if EVERYTHING else values[::every]


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
