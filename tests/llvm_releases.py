"""The LLVM releases that tests compile with: those that `scripts/install_tools.sh test` installs on this system."""

from __future__ import annotations

import shutil
from pathlib import Path

from hipport.toolchain.compilers import describe

_FIRST = 19
"""The oldest release that knows gfx942, gfx12 and generic targets, which some tests need."""


def _behind_hipcc() -> int:
    """Return the release of the clang behind hipcc; without hipcc, Debian 12's, so that tests report it missing."""
    path = shutil.which("hipcc")
    hipcc = describe(Path(path)) if path else None
    return int(hipcc.clang.split(".")[0]) if hipcc else 15


def _newer() -> int:
    """Return the oldest installed release from 19 on that has a bundler."""
    installed = (release for release in range(_FIRST, 40) if _bundler(release).exists())
    return next(installed, _FIRST)


def _bundler(release: int) -> Path:
    return Path(f"/usr/lib/llvm-{release}/bin/clang-offload-bundler")


HIPCC = _behind_hipcc()
NEWER = _newer()
RELEASES = tuple(dict.fromkeys((HIPCC, NEWER)))
