"""Translation of one source file: parse, run passes, apply edits. Pure: bytes in, bytes out."""

from __future__ import annotations

from hipport.diagnostics import Diagnostic
from hipport.source import Edit, SourceFile, apply, line_map
from hipport.support import included
from hipport.translate.context import Context
from hipport.translate.conversion import Conversion
from hipport.translate.dataflow.constants import lane_constants
from hipport.translate.hazards import hazards
from hipport.translate.passes import steps
from hipport.translate.references import resolve
from hipport.translate.suppression import unsuppressed
from hipport.translate.syntax.includes import includes
from hipport.translate.syntax.unit import parse
from hipport.translate.unknown_names import declared_names, unknown_names
from hipport.translate.work import Work


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


def definitions(data: bytes, name: str, context: Context) -> Conversion:
    """Return a conversion with `defines`, `includes` and `declares` only: those that converting a file would give."""
    unit = parse(SourceFile.decode(data, name))
    exported = resolve(unit, context.tables, context.foreign).exported
    return Conversion(
        data,
        defines=exported | frozenset(lane_constants(unit)),
        includes=tuple(include.operand for include in includes(unit)),
        declares=declared_names(unit, context.tables),
    )


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
    return work, edits, list(unsuppressed(unit, diagnostics))


def _conversion(work: Work, data: bytes, edits: list[Edit], diagnostics: list[Diagnostic]) -> Conversion:
    source = work.unit.source
    if work.context.options.fix:
        edits = [*edits, *dict.fromkeys(edit for found in diagnostics for edit in found.fix)]
        diagnostics = [found for found in diagnostics if not found.fix]
    text = apply(source.text, edits)
    unknown = unknown_names(work)
    heard = frozenset(unsuppressed(work.unit, (found for _, found in unknown.found)))
    return Conversion(
        data=source.encode(text) if edits else data,
        diagnostics=tuple(sorted(diagnostics, key=lambda found: (found.line, found.column, found.code))),
        defines=work.references.exported | frozenset(lane_constants(work.unit)),
        uses=work.references.used | work.asked,
        includes=tuple(include.operand for include in includes(work.unit)),
        support=included(text),
        unknown=tuple((name, found) for name, found in unknown.found if found in heard),
        declares=unknown.declared,
        line_map=line_map(source.text, edits),
    )
