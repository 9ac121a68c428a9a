"""A project's own definitions of CUDA names, and those that only replace CUDA's in builds without it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from hipport import lazy_re as re
from hipport.files.facts import Fact, facts_of
from hipport.files.facts import Kind as FactKind
from hipport.files.inclusion import WITHOUT_CUDA
from hipport.mappings.entry import Entry, Kind
from hipport.mappings.loader import Tables
from hipport.source import Span
from hipport.translate.syntax.branches import branches_of
from hipport.translate.syntax.compiled import is_compiled, is_for_amd, test_of
from hipport.translate.syntax.definitions import (
    Definition,
    definition_at,
    is_forward_declared_at,
    macro_definitions,
)
from hipport.translate.syntax.includes import includes
from hipport.translate.syntax.lexer import Branch, Directive
from hipport.translate.syntax.named_scopes import regions
from hipport.translate.syntax.prologue import guard_branch
from hipport.translate.syntax.unit import Unit

HOST_MATH = frozenset({"hipport/compat/host_math.h", "hipport/compat/host_special.h"})
"""Headers with what HIP has for device code only."""


class Substitute(Struct, frozen=True):
    """A CUDA name that a file defines, in a namespace or class called `owner` if there is one, for other builds."""

    entry: Entry
    span: Span
    owner: str = ""

    @property
    def is_renamed(self) -> bool:
        """True if the definition is renamed with its uses."""
        return not is_adapted(self.entry)


def own_definitions(
    unit: Unit, places: Sequence[tuple[str, int]], tables: Tables, told: frozenset[str]
) -> tuple[dict[str, list[Definition]], list[Substitute]]:
    """Return the definitions that hide CUDA's names, by name, and those that only replace CUDA's in other builds.

    `told` are the file's foreign names, and the names that its namespaces bring in, as `NAME@=SCOPE`.
    """
    own: dict[str, list[Definition]] = defaultdict(list)
    substitutes: list[Substitute] = []
    found = list(_definitions(unit, places, tables))
    branches = _branches(unit, found)
    for definition in found:
        entry = tables.names[definition.name]
        if not _is_substitute(unit, tables, definition, branches.get(definition.at, ()), told):
            own[definition.name].append(definition)
            continue
        span = Span(definition.at, definition.at + len(entry.name))
        substitutes.append(Substitute(entry, span, definition.owner))
        if is_adapted(entry):  # it is still what code in the same branch means
            scope = _branch(unit, definition.at)
            own[definition.name].append(Definition(definition.name, scope, exported=False))
    _add_scopes(unit, own, told)
    return own, substitutes


def _add_scopes(unit: Unit, own: dict[str, list[Definition]], told: frozenset[str]) -> None:
    """Add where names of namespaces and classes are visible, those of included files too."""
    for each in facts_of(told, FactKind.SCOPED):
        own[each.subject].append(Definition(each.subject, Span(0, 0), exported=False, owner=each.value))
    scoped = {name for name, definitions in own.items() if any(each.owner for each in definitions)}
    if not scoped:
        return
    from hipport.translate.syntax.openings import openings, told_openings, visible_in  # few files need it

    known = [*openings(unit, scoped), *told_openings(told)]
    for name in sorted(scoped):
        scopes = visible_in(name, {each.owner for each in own[name]} - {""}, known)
        spans = [Span(0, len(unit.code))] if "" in scopes else []
        spans += [span for scope in sorted(scopes - {""}) for span in regions(unit, scope, name)]
        own[name] += [Definition(name, span, exported=False) for span in spans]


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


def _branches(unit: Unit, definitions: Sequence[Definition]) -> dict[int, Branch]:
    """Return the branch of each definition by its place, less the conditions all of whose branches define the name."""
    paths = {definition.at: unit.branch_at(definition.at) for definition in definitions if definition.at >= 0}
    named: dict[str, set[Branch]] = defaultdict(set)
    for definition in definitions:
        named[definition.name].add(paths.get(definition.at, ()))
    return {each.at: _outside(unit, paths[each.at], named[each.name]) for each in definitions if each.at in paths}


def _outside(unit: Unit, path: Branch, paths: set[Branch]) -> Branch:
    while path:
        *outer, (number, _) = path
        siblings = [place for place in unit.branches if place[0] == number]
        complete = unit.branches[max(siblings, default=path[-1])].word == "else"
        if not complete or any((*outer, place) not in paths for place in siblings):
            break
        path = tuple(outer)
    return path


def _is_substitute(unit: Unit, tables: Tables, definition: Definition, branch: Branch, told: frozenset[str]) -> bool:
    """Return whether a definition replaces CUDA's in builds without it, or with an older one.

    Its condition fails in a build for AMD GPUs, or may fail, in which case uses mean CUDA's: they are translated, and
    the definition is renamed with them.
    """
    entry, owner = tables.names[definition.name], definition.owner
    is_loaded = entry.kind is Kind.FUNCTION and definition.is_variable  # `tcuInit* cuInit;`, set by the program
    if is_loaded or not (definition.exported or owner) or is_for_amd(unit, branch):
        return False
    compiled = is_compiled(unit, branch) if WITHOUT_CUDA not in told else False
    if entry.hip is None or entry.hip.name == entry.name:
        # A function that HIP declares, too, may be for the host there: intrinsics never are, and what HIP has for
        # device code only (`rsqrtf`) a header of hipport has for the host.
        return compiled is False and (entry.hip is None or entry.name.startswith("__") or entry.support in HOST_MATH)
    if compiled is None:  # a namespace's name means CUDA's only if that is brought into it
        is_brought = bool(owner) and str(Fact(FactKind.BROUGHT, entry.name, owner)) in told
        return is_brought if owner else _may_see_cuda(unit, tables, entry.name, branch)
    return not compiled


def _may_see_cuda(unit: Unit, tables: Tables, name: str, branch: Branch) -> bool:
    """Return whether CUDA's declaration of a name can be visible to a file that may define it.

    The file is CUDA, or includes a header of CUDA, or anything in another branch; or the condition tests the name, or a
    macro that is named after CUDA.
    """
    if unit.source.name.lower().endswith((".cu", ".cuh")) or test_of(unit, *branch[-1]).lstrip("!") == name:
        return True
    lines = [(line.operand, line.directive.branch) for line in includes(unit)]
    numbers = {number for number, _ in branch}
    if any(_OF_CUDA.search(unit.code, line.body.start, line.body.end) for line in _conditions(unit, branch)):
        return True
    others = (any(number in numbers for number, _ in path) and path != branch[: len(path)] for _, path in lines)
    return any(operand in tables.headers for operand, _ in lines) or any(others)


_OF_CUDA = re.compile(
    r"(?<![A-Za-z])(?:CUDA|NVCC|NVIDIA|GPU|CU(?:BLAS|DNN|FFT|RAND|SOLVER|SPARSE|TENSOR)|NCCL|NVTX)(?![A-Za-z])"
)
"""Matches the part of a macro by which projects select code for CUDA and its libraries."""


def _conditions(unit: Unit, branch: Branch) -> Iterator[Directive]:
    """Yield the `#if` and `#elif` lines of the conditions around a branch, without that of an include guard."""
    numbers = {number for number, _ in branch} - {number for number, _ in guard_branch(unit)}
    return (line for (number, _), line in unit.branches.items() if number in numbers)


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
