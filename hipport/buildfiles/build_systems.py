"""Recognize build files and their kinds."""

from __future__ import annotations

import enum
import functools

from hipport import lazy_re as re

DEFAULT_TARGETS = ("gfx90a", "gfx1030")
"""Targets by default: a GPU with wavefronts of 64 and one with wavefronts of 32, both known to ROCm since 4.5."""


class BuildSystem(enum.Enum):
    """The build system that reads a file."""

    CMAKE = "cmake"
    MAKE = "make"
    SETUP_PY = "setup_py"
    MESON = "meson"
    BAZEL = "bazel"
    AUTOCONF = "autoconf"
    SHELL = "shell"


_KINDS = (
    (re.compile(r"CMakeLists\.txt|.*\.cmake"), BuildSystem.CMAKE),
    (
        re.compile(r"(?i:gnu)?[mM]akefile([._-].+)?|[mM]ake\.(inc|config|defs?|common|rules)|.*\.(mk|mak|am)"),
        BuildSystem.MAKE,
    ),
    (re.compile(r"setup\.py"), BuildSystem.SETUP_PY),
    (re.compile(r"meson\.build"), BuildSystem.MESON),
    (re.compile(r"configure\.(ac|in)|(?!aclocal|libtool|lt\w+\W|lt~)[\w.-]+\.m4"), BuildSystem.AUTOCONF),
    (re.compile(r"(BUILD|WORKSPACE)(\.bazel)?|MODULE\.bazel|.*\.bzl"), BuildSystem.BAZEL),
    (re.compile(r".*\.(?:sh|bash|slurm|sbatch)"), BuildSystem.SHELL),
)
_IN_ANY_CASE = (b"cuda", b"nvcc", b"gencode", b"nvtoolsext", b"nvrtc", b"nvml")
_PARTS = (b"sm_", b"-lcu", b"-lnccl", b"-arch", b"-Xcompiler", b"nsys", b"nvprof", b"nvidia-smi", b"compute-sanitizer")
_WORDS = (re.compile(rb"\.cu\b"), re.compile(rb"\bncu\b"))
"""Parts of build files that are about CUDA; each is looked for by itself, which takes less time than one pattern."""
_HEADER_TEMPLATE = re.compile(r".*\.(?:cuh?|h|hh|hpp|hxx|c|cc|cpp|cxx|inl)\.cmake")
"""Matches sources from which CMake makes others, `config.h.cmake`."""
_GENERATED = re.compile(r".*\.(o|d|bak|orig|swp|py|txt|hip|cu)")


def is_about_cuda(data: bytes) -> bool:
    """Return whether anything in a build file may have to change; most are unrelated to CUDA."""
    lower = data.lower()
    if any(part in lower for part in _IN_ANY_CASE) or any(part in data for part in _PARTS):
        return True
    return any(pattern.search(data) for pattern in _WORDS)


def kind_of(path: str) -> BuildSystem | None:
    """Return the kind of a build file by its name; None for any other file."""
    return _kind_of(path.rpartition("/")[2])


@functools.lru_cache(maxsize=1 << 14)  # a run asks about each file ten times
def _kind_of(name: str) -> BuildSystem | None:
    if _HEADER_TEMPLATE.fullmatch(name):
        return None
    for pattern, kind in _KINDS:
        if pattern.fullmatch(name):
            return None if kind is BuildSystem.MAKE and _GENERATED.fullmatch(name) else kind
    return None
