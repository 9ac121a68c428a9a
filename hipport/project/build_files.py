"""Translate the build files of a plan, after its sources, since they depend on the results of those."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from hipport.buildfiles.build_systems import BuildSystem, is_about_cuda, kind_of
from hipport.files import sources
from hipport.files.paths import relative
from hipport.mappings.life import release
from hipport.mappings.loader import load_choice
from hipport.project import problems
from hipport.project.plan import TreePlan
from hipport.project.request import ConvertRequest, FileResult
from hipport.project.task import Action, Task
from hipport.project.translate import Outcome

if TYPE_CHECKING:
    from hipport.buildfiles.build_file import BuildFile
    from hipport.buildfiles.context import BuildContext
    from hipport.translate.conversion import Conversion

BuildConverter = Callable[[bytes, str, "BuildContext"], "Conversion"]


def is_build_file(task: Task) -> bool:
    return task.action is Action.TRANSLATE and kind_of(task.source) is not None


def builds_extension(task: Task) -> bool:
    """Return whether this is a setup.py that builds an extension of PyTorch with CUDA sources."""
    if task.action is not Action.TRANSLATE or kind_of(task.source) is not BuildSystem.SETUP_PY:
        return False
    data = _read(task)
    return isinstance(data, bytes) and b"CUDAExtension" in data


def translate_build_files(
    request: ConvertRequest, plan: TreePlan, outcomes: Mapping[str, Outcome], convert: BuildConverter | None = None
) -> dict[str, Outcome]:
    """Translate all build files; `outcomes` are those of the sources."""
    contents = {task: _read(task) for task in plan.tasks if is_build_file(task)}
    done = {task.source: data for task, data in contents.items() if isinstance(data, Outcome)}
    texts = {task: data for task, data in contents.items() if isinstance(data, bytes)}
    if not any(map(is_about_cuda, texts.values())):
        return done | {task.source: Outcome() for task in texts}
    from hipport.buildfiles.convert import convert_build_file

    contexts = _contexts(request, plan, outcomes, texts)
    translated = {
        task.source: _translate(task, data, contexts[task.source], convert or convert_build_file)
        for task, data in texts.items()
    }
    return done | translated


def _read(task: Task) -> bytes | Outcome:
    try:
        return sources.read(task.source)
    except OSError as error:
        return Outcome(diagnostics=(problems.unreadable(task.source, error),), failed=True)


def _translate(task: Task, data: bytes, context: BuildContext, convert: BuildConverter) -> Outcome:
    try:
        conversion = convert(data, task.source, context)
    except Exception as error:  # a bug of ours in one file must not cost the user the others
        return Outcome(diagnostics=(problems.internal_error(task.source, f"{type(error).__name__}: {error}"),))
    return Outcome(conversion.data if conversion.data != data else None, conversion.diagnostics)


def _contexts(
    request: ConvertRequest, plan: TreePlan, outcomes: Mapping[str, Outcome], contents: Mapping[Task, bytes]
) -> dict[str, BuildContext]:
    from hipport.buildfiles.cmake.links import used_libraries
    from hipport.buildfiles.cmake.relocatable import sets_variable
    from hipport.buildfiles.context import BuildContext
    from hipport.buildfiles.tables import load_build_tables

    blank = BuildContext(
        load_build_tables(),
        request.targets,
        request.names.flavour,
        plan.renamed,
        plan.kept,
        link_keyword=any(b"CUDA_LINK_LIBRARIES_KEYWORD" in data for data in contents.values()),
        old_default=_takes_cpp11(request),
        releases=load_choice(request.names).releases,
    )
    files = _cmake_files({task: data for task, data in contents.items() if is_about_cuda(data)}, blank)
    used = {real: tuple(used_libraries(file)) for real, file in files.items()}
    blank = replace(blank, architectures=_architecture_variables(contents, files, blank))
    relocatable = {os.path.dirname(real) for real, file in files.items() if sets_variable(file)}
    makefiles = _makefiles(contents)
    supported = _roots_with_support(plan.tasks, outcomes) if request.support else set()
    return {
        task.source: replace(
            blank,
            libraries=_libraries_below(task, used),
            relocatable=any(os.path.dirname(task.real).startswith(folder + os.sep) for folder in relocatable),
            **makefiles.get(task.real, {}),
            support=relative(".", os.path.dirname(task.target) or ".") if task.root in supported else None,
        )
        for task in contents
    }


def _takes_cpp11(request: ConvertRequest) -> bool:
    """Return whether the release's hipcc defaults to C++11 if no standard is named, as in ROCm 5."""
    return release(load_choice(request.names).releases.rocm) < (6,)


