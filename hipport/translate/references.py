"""Resolution of CUDA names: which occurrences mean the CUDA entity."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from hipport.mappings.entry import Entry
from hipport.mappings.loader import Tables
from hipport.source import Span
from hipport.translate.meanings import NOTHING_KNOWN, Meanings
from hipport.translate.syntax.brackets import skip_blanks, skip_blanks_back
from hipport.translate.syntax.definitions import (
    Definition,
    definition_at,
    is_forward_declared_at,
    macro_definitions,
)
from hipport.translate.syntax.nesting import Nested
from hipport.translate.syntax.unit import Unit


@dataclass(frozen=True, slots=True)
class Reference:
    """A place where a CUDA name means the CUDA entity."""

    entry: Entry
    span: Span


@dataclass(frozen=True, slots=True)
class References:
    """A unit's references to the CUDA names in the tables.

    `used`: those names as they occur in the code, whatever they mean there; `exported`: those that the unit itself
    defines visibly to its includers.
    """

    found: tuple[Reference, ...]
    used: frozenset[str]
    exported: frozenset[str]


def resolve(unit: Unit, tables: Tables, foreign: frozenset[str], meanings: Meanings = NOTHING_KNOWN) -> References:
    """Find the references of a unit to CUDA names.

    `foreign` are names that files included by this one define themselves. `meanings` is what libclang knows; syntax
    decides where libclang has no answer.
    """
    places = unit.occurrences(tables.active)
    candidates = [place for place in places if may_mean_cuda(unit, place[0], place[1], tables)]
    own = _own_definitions(unit, candidates, tables)
    scopes = {name: _scopes(definitions) for name, definitions in own.items()}
    inside = {name: _overload_bodies(unit, name, places) for name in own}
    by_syntax = {
        offset
        for name, offset in candidates
        if (name not in foreign and not _is_hidden(unit, scopes.get(name), offset))
        or any(offset in body for body in inside.get(name, ()))
    }
    found = tuple(
        Reference(tables.names[name], Span(offset, offset + len(name)))
        for name, offset in places
        if _means_cuda(name, offset, meanings, tables, foreign, by_syntax=offset in by_syntax)
    )
    exported = frozenset(name for name, definitions in own.items() if any(d.exported for d in definitions))
    return References(found, frozenset(name for name, _ in places), exported)


def _means_cuda(
    name: str, offset: int, meanings: Meanings, tables: Tables, foreign: frozenset[str], *, by_syntax: bool
) -> bool:
    """Return libclang's answer, or `by_syntax` if it has none or may have missed a definition in another file."""
    if name in tables.own or (offset not in meanings.cuda and offset not in meanings.own):
        return by_syntax
    if offset in meanings.own:
        return False
    return by_syntax or meanings.sure or name not in foreign


_SMALL_FLOAT = re.compile(r"\s*\(\s*(?:__)?(?:half|(?:nv|hip)_bfloat16)2?\s*\*")
"""Matches the parameters of an `atomicAdd` that projects define for older GPUs: an overload beside CUDA's own."""


_OVERLOAD = re.compile(r"\s*\([^()]*\b(?!std\b|cuda\b)[A-Za-z_]\w*\s*::\s*\w[^()]*\)\s*(?=\{)")
"""Matches parameters with a type in a namespace (`at::Half`), which no function of CUDA's C interface has."""


def _overload_bodies(unit: Unit, name: str, places: Sequence[tuple[str, int]]) -> tuple[range, ...]:
    """Return the bodies of functions that overload a CUDA function for a type of their own: they call CUDA's by it."""
    code = unit.code
    found = (_OVERLOAD.match(code, offset + len(name)) for each, offset in places if each == name)
    return tuple(range(match.end(), code.find("}", match.end())) for match in found if match)


