"""Translate CUDA libraries in link options."""

from __future__ import annotations

from msgspec import Struct

from hipport.buildfiles.build_file import BuildFile
from hipport.buildfiles.tables import Library
from hipport.diagnostics import Diagnostic, Severity


class Linked(Struct, frozen=True):
    """The library to link with instead, as for `-l`; empty for none."""

    name: str
    found: tuple[Diagnostic, ...] = ()


def library_word(work: BuildFile, offset: int, name: str) -> Linked | Diagnostic | None:
    """Return the replacement for a library that is linked by name; None if it is not CUDA's."""
    library = work.library(name)
    if library is None:
        return None
    if library.link:
        return Linked(library.link)
    if library.drop:
        return Linked("", (dropped(work, offset, library),))
    return missing(work, offset, library)


def dropped(work: BuildFile, offset: int, library: Library) -> Diagnostic:
    """HP402 for a library that is not needed."""
    message = f"the library {library.name} is removed: {library.drop}"
    return work.report(offset, "HP402", Severity.WARNING, message)


def missing(work: BuildFile, offset: int, library: Library) -> Diagnostic:
    """HP404 for a library without a HIP counterpart."""
    return work.report(
        offset, "HP404", Severity.ERROR, f"the library {library.name} has no counterpart", library.advice
    )
