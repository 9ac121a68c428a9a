"""Read what a CMake project builds, as far as its files say it in so many words: nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from hipport.buildfiles.readers.cmake import Command, read_commands
from hipport.errors import HipportError
from hipport.files.documents import LARGEST_SETTINGS, read_text

_STARS = re.compile(r"\*{2,}")
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_HERE = ("CMAKE_CURRENT_SOURCE_DIR", "CMAKE_CURRENT_LIST_DIR")
_TOP = ("CMAKE_SOURCE_DIR", "PROJECT_SOURCE_DIR")
_SOURCE = re.compile(r".*\.(?:cu|hip|c|cc|cpp|cxx|C)\Z", re.DOTALL)
_KINDS = {"add_executable": "executable", "cuda_add_executable": "executable", "cuda_add_library": "static"}
_SCOPES = {"PUBLIC", "PRIVATE", "INTERFACE", "SYSTEM", "BEFORE", "AFTER"}
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
_DEFINE = re.compile(r"(?:-D)?([A-Za-z_]\w*(?:=[^$<>]*)?)")
_RELEASE = re.compile(r"\d+\.\d+")
_DEEPEST = 30
_LONGEST = 1 << 18


@dataclass(frozen=True, slots=True)
class DraftTarget:
    """A target as `[targets.NAME]` describes it; paths are relative to the folder of the project."""

    name: str
    kind: str
    sources: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    std: str | None = None
    rdc: bool = False


@dataclass(slots=True)
class CMakeProject:
    """A project as its files describe it: the CUDA release, targets by name, what was not followed, and the folders."""

    cuda: str | None = None
    targets: dict[str, DraftTarget] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    folders: set[str] = field(default_factory=lambda: {"."})


@dataclass(frozen=True, slots=True)
class _Scope:
    """A folder of the project, with what it inherits. `folder` is relative to the project."""

    folder: PurePosixPath
    variables: dict[str, tuple[str, ...]]
    include_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()


def read_project(top: Path) -> CMakeProject:
    """Return what the CMake files from a folder down say; folders that are added are followed."""
    project = CMakeProject()
    _read_folder(project, top, _Scope(PurePosixPath("."), {}), 0)
    _inherit(project.targets)
    _cut_circles(project.targets)
    used = {name for target in project.targets.values() for name in target.libraries}
    for name, target in list(project.targets.items()):
        if not target.sources or not (_has_device_code(target) or name in used or _links_device_code(project, target)):
            project.left_out.append(name)
            del project.targets[name]
    return project


def _inherit(targets: dict[str, DraftTarget]) -> None:
    """Give targets the folders of those that they link; a target without sources is that and no more."""
    for _ in range(_DEEPEST):
        before = dict(targets)
        for name, target in before.items():
            linked = [before[other] for other in target.libraries if other in before and other != name]
            folders = _together(target.include_dirs, (place for other in linked for place in other.include_dirs))
            headers = [other for other in linked if not other.sources]
            kept = dict.fromkeys((*target.libraries, *(inner for other in headers for inner in other.libraries)))
            libraries = tuple(inner for inner in kept if inner not in {other.name for other in headers})
            targets[name] = replace(target, include_dirs=folders, libraries=libraries)
        if targets == before:
            return


def _cut_circles(targets: dict[str, DraftTarget]) -> None:
    """Leave out links that hipport.toml cannot have: of a target that is linked by the other, and to programs."""
    kept: dict[str, tuple[str, ...]] = {}
    for name, target in targets.items():
        kept[name] = tuple(
            other
            for other in target.libraries
            if other not in targets or (targets[other].kind != "executable" and not _reaches(kept, other, name))
        )
        targets[name] = replace(target, libraries=kept[name])


def _reaches(links: dict[str, tuple[str, ...]], start: str, end: str) -> bool:
    seen, rest = {start}, [start]
    while rest:
        following = set(links.get(rest.pop(), ())) - seen
        seen |= following
        rest += following
    return end in seen


def _has_device_code(target: DraftTarget) -> bool:
    return any(source.endswith((".cu", ".hip")) for source in target.sources)


def _links_device_code(project: CMakeProject, target: DraftTarget) -> bool:
    linked = (project.targets.get(name) for name in target.libraries)
    return any(other is not None and _has_device_code(other) for other in linked)


def _read_folder(project: CMakeProject, top: Path, scope: _Scope, depth: int) -> None:
    path = top / scope.folder / "CMakeLists.txt"
    try:
        commands = read_commands(read_text(path, LARGEST_SETTINGS))
    except OSError:
        return
    for command in commands:
        scope = _read_command(project, top, scope, command, depth)


def _read_command(project: CMakeProject, top: Path, scope: _Scope, command: Command, depth: int) -> _Scope:
    """Take one command into account; return the scope of the commands after it."""
    words = list(_expanded(command, scope))
    name, first = command.name, words[0] if words else ""
    if name == "add_subdirectory" and first and depth < _DEEPEST:
        if (folder := _inside(scope, first)) is not None and folder not in project.folders:
            project.folders.add(folder)  # CMake refuses to add one twice
            _read_folder(project, top, replace(scope, folder=PurePosixPath(folder)), depth + 1)
    elif name == "set" and first:
        return replace(scope, variables={**scope.variables, first: tuple(words[1:])})
    elif name == "file" and first in ("GLOB", "GLOB_RECURSE") and len(words) > 2:
        return replace(scope, variables={**scope.variables, words[1]: tuple(_patterns(first, words[2:]))})
    elif name == "include_directories":
        return replace(scope, include_dirs=(*scope.include_dirs, *_folders(scope, words)))
    elif name in ("add_definitions", "add_compile_definitions"):
        return replace(scope, defines=(*scope.defines, *_defines(words)))
    elif name in ("find_package", "find_dependency") and first in ("CUDA", "CUDAToolkit"):
        project.cuda = project.cuda or next(filter(_RELEASE.fullmatch, words[1:]), None)
    elif name in (*_KINDS, "add_library") and _NAME.fullmatch(first):
        project.targets.setdefault(first, _target(scope, name, words))
    elif first in project.targets:
        project.targets[first] = _with(project.targets[first], scope, name, words[1:])
    return scope


def _target(scope: _Scope, command: str, words: list[str]) -> DraftTarget:
    given = words[1:]
    kind = _KINDS.get(command) or "static"
    kind = "shared" if {"SHARED", "MODULE"} & set(given) else kind
    standards = (scope.variables.get(f"CMAKE_{language}_STANDARD", ("",)) for language in ("CUDA", "CXX"))
    number = next((words[0] for words in standards if words and words[0].isdecimal()), None)
    return DraftTarget(
        words[0],
        kind,
        tuple(_sources(scope, given)),
        scope.include_dirs,
        scope.defines,
        std=f"c++{int(number):02}" if number else None,
        rdc=scope.variables.get("CMAKE_CUDA_SEPARABLE_COMPILATION") == ("ON",),
    )


def _with(target: DraftTarget, scope: _Scope, command: str, words: list[str]) -> DraftTarget:
    """Return a target with what a command about it adds."""
    if command == "target_sources":
        return replace(target, sources=(*target.sources, *_sources(scope, words)))
    if command == "target_include_directories":
        return replace(target, include_dirs=_together(target.include_dirs, _folders(scope, words)))
    if command == "target_compile_definitions":
        return replace(target, defines=_together(target.defines, _defines(words)))
    if command == "target_link_libraries":
        return replace(target, libraries=_together(target.libraries, filter(_is_library, words)))
    if command == "set_target_properties" and "CUDA_SEPARABLE_COMPILATION" in words[:-1]:
        value = words[words.index("CUDA_SEPARABLE_COMPILATION") + 1]
        return replace(target, rdc=value.upper() in ("ON", "TRUE", "1"))
    return target


def _is_library(word: str) -> bool:
    """Return whether a word names a target or a library: CUDA's own are linked by hipport."""
    return _NAME.fullmatch(word) is not None and word not in _SCOPES and not word.startswith(("-", "CUDA"))


