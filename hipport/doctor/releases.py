"""ROCm releases and their compatible components, read from `mappings/doctor/releases.yaml`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hipport.mappings.loader import tables_folder

if TYPE_CHECKING:
    from hipport.mappings.document import Value

_FILE = "doctor/releases.yaml"
_LISTS = ("gpus", "pytorch", "tensorflow", "jax", "user_space", "systems")
FRAMEWORKS = ("pytorch", "tensorflow", "jax")


@dataclass(frozen=True, slots=True)
class Source:
    """The source of a fact: a page and its date."""

    url: str
    date: str


@dataclass(frozen=True, slots=True)
class Release:
    """A release of ROCm; unknown fields are empty.

    `clang` is the major release of its compiler, `gpus` are the supported GPUs, `user_space` the releases that its
    kernel driver was tested with, `systems` the ID and version of os-release, `frameworks` the tested releases by
    name.
    """

    name: str
    sources: tuple[Source, ...]
    clang: str = ""
    gpus: tuple[str, ...] = ()
    user_space: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    ucx: str = ""
    frameworks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@functools.cache
def load_releases() -> dict[str, Release]:
    """Return all releases by name, oldest first. Raises HipportError with file, line and key for an invalid table."""
    from hipport.mappings.document import read

    root = read((tables_folder() / _FILE).read_text(encoding="utf-8"), _FILE)
    parts = root.members(("sources", "releases"))
    sources = {name: _source(value) for name, value in parts["sources"].members().items()}
    return {name: _release(name, value, sources) for name, value in parts["releases"].members().items()}


def release_of(version: str) -> Release | None:
    """Return the release of a version such as 6.3.42131, or None if it is unknown."""
    return load_releases().get(".".join(version.split(".")[:2]))


def releases_for(processor: str) -> list[str]:
    """Return the releases that support a processor, oldest first."""
    return [name for name, row in load_releases().items() if processor in row.gpus]


def _source(value: Value) -> Source:
    parts = value.members(("url", "date"))
    return Source(parts["url"].text(), parts["date"].text())


def _release(name: str, value: Value, sources: Mapping[str, Source]) -> Release:
    parts = value.members((*_LISTS, "source", "clang", "ucx"))
    if "source" not in parts:
        value.fail("the key 'source' is missing")
    for item in parts["source"].items():
        if item.text() not in sources:
            item.fail(f"unknown source {item.text()!r}", f"there are {', '.join(sources)}")
    lists = {key: tuple(item.text() for item in parts[key].items()) if key in parts else () for key in _LISTS}
    texts = {key: parts[key].text() if key in parts else "" for key in ("clang", "ucx")}
    return Release(
        name,
        tuple(sources[item.text()] for item in parts["source"].items()),
        texts["clang"],
        lists["gpus"],
        lists["user_space"],
        lists["systems"],
        texts["ucx"],
        {key: lists[key] for key in FRAMEWORKS},
    )
