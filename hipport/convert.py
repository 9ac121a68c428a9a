"""Translation of one source file: parse, run passes, apply edits. Pure: bytes in, bytes out."""

from __future__ import annotations

from dataclasses import dataclass

from hipport.context import Context, LaunchStyle, Options
from hipport.dataflow.constants import lane_constants
from hipport.diagnostics import Diagnostic
from hipport.hazards import hazards
from hipport.passes import steps
from hipport.passes.work import Work
from hipport.references import resolve
from hipport.silence import audible
from hipport.source import Edit, SourceFile, apply, line_map
from hipport.support import included
from hipport.syntax.includes import includes
from hipport.syntax.unit import parse

__all__ = ["Context", "Conversion", "LaunchStyle", "Options", "check_source", "convert_source"]


@dataclass(frozen=True, slots=True)
class Conversion:
    """The translation of one file.

    `defines`: CUDA names that the file itself defines visibly to its includers, and its lane constants as `NAME=VALUE`;
    `uses`: CUDA names of the tables that occur in its code, and constants that it uses but does not define; `includes`:
    its `#include` operands as spelled, without quotes or angle brackets.
    `support`: hipport's own headers that the translation includes.
    `line_map`: (line of the translation, line of the source) pairs, each valid up to the next, line by line.
    """

    data: bytes
    diagnostics: tuple[Diagnostic, ...] = ()
    defines: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    includes: tuple[str, ...] = ()
    support: tuple[str, ...] = ()
    line_map: tuple[tuple[int, int], ...] = ((1, 1),)


def convert_source(data: bytes, name: str, context: Context) -> Conversion:
    """Translate the bytes of one file; `name` is its name in diagnostics.

    Never raises for any input bytes: code that cannot be parsed is left unchanged.
    """
    work, edits, diagnostics = _look(data, name, context)
    return _conversion(work, data, edits, diagnostics)


def check_source(data: bytes, name: str, context: Context) -> Conversion:
    """Report the diagnostics of `convert_source` without translating the file; only quick fixes change it."""
    work, _, diagnostics = _look(data, name, context)
    return _conversion(work, data, [], diagnostics)


def definitions(data: bytes, name: str, context: Context) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the `defines` and `includes` that converting a file would give, without converting it."""
    unit = parse(SourceFile.decode(data, name))
    exported = resolve(unit, context.tables, context.foreign).exported
    return exported | frozenset(lane_constants(unit)), tuple(include.operand for include in includes(unit))


def _look(data: bytes, name: str, context: Context) -> tuple[Work, list[Edit], list[Diagnostic]]:
    unit = parse(SourceFile.decode(data, name))
    work = Work(unit, resolve(unit, context.tables, context.foreign, context.meanings), context)
    edits: list[Edit] = []
    diagnostics: list[Diagnostic] = []
    for step in steps():
        for result in step(work):
            if isinstance(result, Diagnostic):
                diagnostics.append(result)
            else:
                edits.append(result)
    diagnostics += hazards(work)
    diagnostics += context.meanings.diagnostics if work.references.used else ()
    return work, edits, list(audible(unit, diagnostics))


def _conversion(work: Work, data: bytes, edits: list[Edit], diagnostics: list[Diagnostic]) -> Conversion:
    source = work.unit.source
    if work.context.options.fix:
        edits = [*edits, *dict.fromkeys(edit for found in diagnostics for edit in found.fix)]
        diagnostics = [found for found in diagnostics if not found.fix]
    text = apply(source.text, edits)
    return Conversion(
        data=source.encode(text) if edits else data,
        diagnostics=tuple(sorted(diagnostics, key=lambda found: (found.line, found.column, found.code))),
        defines=work.references.exported | frozenset(lane_constants(work.unit)),
        uses=work.references.used | work.asked,
        includes=tuple(include.operand for include in includes(work.unit)),
        support=included(text),
        line_map=line_map(source.text, edits),
    )
