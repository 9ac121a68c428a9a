"""Find the build system of a translated tree, and the commands that build it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hipport.buildfiles.build_systems import BuildSystem, kind_of
from hipport.builds.project_file import has_targets
from hipport.files.include_lines import include_lines
from hipport.files.sources import is_source, read
from hipport.project.build_files import cmake_projects, is_below
from hipport.project.request import FileResult
from hipport.toolchain.cmake import configure_command
from hipport.toolchain.places import Surroundings
from hipport.toolchain.process import amd_environment

_SOURCES = (".hip", ".cu")
_MAKEFILE = re.compile(r"(?:gnu)?makefile(?!.*\.(?:am|in)\Z)", re.IGNORECASE)
_OF_HIP = re.compile(rb"hipcc|\.hip\b|CUDAExtension|find_package\(hip", re.IGNORECASE)
_BY_ITSELF = ("GNUmakefile", "makefile", "Makefile")


@dataclass(frozen=True, slots=True)
class Step:
    """A command with the title of what it does; `folder` is where it runs, `source` where the project is.

    `independent`: the steps that follow do not need it. `again`: the command to run if it fails, whose errors count.
    """

    title: str
    command: tuple[str, ...]
    folder: str = "."
    source: str = "."
    independent: bool = False
    again: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """How a tree is built: the name of the build system, and its steps in order.

    `place`: where the products are, if not in the folder for the build. `cmake`: the folder of the project, for CMake.
    """

    system: str
    steps: tuple[Step, ...]
    environment: dict[str, str]
    place: str = ""
    cmake: str = ""


def plan_build(
    files: Sequence[FileResult],
    tree: str,
    build: str,
    targets: Sequence[str],
    jobs: int,
    where: Surroundings,
    *,
    asked: bool = False,
    definitions: Sequence[str] = (),
) -> BuildPlan | None:
    """Return how to build the tree `tree` in the folder `build`; None if there is nothing to build.

    CMake comes before autotools, these before make, make before setup.py; without one in the tree's own folder, those
    below are run that were translated. A tree with none of them is built from its sources by hipport.
    `asked`: the user named the targets, so CMake is told even if the project has a default of its own.
    `definitions`: NAME=VALUE for CMake's cache, for the variables of configure or make, or for setup.py's environment.
    """
    environment = _environment(where, targets)
    for folder, names_targets in cmake_projects(files):
        configure, build_it = _cmake(folder, build, () if names_targets and not asked else targets, jobs, where)
        defined = (word for definition in definitions for word in ("-D", definition))
        configure = replace(configure, command=(*configure.command, *defined))
        return BuildPlan("CMake", (configure, build_it), environment, cmake=folder)
    if configured := _topmost(files, tree, BuildSystem.AUTOCONF):
        steps = _autotools(min(configured), build, definitions, jobs)
        return BuildPlan("autotools", steps, environment)
    if makefiles := _topmost(files, tree, BuildSystem.MAKE):
        steps = tuple(_make(folder, (*_named(names), *definitions), jobs) for folder, names in makefiles.items())
        return BuildPlan("make", steps, environment, place=tree)
    if scripts := _topmost(files, tree, BuildSystem.SETUP_PY):
        python = shutil.which("python3", path=where.environ.get("PATH")) or "python3"
        command = (python, "setup.py", "build_ext", "--build-lib", str(Path(build).absolute()))
        variables = dict(definition.split("=", 1) for definition in definitions)
        steps = tuple(Step("build", command, folder, source=folder, independent=True) for folder in scripts)
        return BuildPlan("setup.py", steps, environment | variables)
    return _own(files, tree, build, targets, environment)


def _make(folder: str, words: Sequence[str], jobs: int) -> Step:
    """Return the step of a Makefile; many lack dependencies, which one job at a time does not need."""
    parallel, serial = (("make", "-C", folder, "-k", f"-j{number}", *words) for number in (jobs, 1))
    return Step("build", parallel, source=folder, independent=True, again=serial if jobs > 1 else ())


def _autotools(folder: str, build: str, definitions: Sequence[str], jobs: int) -> tuple[Step, ...]:
    """Return the steps of a project with a `configure.ac`: its own `configure`, if any, looks for CUDA still."""
    script = str(Path(folder, "configure").absolute())
    return (
        Step("generate configure", ("autoreconf", "--force", "--install", folder), source=folder),
        Step("configure", ("sh", script, *definitions), folder=build, source=folder),
        replace(_make(build, (), jobs), source=folder),
    )


def _environment(where: Surroundings, targets: Sequence[str]) -> dict[str, str]:
    """Return the environment of builds; hipcc and PyTorch take the targets from it where the build files name none."""
    named = {"HCC_AMDGPU_TARGET": ",".join(targets), "PYTORCH_ROCM_ARCH": ";".join(targets)}
    return {**named, **_in_english(amd_environment(where.environ))}


def _in_english(environment: dict[str, str]) -> dict[str, str]:
    """Return the environment with messages in English, since they are read; names of files keep their encoding."""
    encoding = next(filter(None, map(environment.get, ("LC_ALL", "LC_CTYPE", "LANG"))), "C")
    kept = {name: value for name, value in environment.items() if name != "LC_ALL"}
    return kept | {"LC_CTYPE": encoding, "LC_MESSAGES": "C"}


def _topmost(files: Iterable[FileResult], tree: str, kind: BuildSystem) -> dict[str, list[str]]:
    """Return the names of the build files of a kind by their folders: in the tree itself, or else the topmost changed.

    A Makefile below another is the other's own business, and one that compiles nothing as HIP is left out where others
    do: it builds another part of the project, such as a version for OpenCL.
    """
    found: dict[str, list[str]] = {}
    changed: set[str] = set()
    compiling: set[str] = set()
    for file in files:
        if file.build_file and file.target and kind_of(file.source) is kind and _is_run(file.target, kind):
            folder, name = os.path.split(os.path.normpath(file.target))
            found.setdefault(folder, []).append(name)
            changed |= {folder} if file.changed else set()
            compiling |= {folder} if file.changed and _compiles_hip(file.target) else set()
    if (top := os.path.normpath(tree)) in found:
        return {tree: found[top]}
    run = {each for each in changed if any(is_below(one, each) or one == each for one in compiling)} or changed
    tops = [each for each in run if not any(is_below(each, other) for other in run - {each})]
    return {folder: found[folder] for folder in sorted(tops)}


def _compiles_hip(path: str) -> bool:
    """Return whether a translated build file names HIP's compiler or a source for it."""
    try:
        return _OF_HIP.search(read(path)) is not None
    except OSError:
        return False


