"""Read `mappings/known/rules.yaml`: what is public in CUDA, how HIP spells it, where HIP declares it."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hipport.audit.headers import Declaration
from hipport.audit.patterns import Patterns
from hipport.errors import HipportError
from hipport.mappings.document import Value, read
from hipport.mappings.loader import tables_folder


@dataclass(frozen=True, slots=True)
class Family:
    """Names of HIP or of one of its libraries, and the headers that can declare them."""

    names: Patterns
    headers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """Contents of the checked rules file."""

    internal_headers: Patterns
    internal_scopes: Patterns
    internal_names: Patterns
    public: Mapping[str, Patterns]
    underscores: Mapping[str, Patterns]
    hip: tuple[str, ...]
    spellings: tuple[tuple[str, str], ...]
    families: tuple[Family, ...]

    def is_public(self, declaration: Declaration, library: str) -> bool:
        """Return whether a name declared by a header of a library is part of CUDA's public API."""
        if self.internal_headers.match(declaration.header):
            return False
        scope = declaration.scope.split("::") if declaration.scope else []
        if self.internal_scopes.any_of(scope):
            return False
        name = declaration.name
        hidden = self.internal_names
        if library in self.underscores and name.startswith("__"):
            hidden = self.underscores[library]
        if hidden.match(name):
            return False
        spelled = f"{declaration.scope}::{name}" if scope else name
        return library not in self.public or self.public[library].match(spelled)

    def hip_spellings(self, name: str) -> Iterator[str]:
        """Yield possible HIP spellings of a CUDA name, likeliest first."""
        for cuda, hip in self.spellings:
            if name.startswith(cuda):
                yield hip + name[len(cuda) :]

    def headers_of(self, hip: str) -> tuple[str, ...]:
        """Return the headers that can declare a HIP name."""
        return next((family.headers for family in self.families if family.names.match(hip)), ())


def known_folder() -> Path:
    """Return the folder with the names and rules that the tables are checked against."""
    return tables_folder() / "known"


@functools.cache
def rules() -> Rules:
    """Return the rules that ship with hipport."""
    path = known_folder() / "rules.yaml"
    return parse_rules(read_document(path), path.name)


def read_document(path: Path) -> str:
    """Read a file that ships with the tables; HipportError if that fails."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise HipportError(f"{path.name}: {error.strerror}", hint="Reinstall hipport.") from None


def parse_rules(text: str, file: str) -> Rules:
    """Parse and check the rules; HipportError names file, line and key of the first error."""
    keys = ("internal", "public", "underscores", "hip", "spellings", "families")
    root = read(text, file)
    parts = _all_of(root, keys)
    internal = _all_of(parts["internal"], ("headers", "scopes", "names"))
    return Rules(
        internal_headers=Patterns(_texts(internal["headers"])),
        internal_scopes=Patterns(_texts(internal["scopes"])),
        internal_names=Patterns(_texts(internal["names"])),
        public=_by_library(parts["public"]),
        underscores=_by_library(parts["underscores"]),
        hip=_texts(parts["hip"]),
        spellings=tuple(_spelling(value) for value in parts["spellings"].items()),
        families=tuple(_family(value) for value in parts["families"].items()),
    )


def _all_of(value: Value, keys: tuple[str, ...]) -> dict[str, Value]:
    parts = value.members(keys)
    for key in keys:
        if key not in parts:
            value.fail(f"the key {key!r} is missing")
    return parts


def _texts(value: Value) -> tuple[str, ...]:
    return tuple(item.text() for item in value.items())


def _by_library(value: Value) -> dict[str, Patterns]:
    return {library: Patterns(_texts(patterns)) for library, patterns in value.members().items()}


def _spelling(value: Value) -> tuple[str, str]:
    pair = _texts(value)
    if len(pair) != 2:
        value.fail("expected a CUDA prefix and a HIP prefix")
    return pair[0], pair[1]


def _family(value: Value) -> Family:
    parts = _all_of(value, ("names", "headers"))
    return Family(Patterns(_texts(parts["names"])), _texts(parts["headers"]))
