"""Check that CMake supports the language HIP, finds its configuration, and configures a project."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.buildfiles.tables import load_build_tables
from hipport.doctor.findings import Area, Finding, SetVariable, error, ok, warning
from hipport.doctor.machine import Machine
from hipport.toolchain.cmake import configure_problem, toolchain_file
from hipport.toolchain.places import rocm_roots

TITLE = "CMake's HIP support"
AREA = Area.LIBRARIES
_VERSION = re.compile(r"cmake version (\d+)\.(\d+)(\S*)")
_CONFIG = ("lib/cmake", "lib64/cmake", "lib/*/cmake", "share/cmake")


def run(machine: Machine) -> Iterator[Finding]:
    """Check the cmake on PATH; a missing one is only an error for a tree that needs it."""
    cmake = machine.program("cmake")
    answer = machine.ask([cmake, "--version"]) if cmake else None
    version = _VERSION.search(answer.stdout) if answer else None
    if version is None:
        if machine.tree is not None and machine.tree.cmake:
            yield error(f"{machine.tree.root} is built with CMake, which is not on PATH", "apt-get install cmake")
        return
    minimum = load_build_tables().minimum
    if (int(version[1]), int(version[2])) < tuple(map(int, minimum.split("."))):
        advice = f"Install CMake {minimum} or newer, for example: pip install cmake"
        yield error(f"CMake {version[1]}.{version[2]} does not support the language HIP", advice)
    else:
        yield from _config(machine, f"CMake {version[1]}.{version[2]}{version[3]}")


def _config(machine: Machine, cmake: str) -> Iterator[Finding]:
    places = (place for root in rocm_roots(machine.where) for pattern in _CONFIG for place in root.glob(pattern))
    found = next((place for place in places if (place / "hip-lang/hip-lang-config.cmake").is_file()), None)
    if found is None:
        advice = "Debian and Ubuntu: apt-get install libamdhip64-dev. ROCm's own packages: hip-dev."
        yield error(f"{cmake} cannot find hip-lang-config.cmake, which it needs for the language HIP", advice)
    elif not str(found).startswith(str(machine.path("usr"))) and not _is_searched(machine, str(found)):
        fix = SetVariable("CMAKE_PREFIX_PATH", str(found.parents[1]))
        yield warning(f"{cmake} does not look for HIP in {found}", f"{fix}", fix)
    else:
        yield _tried(machine, f"{cmake}, HIP in {found}")


def _tried(machine: Machine, what: str) -> Finding:
    """Configure a project as a user would and, if that fails, with hipport's toolchain file."""
    cmake, architecture = machine.program("cmake"), str(machine.targets[0])
    if cmake is None or (problem := configure_problem(cmake, machine.where, architecture)) is None:
        return ok(what)
    said = f"{what}: configuring a project with the language HIP fails: {problem}"
    if configure_problem(cmake, machine.where, architecture, toolchain_file()) is not None:
        return error(said, "See the other findings for the cause")
    fix = SetVariable("CMAKE_TOOLCHAIN_FILE", str(toolchain_file()))
    return warning(said, f"{fix}", fix)


def _is_searched(machine: Machine, found: str) -> bool:
    """Return whether CMake searches the folder: through a variable, through PATH, or as ROCm's default location."""
    prefixes = [*machine.variable("CMAKE_PREFIX_PATH").split(":"), machine.variable("ROCM_PATH")]
    prefixes += [folder.removesuffix("/bin") for folder in machine.variable("PATH").split(":")]
    return any(prefix and found.startswith(prefix) for prefix in (*prefixes, str(machine.path("opt/rocm"))))
