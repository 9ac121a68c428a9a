"""Say what to do about an error of a build that has a known cause outside the sources."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from hipport.port.failures import Failure
from hipport.toolchain.libraries import Library, load_libraries

_ADVICE = "Fix the source or the translation; `hipport update` keeps edits of the translation."
_MISSING = re.compile(r"'(?P<header>[^']+)' file not found")
_PACKAGE = re.compile(r"the (?:package|library) (?P<name>\S+) is not installed")
_SUBMODULE = re.compile(r"^\s*path\s*=\s*(?P<path>\S.*?)\s*$", re.MULTILINE)
_OPENMP = "Clang has a header and library of its own for OpenMP: install them for its version (Debian: libomp-NN-dev)."
_COMMAND = re.compile(r'\bUnknown CMake command "')
_PLATFORM = re.compile(r"[Mm]ust define exactly one of __HIP_PLATFORM")
_VARIABLE = re.compile(r"\b(?:set|specify|provide|define) (?:the )?(?:\w+ )?variable\b", re.IGNORECASE)


def advice(failure: Failure, tree: str) -> str:
    """Return what to do about an error of the build of `tree`, the folder of the CUDA project."""
    for module in _absent_submodules(tree):
        if module in failure.message or Path(module).name in re.split(r"[^\w.+-]+", failure.message):
            return f"{module} is a git submodule that is not checked out: git submodule update --init --recursive"
    missing = _MISSING.search(failure.message)
    header = missing["header"] if missing else ""
    if header == "omp.h":
        return _OPENMP
    package = _PACKAGE.search(failure.message)
    name = header.partition("/")[0] if header else package["name"] if package else ""
    if (library := load_libraries().get(name)) is not None:
        return _installing(library)
    if _COMMAND.search(failure.message):
        return "The file that defines it is missing: where the project downloads it, the log says why that failed."
    if _PLATFORM.search(failure.message):
        return "Compile it with -D__HIP_PLATFORM_AMD__: hipcc and CMake's hip::host do that, host compilers do not."
    if _VARIABLE.search(failure.message):
        return "Give the project's variables with -D NAME=VALUE."
    return _ADVICE


def _absent_submodules(tree: str) -> Iterator[str]:
    """Yield the paths of git submodules whose folders are empty or not there."""
    try:
        text = Path(tree, ".gitmodules").read_text("utf-8", "replace")
    except OSError:
        return
    for match in _SUBMODULE.finditer(text):
        folder = Path(tree, match["path"])
        if not folder.is_dir() or not any(folder.iterdir()):
            yield match["path"]


def _installing(library: Library) -> str:
    debian = f"; Debian {library.since} or newer: {library.debian}" if library.debian else ""
    return f"Install it. ROCm's package: {library.rocm}{debian}."
