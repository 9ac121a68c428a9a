"""Declarations of one release: the signatures of functions, and the types that these name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from hipport.audit.signatures.types import CType, parse_type
from hipport.errors import HipportError

_SIGNATURE = re.compile(r"(?:<(?P<template>[^>]*)> )?(?P<returns>.*?) \((?P<parameters>.*)\)\Z")
_MACRO = "macro"
_SEPARATOR = "; "


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter's type as declared, and whether it has a default."""

    type: str
    default: bool = False


@dataclass(frozen=True, slots=True)
class Signature:
    """One overload of a function; `template` are the names of its type parameters."""

    returns: str
    parameters: tuple[Parameter, ...]
    template: tuple[str, ...] = ()

    @property
    def least(self) -> int:
        """Number of parameters without a default."""
        return sum(not parameter.default for parameter in self.parameters)

    @property
    def variadic(self) -> bool:
        return bool(self.parameters) and self.parameters[-1].type == "..."

    def takes(self, count: int) -> bool:
        """Return whether a call may have this many arguments."""
        return self.least - self.variadic <= count and (self.variadic or count <= len(self.parameters))

    def types(self) -> tuple[CType, ...]:
        return tuple(parse_type(parameter.type) for parameter in self.parameters)

    def __str__(self) -> str:
        template = f"<{', '.join(self.template)}> " if self.template else ""
        parameters = _SEPARATOR.join(one.type + (" =" if one.default else "") for one in self.parameters)
        return f"{template}{self.returns} ({parameters})"


def parse_signature(text: str) -> Signature:
    """Parse what `str` returns for a signature."""
    match = _SIGNATURE.match(text)
    if match is None:
        raise ValueError(f"not a signature: {text}")
    parts = match["parameters"].split(_SEPARATOR) if match["parameters"] else []
    parameters = tuple(Parameter(part.removesuffix(" ="), part.endswith(" =")) for part in parts)
    template = tuple(match["template"].split(", ")) if match["template"] else ()
    return Signature(match["returns"], parameters, template)


@dataclass(frozen=True, slots=True)
class Declarations:
    """Functions with their overloads, names of function-like macros, canonical types of typedefs, names of enums."""

    functions: Mapping[str, tuple[Signature, ...]]
    macros: frozenset[str]
    typedefs: Mapping[str, str]
    enums: frozenset[str]


def write(releases: Mapping[str, Declarations]) -> str:
    """Return the text for several releases: a line for each fact, with the releases in which it holds."""
    facts: dict[str, list[str]] = {}
    for version, declared in releases.items():
        for fact in _facts(declared):
            facts.setdefault(fact, []).append(version)
    every = " ".join(releases)
    lines = (f"{fact}\t{'*' if (at := ' '.join(found)) == every else at}" for fact, found in sorted(facts.items()))
    return "\n".join([every, *lines]) + "\n"


def _facts(declared: Declarations) -> Iterator[str]:
    for name, overloads in declared.functions.items():
        yield from (f"{name}\t{signature}" for signature in overloads)
    yield from (f"{name}\t{_MACRO}" for name in declared.macros)
    yield from (f"{name}\t= {canonical}" for name, canonical in declared.typedefs.items())
    yield from (f"{name}\tenum" for name in declared.enums)


def read(text: str, file: str) -> dict[str, Declarations]:
    """Parse the text that `write` returns; HipportError for a damaged file."""
    first, *lines = text.splitlines()
    facts: dict[str, list[tuple[str, str]]] = {version: [] for version in first.split()}
    for number, line in enumerate(lines, 2):
        try:
            name, fact, versions = line.split("\t")
            for version in facts if versions == "*" else versions.split():
                facts[version].append((name, fact))
        except (ValueError, KeyError):
            hint = "Recreate it with: python -m scripts.compare_signatures"
            raise HipportError(f"{file}:{number}: not a list of signatures", hint=hint) from None
    return {version: _declarations(found) for version, found in facts.items()}


def _declarations(facts: Iterable[tuple[str, str]]) -> Declarations:
    functions: dict[str, list[Signature]] = {}
    typedefs: dict[str, str] = {}
    kinds: dict[str, set[str]] = {_MACRO: set(), "enum": set()}
    for name, fact in facts:
        if fact in kinds:
            kinds[fact].add(name)
        elif fact.startswith("= "):
            typedefs[name] = fact[2:]
        else:
            functions.setdefault(name, []).append(parse_signature(fact))
    overloads = {name: tuple(found) for name, found in functions.items()}
    return Declarations(overloads, frozenset(kinds[_MACRO]), typedefs, frozenset(kinds["enum"]))
