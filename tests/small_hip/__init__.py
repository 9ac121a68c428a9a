"""A small HIP for builds of AMD code whose subject is not HIP's headers.

Nine tenths of what compilers do for a small kernel is to read HIP's headers and those of the C++ library that they
include. `SMALL_HIP` has variables with which clang, also the one that hipcc starts, finds `include/hip/hip_runtime.h`
first, and does not include its own wrapper of HIP's headers. Command lines and sources stay as they are. The header
declares what these tests use; programs are linked with the real library.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from tests import served

SMALL_HIP: Mapping[str, str] = MappingProxyType(
    {
        "CPATH": str(Path(__file__).parent / "include"),
        "CCC_OVERRIDE_OPTIONS": "# ^-nogpuinc ^-Qunused-arguments",  # `#`: without a word about it
    }
)


def hipport(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `hipport build` with the small HIP."""
    return served.hipport("build", *arguments, cwd=cwd, env={**os.environ, **SMALL_HIP, **environment})


def built(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `hipport build`, which must succeed, with the small HIP."""
    done = hipport(*arguments, cwd=cwd, **environment)
    assert done.returncode == 0, done.stderr
    return done
