"""Read what a build printed: errors of compilers, linkers and CMake, each at its place."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from hipport.port.makefiles import place_of_rule

_COMPILER = re.compile(r"^(?P<path>[^\s:][^:\n]*):(?P<line>\d+):(?P<column>\d+): (?:fatal )?error: (?P<text>.*)$")
_NO_HEADER = re.compile(r"^(\S+): No such file or directory$")
"""Matches gcc's words for a header that is missing; clang's are used for both, since one build may have both."""
_CMAKE = re.compile(r"^CMake (?P<kind>Error|Warning) at (?P<path>[^:\n]+):(?P<line>\d+) \((?P<text>\w+)\):$")
_PACKAGE = re.compile(r'package configuration file provided by "([^"]+)"')
_INNER = re.compile(r"\S*\bld(?:\.\w+)?: .*|\S*\berror: .*")
"""Matches the compiler's own words in what CMake says of a test program that does not compile."""
_LINKER = re.compile(r"(?:undefined reference to [`'](?P<gnu>[^'`]+)'|error: undefined symbol: (?P<lld>.+))$")
_LLD = re.compile(r"^(?:\S*/)?(?:ld\.)?lld: error: (?P<text>(?!undefined symbol:).+)$")
_NO_LIBRARY = re.compile(
    r"^(?:\S*/)?ld(?:\.\w+)?: (?:error: )?(?:cannot find|unable to find library) -l(?P<name>[^\s:]+)"
)
_PLACELESS = re.compile(r"^CMake Error:\s*(?P<text>.*)$")
_CALLER = re.compile(r"^  (?P<path>[^\s:][^:\n]*):(?P<line>\d+) \((?P<text>\w+)\)$", re.MULTILINE)
"""Matches a line of CMake's call stack, whose innermost call comes first."""
_DRIVER = re.compile(
    r"^(?:\S*/)?(?:[\w.-]*(?:gcc|g\+\+|clang|clang\+\+)(?:-[\d.]+)?|cc|c\+\+|hipcc): (?:fatal )?error: (?P<text>.+)$"
)
"""Matches what a compiler says of its own command: an option or a file that it does not take."""
_OF_OTHERS = re.compile(r"no input files|ld returned|command failed (?:with|due)")
"""Matches errors of compilers that follow from others."""
_NO_RULE = re.compile(
    r"^g?make(?:\[\d+\])?: \*\*\* (?P<text>No rule to make target '(?P<lacked>[^']+)'"
    r"(?:, needed by '(?P<target>[^']+)')?.*?)\.(?:\s+Stop\.)?$"
)
_RECIPE = re.compile(
    r"^g?make(?:\[\d+\])?: \*\*\* \[(?P<path>[^:\n]+):(?P<line>\d+): (?P<target>\S+)\] "
    r"(?P<text>Error \d+|[A-Z][a-z ]+)$"
)
"""Matches what make says of a recipe that failed, after what its command says."""
_AUTOCONF = re.compile(r"^(?P<path>[\w./-]*\.(?:ac|in|am|m4)):(?P<line>\d+): error: (?P<text>.+)$")
_NO_PROGRAM = re.compile(
    r"^(?:g?make(?:\[\d+\])?|(?:/\S*/)?(?:ba|da)?sh): (?:(?:line )?\d+: )?(?P<name>[^\s:]+): "
    r"(?:No such file or directory|(?:command )?not found)$"
)
_NO_COMPILER = re.compile(r"No CMAKE_(?P<language>\w+)_COMPILER could be found")
_TRACEBACK = "Traceback (most recent call last):"
_CAUSE = "The above exception was the direct cause of the following exception:"
_FRAME = re.compile(r'^  File "(?P<path>[^"]+)", line (?P<line>\d+)')
_RAISED = re.compile(r"^[A-Za-z_][\w.]*(?:: .*)?$")
_INCLUDED = re.compile(r"^(?:In file included| *) from (?P<path>[^:\n]+):(?P<line>\d+)")
_SYSTEM = ("/usr/", "/opt/")
_ENTERING = re.compile(r"^make(?:\[\d+\])?: Entering directory '(?P<folder>.*)'$")
_LEAVING = re.compile(r"^make(?:\[\d+\])?: Leaving directory '(?P<folder>.*)'$")
_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Failure:
    """One error of a build. `path` is absolute; "" for an error without a place, whose line and column are 1."""

    path: str
    line: int
    column: int
    message: str


def failures(output: str, folder: str, source: str) -> Iterator[Failure]:
    """Yield the errors in the output of a command that ran in `folder`, each once, in order.

    CMake and autoconf name files relative to `source`, the folder of the project. Where no error can be read, recipes
    that failed are the errors.
    """
    seen: set[Failure] = set()
    lines = _ESCAPE.sub("", output).splitlines()
    for found in itertools.chain(_all(lines, folder, source), _recipes(lines, folder, source, seen)):
        if found not in seen:
            seen.add(found)
            yield found