def _is_run(path: str, kind: BuildSystem) -> bool:
    """Return whether a file is one to start a build with, and not one that others include."""
    if kind is BuildSystem.AUTOCONF:
        return Path(path).name in ("configure.ac", "configure.in")
    return kind is not BuildSystem.MAKE or _MAKEFILE.match(Path(path).name) is not None


def _named(names: Sequence[str]) -> tuple[str, ...]:
    """Return the option that names the Makefile of a folder, if make would not take it by itself."""
    return () if set(names) & set(_BY_ITSELF) else ("-f", min(names))


def _cmake(folder: str, build: str, targets: Sequence[str], jobs: int, where: Surroundings) -> tuple[Step, Step]:
    words = shlex.split(configure_command(folder, where, targets))
    command = words[words.index("cmake") :]
    command[command.index("-B") + 1] = build
    keep_going = ("-k", "0") if where.environ.get("CMAKE_GENERATOR") == "Ninja" else ("-k",)
    building = ("cmake", "--build", build, f"-j{jobs}", "--", *keep_going)
    return Step("configure", tuple(command), source=folder), Step("build", building, source=folder)


def _own(
    files: Sequence[FileResult], tree: str, build: str, targets: Sequence[str], environment: dict[str, str]
) -> BuildPlan | None:
    sources = tuple(file.target for file in files if file.target and Path(file.target).suffix in _SOURCES)
    hipport = (sys.executable, "-m", "hipport", "build", "--offload-arch", ",".join(targets))
    if has_targets(Path(tree)):
        return BuildPlan("hipport.toml", (Step("build", (*hipport, tree, "-o", build)),), environment)
    if not sources:
        return None
    command = (*hipport, "--static", "-o", str(Path(build, "units.a")))
    places = (word for folder in _include_folders(files, tree) for word in ("-I", folder))
    return BuildPlan("hipport build", (Step("compile the units", (*command, *places, *sources)),), environment)


def _include_folders(files: Iterable[FileResult], tree: str) -> list[str]:
    """Return the tree, and its folders in which files are that sources include from elsewhere: `include`, often."""
    paths = {os.path.normpath(file.target) for file in files if file.target}
    named: dict[str, list[str]] = {}
    for path in paths:
        named.setdefault(Path(path).name, []).append(path)
    found: set[str] = set()
    for path in filter(is_source, paths):
        for operand in _operands(path):
            if os.path.normpath(Path(path).parent / operand) not in paths:
                places = (each for each in named.get(Path(operand).name, ()) if each.endswith(f"{os.sep}{operand}"))
                found.update(each[: -len(operand) - 1] for each in places)
    return [tree, *sorted(found - {os.path.normpath(tree)})]


def _operands(path: str) -> set[str]:
    try:
        return {line.operand for line in include_lines(read(path))}
    except OSError:  # it has been reported
        return set()
