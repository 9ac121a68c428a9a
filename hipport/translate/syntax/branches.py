"""The branches of a preprocessor condition."""

from __future__ import annotations

import itertools

from msgspec import Struct

from hipport.source import Span
from hipport.translate.syntax.lexer import Directive
from hipport.translate.syntax.unit import Unit


class Branches(Struct, frozen=True):
    """The code of the branch that a condition opens, and of all later branches up to the `#endif`."""

    own: Span
    others: tuple[Span, ...]


def branches_of(unit: Unit, line: Directive) -> Branches | None:
    """Return the branches from an `#if`, `#ifdef`, `#elif`... line on; None where no `#endif` follows."""
    bounds = [line]
    for other in unit.directives[unit.directives.index(line) + 1 :]:
        if other.branch == line.branch and other.word.startswith(("el", "endif")):
            bounds.append(other)
        if other.word == "endif" and other.branch == line.branch:
            spans = [Span(a.span.end, b.span.start) for a, b in itertools.pairwise(bounds)]
            return Branches(spans[0], tuple(spans[1:]))
    return None
