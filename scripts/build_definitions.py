"""Read the macros by which a tree's build files switch the CUDA code of its sources on.

A macro counts if it is named after CUDA or GPUs, the sources test it without defining it, and a build with CUDA and
otherwise default options defines it: conditions about CUDA or GPUs hold, options have their defaults, and nothing else
is known. Other macros often belong to one target, such as a test. Values that the build computes are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hipport.buildfiles.build_systems import BuildSystem, kind_of
from hipport.buildfiles.readers.cmake import Command, read_commands
from hipport.buildfiles.readers.make import logical_lines

_SOURCES = {".cu", ".cuh", ".h", ".hpp", ".hh", ".hxx", ".c", ".cc", ".cpp", ".cxx", ".inl", ".inc"}
_TESTED = re.compile(r"^[ \t]*#[ \t]*(?:el)?if(?:n?def)?\b((?:[^\\\n]|\\\r?\n|\\.)*)", re.MULTILINE)
_DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_]\w*")
_MACRO = re.compile(r"(?P<name>[A-Za-z_]\w*)(?:=(?P<value>[\w.+-]*))?")
_OPTION = re.compile(r"""(?<![\w-])-D[ \t]?(?P<macro>[A-Za-z_]\w*(?:=(?:[\w.+-]|\$|[({'"\\])*)?)""")
_FOR_CUDA = re.compile(r"\$<\$<COMPILE_LANGUAGE:(?:CXX,)?CUDA(?:,CXX)?>:(?P<inner>[^<>]*)>")
_OF_CUDA = re.compile(r"cuda|gpu", re.IGNORECASE)
_SWITCH = re.compile(r"(?:^|_|USE|WITH|HAVE|ENABLE)(?:CUDA|GPU)(?:_|\Z)", re.IGNORECASE)
_AGAINST = re.compile(r"(?:^|_)(?:NO|NOT|WITHOUT|DISABLE|HIP|ROCM|AMD|SYCL|INTEL|OPENCL|OPENMP)_", re.IGNORECASE)
_VISIBILITY = {"PRIVATE", "PUBLIC", "INTERFACE"}
_ON = {"ON", "TRUE", "1", "YES"}
_OTHER_COMMANDS = {"message", "execute_process", "add_custom_command", "add_custom_target", "externalproject_add", "if"}
_MAKE_CONDITION = re.compile(r"[ \t]*(?:(?P<open>ifn?(?:eq|def)\b)|(?P<close>endif\b))")


@dataclass
class _Branches:
    """The conditions around a command: whether each holds, and whether it or one before it may; None if unknown."""

    options: Mapping[str, bool]
    open: list[tuple[bool | None, bool | None]] = field(default_factory=list)

    @property
    def taken(self) -> bool:
        return all(holds for holds, _ in self.open)

    def see(self, command: Command) -> None:
        """Follow `if`, `elseif`, `else` and `endif`."""
        if command.name == "if":
            holds = _holds(command.texts(), self.options)
            self.open.append((holds, holds))
        elif command.name in ("elseif", "else") and self.open:
            _, before = self.open.pop()
            holds = True if command.name == "else" else _holds(command.texts(), self.options)
            known = None if before is None or holds is None else before or holds
            self.open.append((holds if before is False else False, known))
        elif command.name == "endif" and self.open:
            self.open.pop()


def defined_for_cuda(tree: Path) -> list[str]:
    """Return compiler options (`-DNAME=VALUE`) for the macros that the build of a tree defines, sorted by name."""
    files = sorted(path for path in tree.rglob("*") if path.is_file() and not path.is_symlink())
    tested, own = _macros_of_sources(path for path in files if path.suffix in _SOURCES)
    built = [(path, kind) for path in files if (kind := kind_of(path.name)) is not None]
    found: dict[str, str] = {}
    for text, kind in ((path.read_text("utf-8", "replace"), kind) for path, kind in built):
        for name, value in definitions(text, kind):
            if name in tested - own and _is_switch(name):
                found.setdefault(name, value)
    return [f"-D{name}={value}" for name, value in sorted(found.items())]


def _is_switch(name: str) -> bool:
    return _SWITCH.search(name) is not None and _AGAINST.search(name) is None


def definitions(text: str, kind: BuildSystem) -> Iterator[tuple[str, str]]:
    """Yield the names and values of the macros that a build file defines in a build with CUDA."""
    if kind is BuildSystem.CMAKE:
        words = _of_cmake(read_commands(text))
    elif kind is BuildSystem.MAKE:
        words = _of_make(text)
    else:
        words = (match["macro"] for match in _OPTION.finditer(text)) if kind is BuildSystem.SETUP_PY else iter(())
    for match in filter(None, (_MACRO.fullmatch(word.rstrip("'\"")) for word in words)):
        yield match["name"], "1" if match["value"] is None else match["value"]


def _macros_of_sources(paths: Iterable[Path]) -> tuple[set[str], set[str]]:
    """Return the names that the sources test, and those that they define."""
    tested: set[str] = set()
    own: set[str] = set()
    for text in (path.read_text("utf-8", "replace") for path in paths):
        tested.update(word for line in _TESTED.findall(text) for word in _WORD.findall(line))
        own.update(_DEFINED.findall(text))
    return tested, own


def _of_cmake(commands: Iterable[Command]) -> Iterator[str]:
    commands = list(commands)
    branches = _Branches(_options(commands))
    for command in commands:
        branches.see(command)
        if branches.taken:
            yield from _defined_by(command)


def _defined_by(command: Command) -> Iterator[str]:
    """Yield `NAME` and `NAME=VALUE` for the macros of one command."""
    texts = [_FOR_CUDA.sub(lambda match: match["inner"], text) for text in command.texts()]
    if command.name in ("target_compile_definitions", "add_compile_definitions"):
        first = 1 if command.name.startswith("target") else 0
        words = (word for text in texts[first:] for word in text.split(";") if word not in _VISIBILITY)
        yield from (word.removeprefix("-D") for word in words)
    elif command.name not in _OTHER_COMMANDS:
        yield from (match["macro"] for text in texts for match in _OPTION.finditer(text))


def _options(commands: Iterable[Command]) -> dict[str, bool]:
    """Return the default values of a file's options."""
    found: dict[str, bool] = {}
    for command in commands:
        texts = command.texts()
        if command.name == "option" and texts:
            found[texts[0]] = len(texts) > 2 and texts[2].upper() in _ON
        elif command.name == "set" and len(texts) == 2:
            found[texts[0]] = texts[1].upper() in _ON
    return found


def _holds(words: list[str], options: Mapping[str, bool]) -> bool | None:
    """Return whether a condition holds in a build with CUDA, None if that is not known; parentheses are left out."""
    alternatives = [_all(_split(each, "AND"), options) for each in _split(words, "OR")]
    if any(alternatives):
        return True
    return None if None in alternatives else False


def _split(words: list[str], operator: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for word in words:
        if word == operator:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def _all(terms: list[list[str]], options: Mapping[str, bool]) -> bool | None:
    values = [_term(term, options) for term in terms]
    if False in values:
        return False
    return None if None in values else True


def _term(words: list[str], options: Mapping[str, bool]) -> bool | None:
    if words[:1] == ["NOT"]:
        value = _term(words[1:], options)
        return None if value is None else not value
    if len(words) != 1:
        return None
    name = words[0].removeprefix("${").removesuffix("}")
    if _OF_CUDA.search(name):
        return not _AGAINST.search(name)
    return options.get(name, name.upper() in _ON)


def _of_make(text: str) -> Iterator[str]:
    """Yield the macros of lines outside conditions."""
    depth = 0
    for line in logical_lines(text):
        condition = None if line.variable else _MAKE_CONDITION.match(text, line.start)
        if condition is not None:
            depth += 1 if condition["open"] else -1
        elif depth <= 0:
            yield from (match["macro"] for match in _OPTION.finditer(text, line.start, line.end))
