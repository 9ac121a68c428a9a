"""A project's own definitions of CUDA names, and those that only replace CUDA's in builds without it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hipport.files.inclusion import WITHOUT_CUDA
from hipport.mappings.entry import Entry
from hipport.mappings.loader import Tables
from hipport.source import Span
from hipport.translate.syntax.branches import branches_of
from hipport.translate.syntax.compiled import is_compiled, is_for_amd
from hipport.translate.syntax.definitions import (
    Definition,
    definition_at,
    is_forward_declared_at,
    macro_definitions,
)
from hipport.translate.syntax.named_scopes import regions
from hipport.translate.syntax.unit import Unit

Substitute = tuple[Entry, Span]
"""A CUDA name, and where a file defines it for builds without CUDA's."""


def own_definitions(
    unit: Unit, places: Sequence[tuple[str, int]], tables: Tables, foreign: frozenset[str]
) -> tuple[dict[str, list[Definition]], list[Substitute]]:
    """Return the definitions that hide CUDA's names, by name, and those that only replace CUDA's in other builds."""
    own: dict[str, list[Definition]] = defaultdict(list)
    substitutes: list[Substitute] = []
    for definition in _definitions(unit, places, tables):
        entry = tables.names[definition.name]
        if not definition.exported or not _is_substitute(unit, entry, definition.at, foreign):
            own[definition.name].append(definition)
            continue
        substitutes.append((entry, Span(definition.at, definition.at + len(entry.name))))
        if entry.hip is None:  # it is still what code in the same branch means
            own[definition.name].append(replace(definition, scope=_branch(unit, definition.at), exported=False))
    for each in foreign:
        name, at, owner = each.partition("@")
        if at and not owner.startswith("="):
            own[name].append(Definition(name, Span(0, 0), exported=False, owner=owner))
    for name, definitions in own.items():
        owners = {each.owner for each in definitions} - {""}
        spans = [span for owner in sorted(owners) for span in regions(unit, owner, name)]
        definitions += [Definition(name, span, exported=False) for span in spans]
    return own, substitutes


_SMALL_FLOAT = re.compile(r"\s*\(\s*(?:__)?(?:half|(?:nv|hip)_bfloat16)2?\s*\*")
"""Matches the parameters of an `atomicAdd` that projects define for older GPUs: an overload beside CUDA's own."""


def _definitions(unit: Unit, places: Sequence[tuple[str, int]], tables: Tables) -> Iterator[Definition]:
    """Yield the definitions at these places, and the macros, that a file makes."""
    for name, offset in places:
        if name in tables.own:
            continue
        definition = definition_at(unit, name, offset, lambda each: bool(_counterpart(tables, each)))
        if definition is None and not _counterpart(tables, name) and is_forward_declared_at(unit, name, offset):
            definition = Definition(name, Span(0, len(unit.code)), exported=True)
        if definition is not None and not (name == "atomicAdd" and _SMALL_FLOAT.match(unit.code, offset + len(name))):
            yield replace(definition, at=offset)
    active = tables.active - tables.own if tables.own else tables.active
    yield from macro_definitions(unit, active, lambda name: _counterpart(tables, name))


def _is_substitute(unit: Unit, entry: Entry, offset: int, foreign: frozenset[str]) -> bool:
    """Return whether a definition replaces CUDA's in builds without it, or with an older one.

    Its condition fails in a build for AMD GPUs, or may fail, in which case uses mean CUDA's: they are translated, and
    the definition is renamed with them.
    """
    branch = unit.branch_at(offset)
    if is_for_amd(unit, branch):
        return False
    compiled = is_compiled(unit, branch) if WITHOUT_CUDA not in foreign else False
    if entry.hip is None or entry.hip.name == entry.name:
        # A function that HIP declares, too, may be for the host there: only intrinsics never are.
        return compiled is False and (entry.hip is None or entry.name.startswith("__"))
    return compiled is not True


def _branch(unit: Unit, offset: int) -> Span:
    """Return the innermost branch of a condition around a place."""
    path = unit.branch_at(offset)
    branches = branches_of(unit, unit.branches[path[-1]]) if path else None
    return branches.own if branches is not None else Span(0, len(unit.code))


def _counterpart(tables: Tables, name: str) -> str:
    entry = tables.names.get(name)
    return entry.hip.name if entry is not None and entry.hip is not None else ""


def is_adapted(entry: Entry) -> bool:
    """Return whether a use changes in more than its name, or not at all: a definition cannot follow."""
    name = entry.hip.name if entry.hip is not None else ""
    return bool(entry.args) or name in ("", entry.name) or not name.isidentifier() or name.startswith("__builtin_")
