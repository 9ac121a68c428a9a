"""Argument changes of calls whose HIP counterpart takes different arguments, from the tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.mappings.entry import ArgChange
from hipport.source import Edit, Replace, Span, Wrap
from hipport.translate.passes import constness, cross_lane, results, variants
from hipport.translate.references import Reference
from hipport.translate.syntax.brackets import has_bare_comma
from hipport.translate.syntax.calls import Call, call_of
from hipport.translate.syntax.usage import only_uses
from hipport.translate.work import Work

_CAST = re.compile(r"\s*(?:reinterpret_cast\b|static_cast\b|\(\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*\))")


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Change the arguments of every call to an entry that has argument changes."""
    for reference in work.references.found:
        changes = [change for change in reference.entry.args if change.op not in variants.OPERATIONS]
        if not changes or _is_own_declaration(work, reference) or cross_lane.takes_over(work, reference):
            continue
        call = call_of(work.unit, reference.span)
        yield from _result(work, reference, changes)
        changes = [change for change in changes if change.op != "result"]
        if not changes:
            continue
        if call is not None and _loses_a_line(work, call, changes):
            yield _around_a_line(work, reference)
        elif call is not None:
            for change in changes:
                if variants.applies(work, reference.span, call, change):
                    yield from _change(work, call, change)
        elif not cross_lane.is_macro_name(work, reference.span):
            yield _not_called(work, reference)


def _is_own_declaration(work: Work, reference: Reference) -> bool:
    """Return whether the project declares the name here: it has parameters, not arguments.

    At file scope it may be CUDA's, as in stand-ins for its headers; elsewhere it is one of an overlay.
    """
    unit, span = work.unit, reference.span
    of_overlay = reference.entry.name in work.context.tables.own
    if not of_overlay and (only_uses(unit.code, span.start, span.end) or unit.braces.around(span) is not None):
        return False
    node = unit.node_at(span)
    parent = unit.parent(node) if node is not None else None
    return parent is not None and parent.type == "function_declarator"


def _loses_a_line(work: Work, call: Call, changes: Sequence[ArgChange]) -> bool:
    """Return whether an argument to remove or replace contains a preprocessor line, which would be lost."""
    for change in changes:
        if change.op in ("remove", "replace") and change.at < len(call.arguments):
            argument = call.arguments[change.at]
            start, end = _with_comma(call, change.at) if change.op == "remove" else (argument.start, argument.end)
            if work.unit.directives_in(Span(start, end)):
                return True
    return False


def _result(work: Work, reference: Reference, changes: Sequence[ArgChange]) -> Iterator[Edit]:
    """Convert the call's result to the type that it has in CUDA, where the sign matters."""
    for change in changes:
        if change.op == "result" and (call := results.call_in_doubt(work, reference, change.text)) is not None:
            yield Wrap(call.start, call.end, f"{change.text}(", ")")


def _change(work: Work, call: Call, change: ArgChange) -> Iterator[Edit]:
    count = len(call.arguments)
    if change.op == "append" or (change.op == "insert" and change.at >= count):
        end = call.arguments[-1].end if count else call.inside.start
        yield Replace(end, end, f", {change.text}" if count else change.text)
    elif change.at < count:
        yield from _change_argument(work, call, change)


def _change_argument(work: Work, call: Call, change: ArgChange) -> Iterator[Edit]:
    argument = call.arguments[change.at]
    if change.op == "wrap":
        if not _is_done(work, argument, change):
            inner = ("(", ")") if _splits(work, argument, change) else ("", "")
            yield Wrap(argument.start, argument.end, change.before + inner[0], inner[1] + change.after)
    elif change.op == "insert":
        yield Replace(argument.start, argument.start, f"{change.text}, ")
    elif change.op == "replace":
        yield Replace(argument.start, argument.end, change.text, whole=True)
    else:
        yield Replace(*_with_comma(call, change.at), "", whole=True)


_MACRO = re.compile(r"[A-Z_]+\(")


def _splits(work: Work, argument: Span, change: ArgChange) -> bool:
    """Return whether a macro around an argument would take it for several: `HIP_SYMBOL(table<float, 2>)`."""
    return _MACRO.fullmatch(change.before) is not None and has_bare_comma(work.unit.code, argument)


def _with_comma(call: Call, at: int) -> tuple[int, int]:
    """Return the range of an argument together with the comma to remove with it."""
    if at > 0:
        return call.arguments[at - 1].end, call.arguments[at].end
    following = call.arguments[1].start if len(call.arguments) > 1 else call.arguments[0].end
    return call.arguments[0].start, following


def _is_done(work: Work, argument: Span, change: ArgChange) -> bool:
    """Return whether the source has the change already: the same wrapper, or a cast where one would be added."""
    text = work.unit.code[argument.start : argument.end]
    if text.startswith(change.before.strip()):
        return True
    if "const_cast<" in change.before:
        return constness.is_null(text) or not constness.may_point_to_const(
            work.unit, argument, pointers="const_cast<const " in change.before
        )
    if "reinterpret_cast<" in change.before:
        return _CAST.match(text) is not None or constness.is_null(text)
    return False


def _not_called(work: Work, reference: Reference) -> Diagnostic:
    entry = reference.entry
    hip = entry.hip.name if entry.hip else entry.name
    message = f"{entry.name} is used without a call, and {hip} takes other arguments"
    return work.report(
        reference.span,
        "HP106",
        Severity.WARNING,
        message,
        "Check the type of the pointer, or call it through a lambda.",
    )


def _around_a_line(work: Work, reference: Reference) -> Diagnostic:
    return work.report(
        reference.span,
        "HP106",
        Severity.WARNING,
        f"preprocessor line among the arguments of {reference.entry.name}, which takes other arguments in HIP",
        "Write one call per branch, or compute the arguments in variables before it.",
    )