def _roots_with_support(tasks: Iterable[Task], outcomes: Mapping[str, Outcome]) -> set[str]:
    """Return the output folders that get hipport's own headers."""
    return {task.root for task in tasks if outcomes.get(task.source, Outcome()).support}


def _cmake_files(contents: Mapping[Task, bytes], context: BuildContext) -> dict[str, BuildFile]:
    """Return the CMake files by their real paths."""
    from hipport.buildfiles.build_file import BuildFile
    from hipport.source import SourceFile

    return {
        task.real: BuildFile(SourceFile.decode(data, task.source), context)
        for task, data in contents.items()
        if kind_of(task.source) is BuildSystem.CMAKE
    }


def _architecture_variables(
    contents: Mapping[Task, bytes], files: Mapping[str, BuildFile], context: BuildContext
) -> frozenset[str]:
    """Return the variables whose values become lists of architectures; files without a word of CUDA may set them."""
    from hipport.buildfiles.cmake.architecture_variables import variables

    names, known = variables(files.values()), dict(files)
    others = {task: data for task, data in contents.items() if kind_of(task.source) is BuildSystem.CMAKE}
    while more := {
        task: data
        for task, data in others.items()
        if task.real not in known and any(name.encode() in data for name in names)
    }:
        known |= _cmake_files(more, context)
        names = variables(known.values())
    return names


def _makefiles(contents: Mapping[Task, bytes]) -> dict[str, dict[str, Any]]:
    """Return what Makefiles know of those that they include and that include them, by their real paths."""
    from hipport.buildfiles.make.compiler import nvcc_variables
    from hipport.buildfiles.make.groups import groups
    from hipport.buildfiles.make.linking import is_relocatable
    from hipport.buildfiles.readers.make import logical_lines
    from hipport.source import SourceFile

    texts = {
        task.real: SourceFile.decode(data, task.source).text.decode("ascii", "surrogateescape")
        for task, data in contents.items()
        if kind_of(task.source) is BuildSystem.MAKE
    }
    found: dict[str, dict[str, Any]] = {}
    for group in groups(texts):
        if len(group) > 1:
            files = [(texts[real], tuple(logical_lines(texts[real]))) for real in group]
            known = {"nvcc_variables": nvcc_variables(files), "links_device_code": is_relocatable(files)}
            found.update(dict.fromkeys(group, known))
    return found


def _libraries_below(task: Task, used: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the libraries used wherever a target found by this file is visible; modules may be included anywhere."""
    folder = os.path.dirname(task.real) + os.sep
    anywhere = os.path.basename(task.real) != "CMakeLists.txt"
    names = (name for path, libraries in used.items() if anywhere or path.startswith(folder) for name in libraries)
    return tuple(sorted(set(names)))


def cmake_projects(files: Iterable[FileResult]) -> Iterator[tuple[str, bool]]:
    """Yield the folder of each CMake project that was translated, and whether the project names its target GPUs."""
    written = [file for file in files if file.build_file and file.target and kind_of(file.source) is BuildSystem.CMAKE]
    lists = {os.path.dirname(file.target) for file in written if os.path.basename(file.target) == "CMakeLists.txt"}
    tops = {folder for folder in lists if not any(is_below(folder, other) for other in lists - {folder})}
    for top in sorted(tops):
        inside = [file for file in written if is_below(os.path.dirname(file.target), top)]
        if any(file.changed for file in inside):
            yield top or ".", any(b"HIP_ARCHITECTURES" in _text(file.target) for file in inside)


def is_below(folder: str, top: str) -> bool:
    """Return whether a folder is `top` or lies below it."""
    return not top or folder == top or folder.startswith(f"{top}/")


def _text(path: str) -> bytes:
    try:
        return sources.read(path)
    except OSError:
        return b""
