"""Lists of NVIDIA architectures."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.buildfiles.cmake.tree import Command
from hipport.buildfiles.options import architectures_named
from hipport.buildfiles.work import Found, Work
from hipport.source import Replace

_VARIABLE = "CMAKE_CUDA_ARCHITECTURES"
_PROPERTY = "CUDA_ARCHITECTURES"
_ENDS = {"CACHE", "PARENT_SCOPE"}
_KEPT = {"OFF", "FALSE", ""}


def run(work: Work) -> Iterator[Found]:
    """`CMAKE_CUDA_ARCHITECTURES` and the property, with the targets as their values."""
    for command in work.commands:
        texts = command.texts()
        if command.name == "set" and texts[:1] == [_VARIABLE] and len(texts) > 1:
            yield from _set(work, command)
        elif command.name == "list" and texts[1:2] == [_VARIABLE] and len(texts) > 2 and texts[0] != "LENGTH":
            yield from _values(work, command, 2, len(texts))
        elif command.name in ("set_target_properties", "set_property") and _PROPERTY in texts:
            yield from _property(work, command)


def _set(work: Work, command: Command) -> Iterator[Found]:
    texts = command.texts()
    end = next((number for number, text in enumerate(texts) if text in _ENDS), len(texts))
    yield from _values(work, command, 1, end)
    if end == len(texts) and texts[1] not in _KEPT:
        close = command.end - 1
        yield Replace(close, close, ' CACHE STRING "GPUs to build for"')


def _property(work: Work, command: Command) -> Iterator[Found]:
    at = command.texts().index(_PROPERTY)
    end = len(command.arguments) if command.name == "set_property" else at + 2
    yield from _values(work, command, at + 1, end)


def _values(work: Work, command: Command, first: int, end: int) -> Iterator[Found]:
    values = command.arguments[first:end]
    if not values or (len(values) == 1 and (values[0].text in _KEPT or "{" in values[0].text)):
        return
    joined = ";".join(work.context.targets)
    several = not values[0].quoted and command.name in ("set", "list", "set_property")
    text = joined.replace(";", " ") if several else joined if values[0].quoted else f'"{joined}"'
    yield Replace(values[0].start, values[-1].end, text)
    yield architectures_named(work, values[0].start, work.context.targets)


