"""Translates one source file: parse, passes, apply. Pure: bytes in, bytes out."""

from __future__ import annotations

from dataclasses import dataclass

from hipport.context import Context, LaunchStyle, Options
from hipport.diagnostics import Diagnostic
from hipport.passes import steps
from hipport.passes.work import Work
from hipport.references import resolve
from hipport.silence import audible
from hipport.source import Edit, SourceFile, apply, line_map
from hipport.support import included
from hipport.syntax.includes import includes
from hipport.syntax.unit import parse

__all__ = ["Context", "Conversion", "LaunchStyle", "Options", "convert_source"]


@dataclass(frozen=True, slots=True)
class Conversion:
    """The translation of one file.

    `defines`: CUDA names that the file itself defines where its includers see them; `uses`: CUDA names of the
    tables that occur in it as code; `includes`: its `#include` operands as spelled, without quotes or brackets.
    `support`: the headers of hipport's own that the translation includes.
    `line_map`: (line of the translation, line of the source) pairs, each true for the lines from there to the next.
    """

    data: bytes
    diagnostics: tuple[Diagnostic, ...] = ()
    defines: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    includes: tuple[str, ...] = ()
    support: tuple[str, ...] = ()
    line_map: tuple[tuple[int, int], ...] = ((1, 1),)


def convert_source(data: bytes, name: str, context: Context) -> Conversion:
    """Translate the bytes of one file; `name` is what diagnostics call it.

    Never raises for any input bytes: what cannot be understood stays as it was.
    """
    source = SourceFile.decode(data, name)
    unit = parse(source)
    references = resolve(unit, context.tables, context.foreign)
    work = Work(unit, references, context)
    edits: list[Edit] = []
    diagnostics: list[Diagnostic] = []
    for step in steps():
        for result in step(work):
            if isinstance(result, Diagnostic):
                diagnostics.append(result)
            else:
                edits.append(result)
    text = apply(source.text, edits)
    return Conversion(
        data=source.encode(text) if edits else data,
        diagnostics=tuple(sorted(audible(unit, diagnostics), key=lambda found: (found.line, found.column, found.code))),
        defines=references.exported,
        uses=references.used,
        includes=tuple(include.operand for include in includes(unit)),
        support=included(text),
        line_map=line_map(source.text, edits),
    )
