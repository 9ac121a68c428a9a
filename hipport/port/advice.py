"""Say what to do about an error of a build that has a known cause outside the sources."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator
from pathlib import Path

from hipport.port.failures import Failure
from hipport.toolchain.libraries import Library, load_libraries

_ADVICE = "Fix the source or the translation; `hipport update` keeps edits of the translation."
_MISSING = re.compile(r"'(?P<header>[^']+)' file not found")
_PACKAGE = re.compile(r"the (?P<kind>package|library) (?P<name>\S+) is not installed")
_SUBMODULE = re.compile(r"^\s*path\s*=\s*(?P<path>\S.*?)\s*$", re.MULTILINE)
_OPENMP = "Clang has a header and library of its own for OpenMP: install them for its version (Debian: libomp-NN-dev)."
_COMMAND = re.compile(r'\bUnknown CMake command "')
_PROGRAM = re.compile(r"the program (?P<name>\S+) is not installed")
_LANGUAGE = re.compile(r"no compiler for the language (\w+) was found")
_COMPILERS = {"C": "gcc", "CXX": "g++", "Fortran": "gfortran"}
_DEBIAN = {name: f"Debian: {name}" for name in ("gcc", "g++", "gfortran", "bison", "flex", "ninja-build", "libtool")}
_DOWNLOAD = re.compile(r"Failed to clone repository: '(?P<url>[^']+)'|(?:Build|CMake) step for (?P<step>\w+) failed")
_PLATFORM = re.compile(r"[Mm]ust define exactly one of __HIP_PLATFORM")
_VARIABLE = re.compile(r"\b(?:set|specify|provide|define) (?:the )?(?:\w+ )?variable\b", re.IGNORECASE)


def advice(failure: Failure, tree: str) -> str:
    """Return what to do about an error of the build of `tree`, the folder of the CUDA project."""
    said = (rule(failure.message, tree) for rule in (_submodule, _absent, _of_cmake))
    return next(filter(None, said), _ADVICE)


def _submodule(message: str, tree: str) -> str:
    for module in _absent_submodules(tree):
        if module in message or Path(module).name in re.split(r"[^\w.+-]+", message):
            return f"{module} is a git submodule that is not checked out: git submodule update --init --recursive"
    return ""


def _absent(message: str, tree: str) -> str:
    """Return what to do about a header, a package, a library or a program that this machine lacks."""
    missing, package, program = (pattern.search(message) for pattern in (_MISSING, _PACKAGE, _PROGRAM))
    if program:
        return f"Install it: {_DEBIAN.get(program['name'], 'the build files run it')}."
    header = missing["header"] if missing else ""
    if header == "omp.h":
        return _OPENMP
    name = header.partition("/")[0] if header else package["name"] if package else ""
    if (library := load_libraries().get(name)) is not None:
        return _installing(library)
    if package and package["kind"] == "library":
        return "Install it. If the project builds it itself, the errors of that build come first."
    if header and not _is_in(tree, header):
        return "Install what has the header, or give its folder in the environment variable CPATH."
    return ""


def _of_cmake(message: str, tree: str) -> str:
    del tree
    if language := _LANGUAGE.search(message):
        package = _DEBIAN.get(_COMPILERS.get(language[1], ""), "its package")
        return f"Install one ({package}), or name it with -D CMAKE_{language[1]}_COMPILER=PROGRAM."
    if download := _DOWNLOAD.search(message):
        name = download["step"] or Path(download["url"]).name.removesuffix(".git")
        return (
            f"The project downloads it. Without that: -D FETCHCONTENT_SOURCE_DIR_{name.upper()}=FOLDER with a checkout."
        )
    if _COMMAND.search(message):
        return "The file that defines it is missing: where the project downloads it, the log says why that failed."
    if _PLATFORM.search(message):
        return "Compile it with -D__HIP_PLATFORM_AMD__: hipcc and CMake's hip::host do that, host compilers do not."
    return "Give the project's variables with -D NAME=VALUE." if _VARIABLE.search(message) else ""


def _is_in(tree: str, header: str) -> bool:
    """Return whether a tree has a file that an `#include` may mean."""
    return Path(header).name in _names_in(tree)


@functools.lru_cache(maxsize=1)  # a build may lack many headers
def _names_in(tree: str) -> frozenset[str]:
    return frozenset(name for _, _, names in os.walk(tree) for name in names)


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
