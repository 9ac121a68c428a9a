"""Determine what a file must know from the files that it includes: CUDA names that they define, and constants."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set

from msgspec import Struct

from hipport.files.across import handed, linked, seen_through_includers
from hipport.files.facts import FOR_A_SIDE, FUNCTION, INCLUSION, OF_WAVEFRONTS, Fact, Kind, facts_of, read
from hipport.files.inclusion import followed_edges, inclusion_facts, regular_edges
from hipport.files.paths import slashed


class Seen(Struct, frozen=True):
    """What a first translation found in a file; see `hipport.translate.conversion.Conversion`."""

    defines: frozenset[str]
    uses: frozenset[str]
    includes: tuple[str, ...]
    declares: frozenset[str] = frozenset()
    reads: tuple[str, ...] = ()


NOTHING_SEEN = Seen(frozenset(), frozenset(), ())


Edges = Mapping[str, Collection[str]]
"""The files that each file includes; files that include nothing may be left out."""


def foreign_names(
    files: Mapping[str, Seen], edges_of: Callable[[Mapping[str, Seen]], Edges]
) -> dict[str, frozenset[str]]:
    """Return for each file the names that it uses and that a directly or indirectly included file defines.

    So are names that all files that include it define before that, and what is known of the device functions that it
    declares. What files must know about how they are included is among the names; see `hipport.files.inclusion`. Files
    without such names are left out. `edges_of` returns who includes whom; it is called only if any file defines
    something.
    """
    if not any(seen.defines for seen in files.values()):
        return {}
    edges, facts = edges_of(files), {path: seen.defines for path, seen in files.items()}
    foreign = inclusion_facts(facts, edges)
    for path, spelled in _respelled(files).items():
        facts_about = (str(Fact(Kind.RESPELLED, value=" ".join(each))) for each in spelled.items())
        foreign[path] = foreign.get(path, frozenset()) | {*facts_about}
    edges = followed_edges(facts, edges, foreign)
    includers = _reversed(regular_edges(facts, edges))
    named = {path: _without(INCLUSION, defined) for path, defined in facts.items()}
    defines = {path: names for path, names in named.items() if names}
    for path, known in _known(defines, files, edges, includers).items():
        if names := told(known, files[path].uses):
            foreign[path] = foreign.get(path, frozenset()) | names
    return foreign


def _respelled(files: Mapping[str, Seen]) -> Mapping[str, Mapping[str, str]]:
    """Return by file how operands have to be spelled that differ by case from the name of a file."""
    if len(files) < 2:
        return {}
    from hipport.files.letter_case import respelled  # a file alone needs no such thing

    return respelled({path: seen.includes for path, seen in files.items()})


def _without(kinds: Set[Kind], facts: Set[str]) -> frozenset[str]:
    return frozenset(each for each in facts if read(each).kind not in kinds)


def _known(
    defines: Mapping[str, frozenset[str]],
    files: Mapping[str, Seen],
    edges: Edges,
    includers: Mapping[str, Set[str]],
) -> dict[str, list[frozenset[str]]]:
    """Return for each file the names and facts that it may know from others."""
    known: dict[str, list[frozenset[str]]] = {}
    for definer, defined in defines.items():
        names = _without({Kind.DECLARED}, defined)
        for path in reached(definer, includers) - {definer}:
            known.setdefault(path, []).append(names)
    for path, sides in _known_sides(defines, files, edges, includers):
        known.setdefault(path, []).append(sides)
    for declarer, facts in linked(defines).items():
        for path in reached(declarer, includers):
            known.setdefault(path, []).extend(facts)
    for name, sources in handed(defines).items():
        above = set().union(*(reached(definer, includers) for definer, names in defines.items() if name in names))
        for path in seen_through_includers(sources, above - sources.keys(), edges, includers):
            if path in files:
                known.setdefault(path, []).append(frozenset({name}))
    return known


def _known_sides(
    defines: Mapping[str, frozenset[str]],
    files: Mapping[str, Seen],
    edges: Edges,
    includers: Mapping[str, Set[str]],
) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the headers that a file with definitions includes, and other files that define the same, with its sides."""
    asked = frozenset(each for seen in files.values() for each in seen.uses if each.endswith(FOR_A_SIDE))
    macros = {path: frozenset(map(str, facts_of(each, Kind.STANDS_FOR))) for path, each in defines.items()}
    macros = {path: each for path, each in macros.items() if each}
    for definer, defined in defines.items():
        sides = frozenset(map(str, facts_of(defined, Kind.SIDES, Kind.LATER)))
        headers = edges.get(definer, ()) if sides else ()
        meanings = macros.keys() & reached(definer, edges) if headers and macros else ()
        yield from ((path, sides.union(*(macros[each] for each in meanings))) for path in headers)
        if shared := frozenset(each for each in sides if asked and read(each).question in asked):
            siblings = set().union(*(reached(each, includers) for each in headers)) - {definer}
            yield from ((path, shared) for path in siblings)


