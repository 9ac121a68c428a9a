"""Keep the answers of compilers in the user's cache: to ask hipcc takes a fifth of the time of a small build.

An answer counts while the driver, the clang behind it and the files with HIP's version are unchanged (their times and
sizes), and so are the variables that drivers read.
"""

from __future__ import annotations

import os
from pathlib import Path

from hipport.mappings import cache

Answer = tuple[str, str, str, tuple[str, ...]]
"""A compiler's own version, the release of its clang, the path of that clang, the processors."""

_KIND = "compiler"
_VARIABLES = ("HIP", "ROCM", "HSA", "HCC", "CUDA", "DEVICE_LIB", "CCC_", "CLANG", "COMPILER_PATH", "LD_", "PATH")
"""How the names of the variables begin that hipcc, clang or the loader read."""
_VERSIONS = (".hipVersion", "../share/hip/version")
"""Where hipcc reads HIP's version, beside itself."""


def key_of(path: Path, kind: str) -> str:
    """Return the name under which the answer of a compiler is kept, for this environment and these files."""
    real = path.resolve()
    files = (_state(each) for each in (real, *(real.parent / version for version in _VERSIONS)))
    told = (f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith(_VARIABLES))
    texts = (str(path.absolute()), kind, *map(str, files), *told)
    return cache.key(*(text.encode(errors="surrogateescape") for text in texts))


def recall(key: str) -> Answer | None:
    """Return the answer kept under a key, if the clang behind the compiler is the same file as then."""
    kept = cache.read(key, _KIND)
    if kept is None:
        return None
    answer, state = kept
    return answer if state == _state(Path(answer[2])) else None


def remember(key: str, answer: Answer) -> None:
    """Keep an answer, if the user's cache can be written."""
    cache.write(key, (answer, _state(Path(answer[2]))), _KIND)


def _state(path: Path) -> tuple[str, int, int] | None:
    """Return what shows that a file was replaced, or None if there is none."""
    try:
        real = path.resolve()
        status = real.stat()
    except OSError:
        return None
    return str(real), status.st_mtime_ns, status.st_size
