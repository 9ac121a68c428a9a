"""Find files that are included inside other code, or only in builds without CUDA.

Files tell it in their definitions, by facts of the kinds below, with the operand of an `#include` line as value, or the
header that their translation needs. It is told to files among their foreign names. ASKS is about a quoted `#include`
with the name of one of CUDA's headers, which becomes OWN if it finds a header of the project that is no copy of
CUDA's, COPY. REPLACED is one that HIP has a header of another name for, and that finds nothing in the tree unless it is
OWN. FINDS asks whether the tree has a file, or a folder with a slash at the end, that is called like one of CUDA's
libraries; it is told where it does. RESPELLED says how an operand has to be spelled on file systems that tell small
letters from capitals; see `hipport.files.letter_case`. OF_C says that a file is a C source, and is told to those with
FOR_CXX, which need something that is C++ in HIP, if such a source includes them.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping

from hipport.files.facts import INCLUSION, Fact, Kind, facts_of
from hipport.files.paths import slashed

IN_CODE = str(Fact(Kind.IN_CODE))
"""Marks a file that is included inside braces or a statement, where no `#include` can be added."""
WITHOUT_CUDA = str(Fact(Kind.WITHOUT_CUDA))
"""Marks a file that is included only where CUDA's headers are not."""
ONCE = str(Fact(Kind.ONCE))
"""Marks a file with an include guard, for which no macro makes code (EXPANDS)."""
COPY = str(Fact(Kind.COPY))
OF_C = str(Fact(Kind.OF_C))
"""Marks a C source, or a file with something for C++ that a C source includes."""
FOR_CXX = str(Fact(Kind.FOR_CXX))

Edges = Mapping[str, Collection[str]]


def fact(kind: Kind, operand: str) -> str:
    """Return a definition that tells something about an operand of `#include`."""
    return str(Fact(kind, value=operand))


def spelling_of(operand: str, facts: Iterable[str]) -> str:
    """Return how an operand has to be spelled, by what a file is told: as it is, if nothing is told of it."""
    told = dict(each.value.rsplit(" ", 1) for each in facts_of(facts, Kind.RESPELLED))
    return told.get(operand, operand)


def operands(kind: Kind, facts: Iterable[str]) -> Iterator[str]:
    """Yield the operands of the facts of one kind."""
    return (each.value for each in facts_of(facts, kind) if each.value)


def regular_edges(facts: Mapping[str, frozenset[str]], edges: Edges) -> dict[str, set[str]]:
    """Return the edges without those to files that are included only where CUDA's headers are not."""
    return {path: set(found) - _marked(Kind.WITHOUT_CUDA, facts.get(path, ()), found) for path, found in edges.items()}


def inclusion_facts(facts: Mapping[str, frozenset[str]], edges: Edges) -> dict[str, frozenset[str]]:
    """Return what files must be told about how they, or the files that they include, are included."""
    if not any(True for found in facts.values() for _ in facts_of(found, *INCLUSION)):
        return {}
    told: dict[str, set[str]] = {}
    for path in _stand_ins(facts, edges):
        told.setdefault(path, set()).add(WITHOUT_CUDA)
    for path, operand in _own(facts, edges):
        told.setdefault(path, set()).add(fact(Kind.OWN, operand))
    for path, name in _found(facts):
        told.setdefault(path, set()).add(fact(Kind.FINDS, name))
    in_c = _reached((path for path, each in facts.items() if OF_C in each), edges)
    for path in (path for path in in_c if FOR_CXX in facts.get(path, ())):
        told.setdefault(path, set()).add(OF_C)
    parts = _parts(facts, edges)
    for part in parts:
        told.setdefault(part, set()).add(IN_CODE)
    for includer in edges.keys() - parts if parts else ():
        for part in _reached(parts.intersection(edges[includer]), edges) & parts:
            needs = operands(Kind.NEEDS, facts.get(part, ()))
            told.setdefault(includer, set()).update(fact(Kind.NEEDS, each) for each in needs)
    return {path: frozenset(found) for path, found in told.items() if found}


def followed_edges(
    facts: Mapping[str, frozenset[str]], edges: Edges, foreign: Mapping[str, frozenset[str]]
) -> dict[str, Collection[str]]:
    """Return the edges without those to copies of CUDA's headers that HIP's replace; `foreign` has what files own."""
    left: dict[str, Collection[str]] = dict(edges)
    for path in edges:
        own = set(operands(Kind.OWN, foreign.get(path, ())))
        gone = [fact(Kind.ASKS, each) for each in operands(Kind.REPLACED, facts.get(path, ())) if each not in own]
        if gone:
            left[path] = set(edges[path]) - _marked(Kind.ASKS, gone, edges[path])
    return left


def _own(facts: Mapping[str, frozenset[str]], edges: Edges) -> Iterator[tuple[str, str]]:
    """Yield the files and operands with names of CUDA's headers that find a header of the project.

    That is one beside the file, or one that a file beside it includes: a folder of stand-ins for tests has none.
    """
    found = [
        (path, operand, each)
        for path, known in facts.items()
        for operand in operands(Kind.ASKS, known)
        for each in _marked(Kind.ASKS, (fact(Kind.ASKS, operand),), edges.get(path, ()))
        if each != path and COPY not in facts.get(each, ())
    ]
    used = {each for path, _, each in found if os.path.dirname(path) == os.path.dirname(each)}
    yield from ((path, operand) for path, operand, each in found if each in used)


_LIBRARY = {"thrust/": "thrust/version.h"}
"""A file of each library whose folder a project may have for files of its own; a copy of the library has it, too."""


def _found(facts: Mapping[str, frozenset[str]]) -> Iterator[tuple[str, str]]:
    """Yield the files and names of files or folders for which they ask, and which the tree has.

    HIP's library replaces a copy of CUDA's. A folder for CUDA beside one for HIP is not what HIP's compilers get.
    """
    asked = {path: {*operands(Kind.FINDS, known)} for path, known in facts.items()}
    names = set().union(*asked.values()) if asked else set()
    if not names:
        return
    paths = [slashed(path) for path in facts]
    present = {name for name in names if _has(paths, name) and not _is_replaced(paths, name)}
    yield from ((path, name) for path, each in asked.items() for name in sorted(each & present))


def _has(paths: Iterable[str], name: str) -> bool:
    """Return whether there is a file of this name, or one in the folder."""
    return any(f"/{name}" in path if name.endswith("/") else path.endswith(f"/{name}") for path in paths)


def _is_replaced(paths: Iterable[str], name: str) -> bool:
    folder, slash, last = name.rstrip("/").rpartition("/")
    copied = any(name.startswith(start) and _has(paths, end) for start, end in _LIBRARY.items())
    return copied or (name.endswith("/") and last == "cuda" and _has(paths, f"{folder}{slash}hip/"))


def _parts(facts: Mapping[str, frozenset[str]], edges: Edges) -> set[str]:
    """Return the files that are included in code, and those without an include guard that these include."""
    again = {path: {each for each in found if ONCE not in facts.get(each, ())} for path, found in edges.items()}
    direct = (_marked(Kind.IN_CODE, facts.get(path, ()), found) for path, found in edges.items())
    expanded = (_marked(Kind.EXPANDS, facts.get(path, ()), found) for path, found in again.items())
    return _reached(set().union(*direct, *expanded), again)


def _marked(kind: Kind, facts: Iterable[str], paths: Iterable[str]) -> set[str]:
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
