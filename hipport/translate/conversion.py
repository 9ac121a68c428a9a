"""The result of translating one source file."""

from __future__ import annotations

from msgspec import Struct

from hipport.diagnostics import Diagnostic


class Conversion(Struct, frozen=True):
    """The translation of one file.

    `defines`: CUDA names that the file itself defines visibly to its includers, and its lane constants as `NAME=VALUE`;
    `uses`: CUDA names of the tables that occur in its code, and constants that it uses but does not define; `includes`:
    its `#include` operands as spelled, without quotes or angle brackets.
    `reads`: names of `.cu` files that it reads, or only mentions, and that may be renamed.
    `support`: hipport's own headers that the translation includes.
    `unknown`: names like CUDA's that the tables lack and this file does not declare, each with a finding that counts if
    no other file declares it; `declares`: such names that this file declares.
    `line_map`: (line of the translation, line of the source) pairs, each valid up to the next, line by line.
    """

    data: bytes
    diagnostics: tuple[Diagnostic, ...] = ()
    defines: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    includes: tuple[str, ...] = ()
    support: tuple[str, ...] = ()
    unknown: tuple[tuple[str, Diagnostic], ...] = ()
    declares: frozenset[str] = frozenset()
    reads: tuple[str, ...] = ()
    line_map: tuple[tuple[int, int], ...] = ((1, 1),)