def _together(old: Sequence[str], new: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*old, *new)))


def _expanded(command: Command, scope: _Scope) -> Iterator[str]:
    """Yield the words of a command with variables replaced; a word with a variable that is not known stays."""
    for argument in command.arguments:
        whole = _VARIABLE.fullmatch(argument.text)
        if whole and whole[1] in scope.variables:
            yield from scope.variables[whole[1]]
        else:
            words = _replaced(argument.text, scope)
            yield from [words] if argument.quoted else [word for word in words.split(";") if word]


def _replaced(text: str, scope: _Scope) -> str:
    values = (_value(match[1], scope) or "" for match in _VARIABLE.finditer(text))
    if sum(map(len, values)) > _LONGEST:  # some lines that double a variable fill any memory
        raise HipportError(
            f"{scope.folder / 'CMakeLists.txt'}: a variable's value exceeds {_LONGEST >> 10} KiB",
            hint="Write hipport.toml by hand: see docs/settings.md.",
        )
    return _VARIABLE.sub(lambda match: _value(match[1], scope) or match[0], text)


def _value(name: str, scope: _Scope) -> str | None:
    if name in _HERE:
        return f"/{scope.folder}"
    if name in _TOP or name.endswith("_SOURCE_DIR"):
        return "/."
    values = scope.variables.get(name)
    return ";".join(values) if values is not None else None


def _inside(scope: _Scope, path: str) -> str | None:
    """Return a path relative to the project; None for one outside, or with a variable that is not known."""
    if any(sign in path for sign in "$<>\0"):
        return None
    parts: list[str] = []
    for part in (scope.folder / path.lstrip("/") if not path.startswith("/") else PurePosixPath(path[1:])).parts:
        if part == "..":
            if not parts:
                return None
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts) or "."


def _sources(scope: _Scope, words: Sequence[str]) -> Iterator[str]:
    for word in words:
        if _SOURCE.match(word) and (path := _inside(scope, word)) is not None:
            yield path


def _folders(scope: _Scope, words: Sequence[str]) -> Iterator[str]:
    for word in words:
        build_interface = re.fullmatch(r"\$<BUILD_INTERFACE:([^<>]*)>", word)
        path = _inside(scope, build_interface[1] if build_interface else word)
        if word not in _SCOPES and path is not None:
            yield path


def _defines(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        match = _DEFINE.fullmatch(word)
        if match and word not in _SCOPES:
            yield match[1]


def _patterns(how: str, words: Sequence[str]) -> Iterator[str]:
    """Yield the patterns of `file(GLOB ...)` as hipport.toml has them."""
    for word in words:
        if "*" in word and not word.startswith("-"):
            # To CMake `**` is `*`; here it stands for folders, and for nothing else.
            pattern = _STARS.sub("*", word)
            folder, slash, name = pattern.rpartition("/")
            yield f"{folder}{slash}**/{name}" if how == "GLOB_RECURSE" else pattern
