"""Exchange facts between files that do not include each other: from includers to included files, and across linking.

Facts among the definitions of a file (`Seen.defines`) say so: those of the kinds HANDED and DECLARED.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Set

from hipport.files.facts import Kind, facts_of

Handed = Mapping[str, Mapping[str, Set[str]]]
"""By name, the files that define it in front of an include, each with the file names that it includes behind it."""


def handed(defines: Mapping[str, Set[str]]) -> Handed:
    """Return which names files define in front of an include; `defines`: what each file defines."""
    found: dict[str, dict[str, set[str]]] = {}
    for path, facts in defines.items():
        for fact in facts_of(facts, Kind.HANDED):
            found.setdefault(fact.subject, {}).setdefault(path, set()).add(os.path.basename(fact.value))
    return found


def seen_through_includers(
    definers: Mapping[str, Set[str]],
    above: Set[str],
    edges: Mapping[str, Collection[str]],
    includers: Mapping[str, Set[str]],
) -> set[str]:
    """Return the files in which a name is always the project's: all files that include them define it before.

    `definers`: the files that define it, with the names of files that they include behind that; `above`: all files that
    include one of those at any depth.
    """
    seen: set[str] = set()
    waiting = [path for source in above | definers.keys() for path in edges.get(source, ())]
    while waiting:
        path = waiting.pop()
        if path in seen or path in above or path in definers:
            continue
        sources = includers.get(path, set())
        if all(
            source in seen or source in above - definers.keys() or os.path.basename(path) in definers.get(source, ())
            for source in sources
        ):
            seen.add(path)
            waiting += edges.get(path, ())
    return seen


def linked(defines: Mapping[str, Set[str]]) -> dict[str, list[frozenset[str]]]:
    """Return for each file that declares device functions what the only file knows that defines them."""
    definers: dict[str, list[str]] = {}
    for path, facts in defines.items():
        for name in {fact.subject for fact in facts_of(facts, Kind.SIGN, Kind.CALL)}:
            definers.setdefault(name, []).append(path)
    found: dict[str, list[frozenset[str]]] = {}
    for path, facts in defines.items():
        for name in (fact.subject for fact in facts_of(facts, Kind.DECLARED)):
            defined = [other for other in definers.get(name, ()) if other != path]
            if len(defined) == 1:
                found.setdefault(path, []).append(_about(name, defines[defined[0]]))
    return found


def _about(name: str, facts: Set[str]) -> frozenset[str]:
    """Return the facts about a function, and about those that it calls."""
    found: set[str] = set()
    waiting, asked = [name], {name}
    while waiting:
        one = waiting.pop()
        fresh = [fact for fact in facts_of(facts, Kind.SIGN, Kind.CALL) if fact.subject == one]
        found.update(map(str, fresh))
        further = {fact.value for fact in fresh if fact.kind is Kind.CALL} - asked
        asked |= further
        waiting += further
    return frozenset(found)
