"""CUDA's libraries where they are linked with."""

from __future__ import annotations

from dataclasses import dataclass

from hipport.buildfiles.tables import Library
from hipport.buildfiles.work import Work
from hipport.diagnostics import Diagnostic, Severity


@dataclass(frozen=True, slots=True)
class Linked:
    """What to link with instead, under the name that `-l` takes; empty for nothing."""

    name: str
    found: tuple[Diagnostic, ...] = ()


def library_word(work: Work, offset: int, name: str) -> Linked | Diagnostic | None:
    """What becomes of a library that is linked by name; None if it is not CUDA's."""
    library = work.library(name)
    if library is None:
        return None
    if library.link:
        return Linked(library.link)
    if library.drop:
        return Linked("", (dropped(work, offset, library),))
    return missing(work, offset, library)


def dropped(work: Work, offset: int, library: Library) -> Diagnostic:
    """HP402 for a library that is not needed."""
    message = f"the library {library.name} is left out: {library.drop}"
    return work.report(offset, "HP402", Severity.WARNING, message)


def missing(work: Work, offset: int, library: Library) -> Diagnostic:
    """HP404 for a library that HIP has nothing for."""
    return work.report(
        offset, "HP404", Severity.ERROR, f"the library {library.name} has no counterpart", library.advice
    )
