"""Say what to do about an error of a build that has a known cause outside the sources."""

from __future__ import annotations

import difflib
import functools
import os
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from hipport.port.failures import Failure
from hipport.toolchain.host_packages import HostPackage, header_folder, load_host_packages
from hipport.toolchain.libraries import Library, load_libraries

_ALIKE = 0.8
"""Share of equal characters from which a file's name may be meant by another, as `difflib` measures it."""
_ADVICE = "Fix the source or the translation; `hipport update` keeps edits of the translation."
_MISSING = re.compile(r"'(?P<header>[^']+)' file not found")
_PACKAGE = re.compile(r"the (?P<kind>package|library) (?P<name>\S+) is not installed|Could NOT find (?P<module>\w+)")
_MODULE = re.compile(r"No module named '(?P<name>[\w.]+)'")
_CUDA_HOME = re.compile(r"CUDA_HOME environment variable is not set")
"""Matches what PyTorch's CUDAExtension says if PyTorch is built neither for ROCm nor for a CUDA that is there."""
_RUNS_NVCC = re.compile(r"^FileNotFoundError: .*No such file or directory: '(?P<name>(?:[^']*/)?nvcc)'")
_NO_RULE = re.compile(r"^No rule to make target '(?P<lacked>[^']+)'")
_NOT_COMPILED = re.compile(
    r"^(?:CMake|make) compiled none of [^,;]+"
    r"(?:, and it did not find (?P<packages>.+)|; the project has the options (?P<options>.+))?"
)
_MACRO = re.compile(r"possibly undefined macro: ")
_USED_MACRO = re.compile(r"^\s*(?P<name>[A-Z][A-Z0-9]*_[A-Z0-9_]+)\b", re.MULTILINE)
_MACROS = {
    "PKG_": "pkg-config",
    "LT_": "libtool",
    "AC_PROG_LIBTOOL": "libtool",
    "AX_": "autoconf-archive",
    "LIBCURL_CHECK_CONFIG": "libcurl4-openssl-dev",
    "AM_GNU_GETTEXT": "gettext",
    "AM_PATH_GSL": "libgsl-dev",
    "AM_PATH_SDL2": "libsdl2-dev",
    "AM_PATH_XML2": "libxml2-dev",
}
"""Debian's packages with macros of autoconf, by what the macros' names begin with."""
_SUBMODULE = re.compile(r"^\s*path\s*=\s*(?P<path>\S.*?)\s*$", re.MULTILINE)
_OPENMP = "Clang has a header and library of its own for OpenMP: install them for its version (Debian: libomp-NN-dev)."
_COMMAND = re.compile(r'\bUnknown CMake command "')
_FIND = re.compile(r"Could not find \w+ using the following (?P<kind>names|files): (?P<names>[^(]+)")
"""Matches what find_library and find_path of CMake say, if what they look for is required."""
_PROGRAM = re.compile(r"the program (?P<name>\S+) is not installed")
_LANGUAGE = re.compile(r"no compiler for the language (\w+) was found")
_COMPILERS = {"C": "gcc", "CXX": "g++", "Fortran": "gfortran"}
_DEBIAN = {name: f"Debian: {name}" for name in ("gcc", "g++", "gfortran", "bison", "flex", "ninja-build", "libtool")}
_DOWNLOAD = re.compile(r"Failed to clone repository: '(?P<url>[^']+)'|(?:Build|CMake) step for (?P<step>\w+) failed")
_PLATFORM = re.compile(r"[Mm]ust define exactly one of __HIP_PLATFORM")
_VARIABLE = re.compile(r"\b(?:set|specify|provide|define) (?:the )?(?:\w+ )?variable\b", re.IGNORECASE)


def advice(failure: Failure, tree: str) -> str:
    """Return what to do about an error of the build of `tree`, the folder of the CUDA project."""
    rules = (_submodule, _not_compiled, _absent, _of_make, _of_python, _of_cmake)
    said = (rule(failure.message, tree) for rule in rules)
    return next(filter(None, said), "") or _of_autoconf(failure) or _ADVICE


def _submodule(message: str, tree: str) -> str:
    for module in _absent_submodules(tree):
        if module in message or Path(module).name in re.split(r"[^\w.+-]+", message):
            return f"{module} is a git submodule that is not checked out: git submodule update --init --recursive"
    return ""


def _not_compiled(message: str, tree: str) -> str:
    """Return what to do where CMake or make built something, but nothing that was translated."""
    del tree
    if (found := _NOT_COMPILED.match(message)) is None:
        return ""
    known = load_host_packages().cmake
    named = [known[name].debian for name in (found["packages"] or "").split(", ") if name in known]
    if named:
        return f"If the build files leave code for the GPU out without it, install it (Debian: {', '.join(named)})."
    if found["options"]:
        return "If one of them leaves code for the GPU out, set it with -D NAME=VALUE."
    return "The build files leave them out: look there for an option, which -D NAME=VALUE sets, or an absent package."


