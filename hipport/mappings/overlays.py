"""A project's own names on top of the tables: YAML files in the notation of a table, which may extend each other."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

from msgspec import Struct, field

from hipport.errors import HipportError, UsageError
from hipport.files.documents import LARGEST_TABLE, read_bounded
from hipport.files.paths import is_possible
from hipport.mappings.document import Value
from hipport.mappings.rows import Library
from hipport.mappings.schema import parse_overlay

_LONGEST_WAY = 32


class Overlays(Struct, frozen=True):
    """Checked overlays, each after those that it extends, and the bytes of every file that was read."""

    libraries: tuple[Library, ...] = ()
    contents: dict[str, bytes] = field(default_factory=dict)


def read_overlays(paths: tuple[str, ...]) -> Overlays:
    """Read overlays in the order given; later ones override earlier ones. Raises `HipportError` for errors in them."""
    found = _Found()
    for path in paths:
        found.add(path, ())
    return Overlays(tuple(found.libraries.values()), found.contents)


class _Found(Struct):
    libraries: dict[str, Library] = field(default_factory=dict)
    contents: dict[str, bytes] = field(default_factory=dict)

    def add(self, path: str, way: tuple[str, ...], place: Value | None = None) -> None:
        """Add a file after those that it extends; `way` are the files leading here, `place` the line that names it."""
        real = os.path.realpath(path) if is_possible(path) else path
        if real in way:
            names = " -> ".join(Path(one).name for one in (*way[way.index(real) :], real))
            _fail(place, path, f"a cycle of overlays: {names}", "remove one of the 'extends'")
        if len(way) > _LONGEST_WAY:
            _fail(place, path, f"more than {_LONGEST_WAY} mappings files extend each other", "Merge some of them.")
        if real in self.libraries:
            return
        library, extends = parse_overlay(self._text(path, real, place), path)
        for value in extends:
            self.add(str(Path(path).parent / value.text()), (*way, real), value)
        self.libraries[real] = library

    def _text(self, path: str, real: str, place: Value | None) -> str:
        try:
            self.contents[real] = read_bounded(path, LARGEST_TABLE)
            return self.contents[real].decode()
        except OSError as error:
            if place is None and isinstance(error, FileNotFoundError):
                raise UsageError(f"cannot read the mappings file {path!r}: {error.strerror}") from None
            _fail(place, path, f"cannot read the mappings file {path!r}: {error.strerror}")
        except UnicodeDecodeError as error:
            raise HipportError(f"{path}: not UTF-8 at byte {error.start}") from None


def _fail(place: Value | None, path: str, message: str, hint: str | None = None) -> NoReturn:
    if place is not None:
        place.fail(message, hint)
    raise HipportError(message if path in message else f"{path}: {message}", hint=hint)
