"""The cache folder of a session of tests, in which what takes long to compile is what other folders have already.

Compiled headers, runtimes and the emulator lie in the user's cache, under names that tell all that they are made of.
The shipped CUDA code is built by this code of hipport, so that it lies in a folder for exactly this code.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from hipport.builds.shipped import cache_folder
from hipport.emulate.library import folder_for
from hipport.toolchain.places import Surroundings
from tests.shared import made_once

ROOT = Path(__file__).parents[1]
_KEPT = ROOT / "build" / "tests"
_STATES = 2
"""Of how many states of the code builds are kept; those of one take 100 MB."""
_OF_USER = ("cpu-headers", "cpu-runtime", "cpu-checks")
_SHIPPED = ("engine", "kernels", "p2p-program")


def session_cache(factory: pytest.TempPathFactory) -> Path:
    """Return a folder for `XDG_CACHE_HOME`, the same for all workers."""
    return made_once(factory, "session-cache", _fill)


def _fill(folder: Path) -> None:
    built = _KEPT / _state()
    links = {name: cache_folder(name) for name in _OF_USER} | {name: built / name for name in _SHIPPED}
    emulator = folder_for(Surroundings())
    for name, place in (links | {f"emulator/{emulator.name}": emulator}).items():
        link = folder / "hipport" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        place.mkdir(parents=True, exist_ok=True)
        link.symlink_to(place)
    built.touch()
    _forget_others()


def _state() -> str:
    """Return a hash of everything that builds depend on, but the compilers, which their names tell."""
    found = hashlib.sha256()
    for path in sorted(_sources()):
        found.update(f"{path.relative_to(ROOT)}\n".encode() + hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:16]


def _sources() -> Iterator[Path]:
    for folder in ("hipport", "mappings"):
        files = (path for path in (ROOT / folder).rglob("*") if path.suffix != ".pyc")
        yield from (path for path in files if path.is_file())


def _forget_others() -> None:
    newest = sorted(_KEPT.iterdir(), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for path in newest[_STATES:]:
        shutil.rmtree(path, ignore_errors=True)