def _absent(message: str, tree: str) -> str:
    """Return what to do about a header, a package, a library or a program that this machine lacks."""
    missing, package, program = (pattern.search(message) for pattern in (_MISSING, _PACKAGE, _PROGRAM))
    if program:
        return f"Install it: {_DEBIAN.get(program['name'], 'the build files run it')}."
    if missing:
        return _absent_header(missing["header"], tree)
    if looked_for := _FIND.search(message):
        return _absent_files(looked_for["kind"], re.split(r"[,\s]+", looked_for["names"].strip(" .")))
    if package is None:
        return ""
    name = package["name"] or package["module"]
    if (library := load_libraries().get(name)) is not None:
        return _installing(library)
    if package["kind"] == "library":
        host = load_host_packages().libraries.get(name)
        return (
            _install(host)
            if host
            else "Install it. If the project builds it itself, the errors of that build come first."
        )
    host = load_host_packages().cmake.get(name)
    return f"{_install(host)[:-1]}, or name its folder with -D {name}_ROOT=FOLDER." if host else ""


def _absent_header(header: str, tree: str) -> str:
    """Return what to do about a header that an `#include` names and compilers do not find."""
    if header == "omp.h":
        return _OPENMP
    if (library := load_libraries().get(header.partition("/")[0])) is not None:
        return _installing(library)
    if Path(tree).is_file() and Path(tree).with_name(header).is_file():
        folder = shlex.quote(str(Path(tree).parent))
        return f"It is beside the source, which is ported alone. Port the folder: hipport port {folder} -o OUT"
    if _is_in(tree, header):
        return ""
    if (host := load_host_packages().of_header(header)) is None:
        return "Install what has the header, or give its folder in the environment variable CPATH."
    if folder := header_folder(host):
        return f"It is in {folder}, where compilers do not look by themselves: CPATH={folder} in the environment."
    where = f"; its headers are then in {host.folder}, which CPATH must name" if host.folder else ""
    return f"{_install(host)[:-1]}{where}."


def _absent_files(kind: str, names: Sequence[str]) -> str:
    """Return what to do about libraries ("names") or headers ("files"), of which CMake needs one."""
    table = load_host_packages()
    known = (table.libraries.get(name) if kind == "names" else table.of_header(name) for name in names)
    return next((_install(host) for host in known if host), "Install it, or name it with -D NAME=FILE.")


def _install(host: HostPackage) -> str:
    return f"Install it (Debian: {host.debian})."


def _of_make(message: str, tree: str) -> str:
    """Return what to do about a file that a rule needs, that does not exist, and that no rule makes."""
    if (found := _NO_RULE.match(message)) is None:
        return ""
    name, suffix = Path(found["lacked"]).name, Path(found["lacked"]).suffix
    if found["lacked"].startswith("/"):
        return "It is outside the project: install what has it, or set the variable with its folder by -D NAME=VALUE."
    if name in _names_in(tree):
        return f"The project has a file {name}, but not where the rule needs it: correct the path in the rule."
    alike = sorted(each for each in _names_in(tree) if suffix and each.endswith(suffix))
    like = "".join(f"; it has {each}" for each in difflib.get_close_matches(name, alike, 1, _ALIKE))
    return f"The project has no file {name}, and no rule makes it{like}: correct the rules, or add the file."


def _of_python(message: str, tree: str) -> str:
    del tree
    if _CUDA_HOME.search(message):
        return (
            "The PyTorch of this Python is not built for ROCm: install PyTorch for ROCm, or put a python3 that has it "
            "first in PATH."
        )
    if program := _RUNS_NVCC.search(message):
        return f"The project's Python code runs {program['name']} itself: make it run hipcc instead."
    if (found := _MODULE.search(message)) is None:
        return ""
    name = found["name"].partition(".")[0]
    return (
        f"The Python that runs the build has no module {name}: install it there, or put another python3 first in PATH."
    )


def _of_autoconf(failure: Failure) -> str:
    """Return which packages may have the macros of a `configure.ac` of which autoconf knows one not."""
    if not _MACRO.search(failure.message):
        return ""
    try:
        text = Path(failure.path).read_text("utf-8", "replace")
    except OSError:
        return ""
    used = {match["name"] for match in _USED_MACRO.finditer(text)}
    packages = {package for start, package in _MACROS.items() if any(name.startswith(start) for name in used)}
    named = f" (Debian, for those that it uses: {', '.join(sorted(packages))})" if packages else ""
    return f"A package with macros of autoconf is not installed{named}, or the macro is misspelt."


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
