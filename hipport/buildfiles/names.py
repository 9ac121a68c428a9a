"""Which files are build files, and of what kind."""

from __future__ import annotations

import enum
import posixpath
import re

DEFAULT_TARGETS = ("gfx90a", "gfx1030")
"""What is built for unless the user says so: one GPU with wavefronts of 64 and one of 32, known to ROCm since 4.5."""


class Kind(enum.Enum):
    """What reads a build file."""

    CMAKE = "cmake"
    MAKE = "make"
    SETUP_PY = "setup_py"


_KINDS = (
    (re.compile(r"CMakeLists\.txt|.*\.cmake"), Kind.CMAKE),
    (re.compile(r"(?i:gnu)?[mM]akefile([._-].+)?|[mM]ake\.(inc|config|defs?|common|rules)|.*\.(mk|mak)"), Kind.MAKE),
    (re.compile(r"setup\.py"), Kind.SETUP_PY),
)
_ABOUT_CUDA = re.compile(rb"(?i:cuda|nvcc|gencode|nvtoolsext|nvrtc|nvml)|\.cu\b|sm_|-lcu|-lnccl|-arch|-Xcompiler")
_GENERATED = re.compile(r".*\.(o|d|bak|orig|swp|am|in|py|txt|hip|cu)")


def is_about_cuda(data: bytes) -> bool:
    """Whether anything in a build file may have to change; most of them have nothing to do with CUDA."""
    return _ABOUT_CUDA.search(data) is not None


def kind_of(path: str) -> Kind | None:
    """The kind of a build file by its name; None for any other file."""
    name = posixpath.basename(path)
    for pattern, kind in _KINDS:
        if pattern.fullmatch(name):
            return None if kind is Kind.MAKE and _GENERATED.fullmatch(name) else kind
    return None