def shared_decisions(
    files: Mapping[str, Seen], edges_of: Callable[[Mapping[str, Seen]], Edges]
) -> dict[str, frozenset[str]]:
    """Return for each file the decisions that it asks for, made by files that belong to it.

    Files belong together if one includes the other, or both a third.
    """
    decisions = {path: [*facts_of(seen.defines, Kind.DECISION)] for path, seen in files.items()}
    deciding = {path for path, made in decisions.items() if made}
    if not deciding:
        return {}
    edges = edges_of(files)
    both = _reversed(edges)
    for path, included in edges.items():
        both.setdefault(path, set()).update(included)
    found: dict[str, set[str]] = {}
    for path in deciding:
        for other in reached(path, both):
            uses = files[other].uses if other in files else ()
            found.setdefault(other, set()).update(str(fact) for fact in decisions[path] if fact.question in uses)
    return {path: frozenset(facts) for path, facts in found.items() if facts}


def told(defines: Iterable[Set[str]], uses: Set[str]) -> frozenset[str]:
    """Return those of the definitions of several files that a file that includes them uses.

    By a CALL, a file that asks for the one function asks for the other, too; see `Fact.further`. Facts about functions
    matter only if these take warps for different numbers of lanes, or the file itself does, as signs without a function
    among its uses say; those that process whole wavefronts, and who calls them, if the file asks for such functions.
    """
    answers: dict[str, set[Fact]] = {}
    for fact in map(read, {each for names in defines for each in names}):
        answers.setdefault(fact.question, set()).add(fact)
    found: set[Fact] = set()
    waiting, asked = set(uses), set(uses)
    while waiting:
        fresh = {fact for each in waiting for fact in answers.get(each, ())}
        found |= fresh
        waiting = {each for fact in fresh for each in fact.further} - asked
        asked |= waiting
    lanes = {fact.value.partition(":")[0] for fact in (*found, *facts_of(uses, Kind.SIGN)) if fact.kind is Kind.SIGN}
    counted = OF_WAVEFRONTS in uses and any(fact.kind is Kind.COUNTS for fact in found)
    left_out = set() if len(lanes) > 1 else FUNCTION - {Kind.CALL} if counted else FUNCTION
    left_out = left_out if counted else left_out | {Kind.COUNTS}
    return frozenset(str(fact) for fact in found if fact.kind not in left_out)


def reached(start: str, edges: Edges) -> set[str]:
    """Return everything that is reachable from `start`, and `start` itself."""
    seen, waiting = {start}, [start]
    while waiting:
        fresh = set(edges.get(waiting.pop(), ())) - seen
        seen |= fresh
        waiting += fresh
    return seen


def _reversed(edges: Edges) -> dict[str, set[str]]:
    """Return the includers of each file."""
    includers: dict[str, set[str]] = {}
    for includer, included in edges.items():
        for path in included:
            includers.setdefault(path, set()).add(includer)
    return includers


def edges_by_name(files: Mapping[str, Seen]) -> dict[str, set[str]]:
    """Return who includes whom in a tree whose include folders are unknown, by the names of its files.

    The keys are absolute paths with links resolved.
    """
    named, spelled = by_name(files), _respelled(files)
    operands = {
        path: [spelled.get(path, {}).get(operand, operand) for operand in seen.includes] for path, seen in files.items()
    }
    return {path: {*_resolved(path, each, named)} for path, each in operands.items()}


def _resolved(includer: str, operands: Iterable[str], named: Mapping[str, list[str]]) -> Iterator[str]:
    found = (resolve_include(operand, includer, named) for operand in operands)
    return (path for path in found if path is not None)


def by_name(paths: Iterable[str]) -> dict[str, list[str]]:
    """Group paths by file name."""
    found: dict[str, list[str]] = {}
    for path in paths:
        found.setdefault(os.path.basename(path), []).append(path)
    return found


def resolve_include(operand: str, includer: str, named: Mapping[str, list[str]]) -> str | None:
    """Return the project file that an `#include` refers to: beside the includer, else the nearest by path suffix."""
    candidates = named.get(operand.rpartition("/")[2])
    if not candidates:
        return None
    beside = os.path.normpath(os.path.join(os.path.dirname(includer), operand))
    if beside in candidates:
        return beside
    ending = "/" + "/".join(part for part in operand.split("/") if part not in ("", ".", ".."))
    fitting = [path for path in candidates if slashed(path).endswith(ending)]
    return max(fitting, key=lambda path: len(os.path.commonpath([path, includer])), default=None)