class _Places:
    """What earlier lines say about places in the next ones: the folder of make, and who includes a header."""

    def __init__(self, folder: str) -> None:
        self._folders = [folder]
        self._includer: tuple[str, int] | None = None
        self._complete = False

    @property
    def folder(self) -> str:
        return self._folders[-1]

    def read(self, line: str) -> bool:
        """Return whether a line says something about places."""
        if entering := _ENTERING.match(line):
            self._folders.append(entering["folder"])
        elif leaving := _LEAVING.match(line):
            if leaving["folder"] in self._folders[1:]:  # with -j, makes may end in another order than they began
                del self._folders[len(self._folders) - 1 - self._folders[::-1].index(leaving["folder"])]
        elif included := _INCLUDED.match(line):
            # The innermost comes first, and gcc names only what it has not named for the error before.
            self._complete = self._complete and line.startswith(" ")
            if not self._complete and not included["path"].startswith(_SYSTEM):
                self._includer = _absolute(included["path"], self.folder), int(included["line"])
                self._complete = True
        else:
            return False
        return True

    def failure(self, found: re.Match[str]) -> Failure:
        """Return a compiler's error; one in a header of the system is at the line that brought the header."""
        text = _NO_HEADER.sub(r"'\1' file not found", found["text"])
        path, line = _absolute(found["path"], self.folder), int(found["line"])
        if path.startswith(_SYSTEM) and self._includer is not None:
            return Failure(*self._includer, 1, f"{text} ({path}:{line})")
        return Failure(path, line, int(found["column"]), text)


def _all(lines: list[str], folder: str, source: str) -> Iterator[Failure]:
    places = _Places(folder)
    for index, line in enumerate(lines):
        if places.read(line):
            continue
        if found := _COMPILER.match(line):
            yield places.failure(found)
        elif found := _CMAKE.match(line):
            yield from _of_cmake(found, lines[index + 1 :], source)
        elif found := _AUTOCONF.match(line):
            yield Failure(_absolute(found["path"], source), int(found["line"]), 1, found["text"])
        elif found := _LINKER.search(line):
            yield Failure("", 1, 1, f"undefined symbol {found['gnu'] or found['lld']}")
        elif line == _TRACEBACK and lines[max(index - 2, 0) : index - 1] != [_CAUSE]:
            yield from _of_python(lines[index + 1 :], places.folder, source)
        elif found := _NO_RULE.match(line):
            yield _of_rule(found, places.folder, source)
        elif message := _without_place(line, lines[index + 1 :]):
            yield Failure("", 1, 1, message)


def _of_cmake(found: re.Match[str], following: list[str], source: str) -> Iterator[Failure]:
    """Yield an error of CMake, or its warning about a package, at the last call in the project's own files."""
    paragraph = _paragraph(following)
    said = " ".join(paragraph.split())
    package = _PACKAGE.search(said)
    reason = _INNER.search(paragraph)
    message = f"{found['text']}: {reason[0] if reason else said[:_LONGEST]}"
    message = f"the package {package[1]} is not installed" if package else message
    if compiler := _NO_COMPILER.search(said):
        message = f"{found['text']}: no compiler for the language {compiler['language']} was found"
    if package or found["kind"] == "Error":
        yield Failure(*_own_call(found, following[len(paragraph.split("\n")) :], source), 1, message)


def _own_call(found: re.Match[str], following: list[str], source: str) -> tuple[str, int]:
    """Return the place of an error of CMake; one in its modules is at the call in the project's own files."""
    calls = [found]
    if following[:1] == ["Call Stack (most recent call first):"]:
        calls += _CALLER.finditer(_paragraph(following[1:]))
    places = [(_absolute(call["path"], source), int(call["line"])) for call in calls]
    return next((place for place in places if _is_inside(place[0], source)), places[0])


def _of_rule(found: re.Match[str], folder: str, source: str) -> Failure:
    """Return what make has no rule for, at the rule that needs it, if that is in a Makefile of the project."""
    own = _is_inside(folder, source)
    place = place_of_rule(folder, found["target"] or "", found["lacked"]) if own else None
    return Failure(*(place or ("", 1)), 1, found["text"])


def _is_inside(path: str, folder: str) -> bool:
    """Return whether an absolute path is a folder, or in it."""
    return Path(os.path.normpath(path)).is_relative_to(folder)


def _recipes(lines: list[str], folder: str, source: str, seen: Collection[Failure]) -> Iterator[Failure]:
    """Yield the recipes of the project's own Makefiles that failed, unless there are other errors, which say more."""
    places = _Places(folder)
    for line in () if seen else lines:
        if places.read(line) or not (found := _RECIPE.match(line)):
            continue
        path = _absolute(found["path"], places.folder)
        if _is_inside(path, source):
            yield Failure(path, int(found["line"]), 1, f"the recipe of {found['target']} failed: {found['text']}")


def _of_python(following: list[str], folder: str, source: str) -> Iterator[Failure]:
    """Yield an exception at its last place in the project's own files: programs that it runs fail, too."""
    frames: list[tuple[str, int]] = []
    for line in following:
        if found := _FRAME.match(line):
            frames.append((_absolute(found["path"], folder), int(found["line"])))
        elif _RAISED.match(line):
            inside = [frame for frame in frames if _is_inside(frame[0], source)]
            yield from (Failure(*frame, 1, line[:_LONGEST]) for frame in inside[-1:])
            return
        elif not line.startswith(" "):
            return


def _without_place(line: str, following: list[str]) -> str:
    """Return the message of an error that names no place; empty for another line."""
    if found := _NO_LIBRARY.match(line):
        return f"the library {found['name']} is not installed"
    if found := _PLACELESS.match(line):
        return (found["text"] or " ".join(_paragraph(following).split()))[:_LONGEST]
    if found := _NO_PROGRAM.match(line):
        return f"the program {found['name']} is not installed"
    if (found := _DRIVER.match(line)) and not _OF_OTHERS.search(found["text"]):
        return found["text"][:_LONGEST]
    found = _LLD.match(line)
    return found["text"] if found else ""


def _paragraph(lines: list[str]) -> str:
    """Return the indented lines that follow CMake's heading, blank lines between them included."""
    taken: list[str] = []
    for line in lines:
        if line and not line.startswith(" "):
            break
        taken.append(line)
    return "\n".join(taken)


def _absolute(path: str, folder: str) -> str:
    return os.path.normpath(Path(folder, path))
