"""The functions that CUB's and Thrust's headers declare, read from their text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_TEMPLATE = r"(?:template\s*<(?P<template>[^{};]*?)>\s*)?"
_RESULT = r"(?:cudaError_t|auto|(?:::)?(?:cuda::)?std::enable_if_t<[^;{}]*?,\s*cudaError_t>)"
_OF_DEVICE = re.compile(
    r"\nstruct (?P<owner>\w+)|"
    + _TEMPLATE
    + r"(?:CUB_RUNTIME_FUNCTION|_CCCL_HOST_API|_CCCL_HOST)\s+(?:_CCCL_FORCEINLINE\s+)?(?:static\s+)?"
    + rf"(?:_CCCL_HOST_API\s+)?(?:static\s+)?{_RESULT}\s+(?P<name>\w+)\s*\((?P<parameters>[^{{}};]*?)\)\s*\{{"
)
_OF_THREADS = re.compile(
    r"\nclass (?P<owner>\w+)\s*(?::[^{;]*)?\{|\n(?P<access>public|private|protected):|"
    r"(?:template\s*<(?P<template>[^{};()]*?)>\s*)?"
    r"_CCCL_DEVICE\s+_CCCL_FORCEINLINE\s+[\w<>:, &]+?\s+(?P<name>\w+)\s*\((?P<parameters>[^{};]*?)\)\s*(?:const\s*)?\{"
)
_OF_THRUST = re.compile(
    r"\b(?P<name>[a-z_]\w*)\s*\(\s*const (?:thrust::)?detail::execution_policy_base<\w+>\s*&\s*\w+,"
    r"(?P<parameters>[^;{}]*?)\)\s*;"
)
_NAME = re.compile(r"\(&\s*(\w+)\)|(\w+)(?:\s*\[\w+\])?\s*\Z")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter as written, without its default value."""

    text: str
    name: str
    is_optional: bool


@dataclass(frozen=True, slots=True)
class Declaration:
    """A function of a header. `owner`: the class, or an empty string; `template`: its template's parameters."""

    header: str
    owner: str
    name: str
    template: str
    parameters: tuple[Parameter, ...]


def of_device(include: Path) -> Iterator[Declaration]:
    """Yield CUB's algorithms for a whole device."""
    for path, text in _texts(include, "cub/device"):
        owner = ""
        for found in _OF_DEVICE.finditer(text):
            owner = found["owner"] or owner
            if found["name"]:
                yield _declaration(path.name, owner, found["name"], found["template"], found["parameters"])


def of_threads(include: Path) -> Iterator[Declaration]:
    """Yield CUB's functions and public members for blocks and warps."""
    for path, text in (*_texts(include, "cub/block"), *_texts(include, "cub/warp")):
        owner, is_public = "", True
        for found in _OF_THREADS.finditer(text):
            if found["owner"]:
                owner, is_public = found["owner"], False
            elif found["access"]:
                is_public = found["access"] == "public"
            elif is_public and found["name"] != owner:
                yield _declaration(path.name, owner, found["name"], found["template"], found["parameters"])


def of_thrust(include: Path) -> Iterator[Declaration]:
    """Yield Thrust's algorithms, without the policy that each of them may begin with."""
    for path, text in _texts(include, "thrust"):
        for found in _OF_THRUST.finditer(text):
            yield _declaration(path.name, "", found["name"], None, found["parameters"])


def split(text: str) -> Iterator[str]:
    """Yield the parts between the commas that no bracket encloses."""
    depth, begin = 0, 0
    for at, character in enumerate(text):
        depth += (character in "<([{") - (character in ">)]}")
        if character == "," and depth == 0:
            yield text[begin:at].strip()
            begin = at + 1
    if text[begin:].strip():
        yield text[begin:].strip()


def _texts(include: Path, folder: str) -> Iterator[tuple[Path, str]]:
    for path in sorted([*(include / folder).glob("*.cuh"), *(include / folder).glob("*.h")]):
        yield path, _COMMENT.sub("", path.read_text(encoding="utf-8"))


def _declaration(header: str, owner: str, name: str, template: str | None, parameters: str) -> Declaration:
    found = tuple(_parameter(part) for part in split(" ".join(parameters.split())))
    return Declaration(header, owner, name, " ".join((template or "").split()), found)


def _parameter(text: str) -> Parameter:
    written = text.partition("=")[0].strip()
    named = _NAME.search(written)
    name = (named[1] or named[2]) if named else ""
    return Parameter(written, name, "=" in text)