def _own_definitions(unit: Unit, places: Sequence[tuple[str, int]], tables: Tables) -> dict[str, list[Definition]]:
    own: dict[str, list[Definition]] = defaultdict(list)
    for name, offset in places:
        if name in tables.own:
            continue
        definition = definition_at(unit, name, offset, lambda each: bool(_counterpart(tables, each)))
        if definition is None and not _counterpart(tables, name) and is_forward_declared_at(unit, name, offset):
            definition = Definition(name, Span(0, len(unit.code)), exported=True)
        if definition is not None and not (name == "atomicAdd" and _SMALL_FLOAT.match(unit.code, offset + len(name))):
            own[name].append(definition)
    active = tables.active - tables.own if tables.own else tables.active
    for definition in macro_definitions(unit, active, lambda name: _counterpart(tables, name)):
        own[definition.name].append(definition)
    return own


def _counterpart(tables: Tables, name: str) -> str:
    entry = tables.names.get(name)
    return entry.hip.name if entry is not None and entry.hip is not None else ""


@dataclass(frozen=True, slots=True)
class _Scopes:
    """The scopes of a name's definitions: those visible in the whole file, and all."""

    exported: Nested[None]
    all: Nested[None]

    def hold(self, offset: int, *, exported: bool) -> bool:
        return (self.exported if exported else self.all).has(Span(offset, offset + 1))


def _scopes(definitions: Sequence[Definition]) -> _Scopes:
    return _Scopes(
        Nested.of((definition.scope, None) for definition in definitions if definition.exported),
        Nested.of((definition.scope, None) for definition in definitions),
    )


def _is_hidden(unit: Unit, scopes: _Scopes | None, offset: int) -> bool:
    """Return whether a definition hides the CUDA name here; `::name` sees only definitions of the whole file."""
    if scopes is None:
        return False
    is_global = unit.code[skip_blanks_back(unit.code, offset) - 2 : offset].startswith("::")
    return scopes.hold(offset, exported=is_global)


def may_mean_cuda(unit: Unit, name: str, offset: int, tables: Tables) -> bool:
    """Return whether the tokens around a name allow CUDA's: no member access, other namespace or `##`."""
    code = unit.code
    end = skip_blanks_back(code, offset)
    before = code[max(0, end - 2) : end]
    if before in ("->", "##") or (before[-1:] == "." and before != ".."):
        return False
    if before == "::" and name not in tables.own:
        return _is_cuda_scope(unit, end - 2, tables)
    after = skip_blanks(code, offset + len(name))
    return code[after : after + 2] != "##"


_KEYWORDS = frozenset({"return", "else", "case", "throw", "using", "typename", "new", "delete", "sizeof", "const"})
_QUALIFIER = re.compile(r"(?:([A-Za-z_$][\w$]*)\s*::\s*)?([A-Za-z_$][\w$]*)\s*$")


def _is_cuda_scope(unit: Unit, end: int, tables: Tables) -> bool:
    """Return True for `::cudaFree`, `cudaError::cudaSuccess`, `cg::invoke_one`, `thrust::system::cuda_category`.

    False for `mine::cudaFree`.
    """
    code = unit.code
    end = skip_blanks_back(code, end)
    match = _QUALIFIER.search(code, max(0, end - 256), end)
    if match is None:
        return code[end - 1 : end] != ">"
    outer, name = match.groups()
    if outer in tables.namespaces or name in tables.known or name in tables.namespaces or name in _KEYWORDS:
        return True
    return _is_alias(unit, name, tables)


def _is_alias(unit: Unit, name: str, tables: Tables) -> bool:
    """Return whether the file aliases a CUDA namespace to this name: `namespace cg = cooperative_groups`."""
    return _aliases(unit.code).get(name) in tables.namespaces


_ALIAS = re.compile(r"\bnamespace\s+([A-Za-z_$][\w$]*)\s*=\s*(?:::)?\s*([\w:]+)")


@functools.lru_cache(maxsize=4)
def _aliases(code: str) -> dict[str, str]:
    """Return the targets of namespace aliases by name; the first declaration of a name is used."""
    return {match[1]: match[2] for match in reversed([*_ALIAS.finditer(code)])}
