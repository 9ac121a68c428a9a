"""Load and check the tables for build files, `mappings/buildfiles/*.yaml`. Notation: docs/build-files.md."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, field

import hipport
from hipport.diagnostics import Severity
from hipport.mappings import cache
from hipport.mappings.choice import Flavour
from hipport.mappings.loader import tables_folder

if TYPE_CHECKING:
    from hipport.mappings.document import Value

_FILES = ("cmake", "libraries", "nvcc", "programs")
_OPTION_KEYS = ("names", "value", "action", "only", "to", "values", "rest", "drop", "warn", "advice", "severity")
_NAME_KEYS = ("download_owners", "other_owners", "download_words", "other_words")
_LINK_KEYS = ("link", "target", "package")


class Option(Struct, frozen=True):
    """An nvcc option.

    `value`: it takes a value, "joined" only with `=`, "separate" also as the next word. `values` maps values to
    replacements, which may be empty, `to` replaces it for any value, `action` selects code that does. `drop` says why
    it is left out.
    `nvcc_only`: the name means something else to other programs. Without any of these it has no counterpart.
    `keep_rest`: values not listed are left alone without a diagnostic.
    """

    names: tuple[str, ...]
    value: str = ""
    action: str = ""
    nvcc_only: bool = False
    to: str | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    keep_rest: bool = False
    drop: str = ""
    warn: str = ""
    advice: str = ""
    severity: Severity = Severity.NOTE


class Library(Struct, frozen=True):
    """A CUDA library: the library that `-l` links with instead, the CMake target, and the package that provides it."""

    name: str
    link: str = ""
    target: str = ""
    package: str = ""
    drop: str = ""
    advice: str = ""


class Word(Struct, frozen=True):
    """A CMake variable, property or command; `to` is empty if it has no counterpart."""

    name: str
    to: str = ""
    action: str = ""
    links: str = ""
    drop: str = ""
    advice: str = ""


class DownloadNames(Struct, frozen=True):
    """Owners of repositories, and words of their names, that are CUDA or something else: patterns of fnmatch."""

    owners: tuple[str, ...]
    other_owners: tuple[str, ...]
    words: tuple[str, ...]
    other_words: tuple[str, ...]


class BuildTables(Struct, frozen=True):
    """All tables: `libraries` by flavor and name, CMake's words by name (`X*` for all that begin with X)."""

    options: Mapping[str, Option]
    libraries: Mapping[Flavour, Mapping[str, Library]]
    variables: Mapping[str, Word]
    library_variables: Mapping[str, str]
    properties: Mapping[str, Word]
    commands: Mapping[str, Word]
    expressions: Mapping[str, Mapping[str, str]]
    expression_names: Mapping[str, str]
    downloads: Mapping[str, str]
    programs: Mapping[str, str]
    named: DownloadNames
    minimum: str

    def variable(self, name: str) -> Word | None:
        """Return the row of a variable: its own, or one from the pattern `X*` that matches it."""
        found = self.variables.get(name)
        for pattern, word in self.variables.items():
            if found is None and pattern.endswith("*") and name.startswith(pattern[:-1]):
                return Word(name, word.to[:-1] + name[len(pattern) - 1 :])
        return found


@functools.cache
def load_build_tables() -> BuildTables:
    """Return the tables from the user's cache, or else from the files.

    HipportError names file, line and key of the first error.
    """
    texts = {name: (tables_folder() / f"buildfiles/{name}.yaml").read_bytes() for name in _FILES}
    key = cache.key(b"build files", hipport.__version__.encode(), *texts.values())
    image = cache.read(key)
    if image is None:
        image = _image(_compiled(texts))
        cache.write(key, image)
    return _from_image(image)


def _image(tables: BuildTables) -> dict[str, Any]:
    """Return the tables as plain data for the cache."""
    image: dict[str, Any] = msgspec.to_builtins(tables)
    return image


def _from_image(image: dict[str, Any]) -> BuildTables:
    words = {
        part: {n: Word(**row) for n, row in image[part].items()} for part in ("variables", "properties", "commands")
    }
    options = {
        name: Option(**row | {"names": tuple(row["names"]), "severity": Severity(row["severity"])})
        for name, row in image["options"].items()
    }
    libraries = {
        flavour: {n: Library(**row) for n, row in rows.items()} for flavour, rows in image["libraries"].items()
    }
    named = DownloadNames(**{key: tuple(patterns) for key, patterns in image["named"].items()})
    return BuildTables(**image | words | {"options": options, "libraries": libraries, "named": named})


def _compiled(texts: Mapping[str, bytes]) -> BuildTables:
    cmake = _read(texts, "cmake").members(
        (
            "minimum",
            "variables",
            "library_variables",
            "properties",
            "commands",
            "expressions",
            "expression_names",
            "downloads",
            *_NAME_KEYS,
        )
    )
    libraries = _read(texts, "libraries").members()
    options = [option(value) for value in _read(texts, "nvcc").items()]
    return BuildTables(
        {name: option for option in options for name in option.names},
        {flavour: {n: _library(n, v, flavour) for n, v in libraries.items()} for flavour in ("hip", "roc")},
        _words(cmake["variables"]),
        {name: value.text() for name, value in cmake["library_variables"].members().items()},
        _words(cmake["properties"]),
        _words(cmake["commands"]),
        {name: dict(_texts(value)) for name, value in cmake["expressions"].members().items()},
        dict(_texts(cmake["expression_names"])),
        dict(_texts(cmake["downloads"])),
        dict(_texts(_read(texts, "programs"))),
        DownloadNames(*(tuple(each.text() for each in cmake[key].items()) for key in _NAME_KEYS)),
        cmake["minimum"].text(),
    )


def _read(texts: Mapping[str, bytes], name: str) -> Value:
    from hipport.mappings.document import read

    return read(texts[name].decode(), f"buildfiles/{name}.yaml")


def _texts(value: Value) -> Iterator[tuple[str, str]]:
    for name, inner in value.members().items():
        yield name, "" if inner.is_null else inner.text()


def option(value: Value) -> Option:
    """Parse and check a row of the table of options; HipportError names the first error."""
    parts = value.members(_OPTION_KEYS)
    if "names" not in parts:
        value.fail("the key 'names' is missing")
    texts = {key: parts[key].text() for key in ("value", "action", "drop", "warn", "advice") if key in parts}
    return Option(
        tuple(item.text() for item in parts["names"].items()),
        nvcc_only="only" in parts,
        to=parts["to"].text() if "to" in parts else None,
        values=dict(_texts(parts["values"])) if "values" in parts else {},
        keep_rest="rest" in parts,
        severity=parts["severity"].parsed(Severity) if "severity" in parts else Severity.NOTE,
        **texts,
    )


def _library(name: str, value: Value, flavour: Flavour) -> Library:
    parts = value.members((*_LINK_KEYS, "roc", "drop", "advice"))
    roc = parts.pop("roc", None)
    if roc is not None and flavour == "roc":
        parts |= roc.members(_LINK_KEYS)
    return Library(name, **{key: part.text() for key, part in parts.items()})


def _words(section: Value) -> dict[str, Word]:
    return {name: _word(name, value) for name, value in section.members().items()}


def _word(name: str, value: Value) -> Word:
    if not value.is_mapping:
        return Word(name, value.text())
    parts = value.members(("to", "action", "links", "drop", "advice"))
    return Word(name, **{key: part.text() for key, part in parts.items()})
