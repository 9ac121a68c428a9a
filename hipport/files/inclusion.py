"""Find files that are included inside other code, or only in builds without CUDA.

Files tell it in their definitions: `#in-code OPERAND`, `#expands OPERAND` and `#without-cuda OPERAND` for an `#include`
line, `#needs HEADER` for a header that their translation includes, and `#once` if they have an include guard. It is
told to files among their foreign names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

IN_CODE = "#in-code"
"""Marks a file that is included inside braces or a statement, where no `#include` can be added."""
WITHOUT_CUDA = "#without-cuda"
"""Marks a file that is included only where CUDA's headers are not."""
EXPANDS = "#expands"
"""A macro is defined for the included file, unless that has an include guard."""
NEEDS = "#needs"
ONCE = "#once"

Edges = Mapping[str, Collection[str]]


def fact(kind: str, operand: str) -> str:
    """Return a definition that tells something about an operand of `#include`."""
    return f"{kind} {operand}"


def operands(kind: str, facts: Iterable[str]) -> Iterator[str]:
    """Yield the operands of the facts of one kind."""
    return (each.partition(" ")[2] for each in facts if each.startswith(kind + " "))


def regular_edges(facts: Mapping[str, frozenset[str]], edges: Edges) -> dict[str, set[str]]:
    """Return the edges without those to files that are included only where CUDA's headers are not."""
    return {path: set(found) - _marked(WITHOUT_CUDA, facts.get(path, ()), found) for path, found in edges.items()}


def inclusion_facts(facts: Mapping[str, frozenset[str]], edges: Edges) -> dict[str, frozenset[str]]:
    """Return what files must be told about how they, or the files that they include, are included."""
    if not any(each.startswith("#") for found in facts.values() for each in found):
        return {}
    told: dict[str, set[str]] = {}
    for path in _stand_ins(facts, edges):
        told.setdefault(path, set()).add(WITHOUT_CUDA)
    parts = _parts(facts, edges)
    for part in parts:
        told.setdefault(part, set()).add(IN_CODE)
    for includer in edges.keys() - parts if parts else ():
        for part in _reached(parts.intersection(edges[includer]), edges) & parts:
            needs = operands(NEEDS, facts.get(part, ()))
            told.setdefault(includer, set()).update(fact(NEEDS, each) for each in needs)
    return {path: frozenset(found) for path, found in told.items() if found}


def _parts(facts: Mapping[str, frozenset[str]], edges: Edges) -> set[str]:
    """Return the files that are included in code, and those without an include guard that these include."""
    again = {path: {each for each in found if ONCE not in facts.get(each, ())} for path, found in edges.items()}
    direct = (_marked(IN_CODE, facts.get(path, ()), found) for path, found in edges.items())
    expanded = (_marked(EXPANDS, facts.get(path, ()), found) for path, found in again.items())
    return _reached(set().union(*direct, *expanded), again)


def _marked(kind: str, facts: Iterable[str], paths: Iterable[str]) -> set[str]:
    """Return those of the files that a file includes about which it tells this kind of fact."""
    parts = ([part for part in each.split("/") if part not in ("", ".", "..")] for each in operands(kind, facts))
    endings = tuple("/" + "/".join(each) for each in parts)
    return {path for path in paths if ("/" + path).endswith(endings)} if endings else set()


def _stand_ins(facts: Mapping[str, frozenset[str]], edges: Edges) -> set[str]:
    """Return the files that nothing includes together with CUDA."""
    regular = regular_edges(facts, edges)
    candidates = _reached((each for path, found in edges.items() for each in set(found) - regular[path]), edges)
    if not candidates:
        return set()
    return candidates - _reached(edges.keys() - {each for found in edges.values() for each in found}, regular)


def _reached(starts: Iterable[str], edges: Edges) -> set[str]:
    """Return files and everything that they include."""
    found: set[str] = set()
    waiting = set(starts)
    while waiting:
        found |= waiting
        waiting = {each for path in waiting for each in edges.get(path, ())} - found
    return found
