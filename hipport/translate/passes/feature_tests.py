"""Preprocessor tests for CUDA features: `__CUDA_ARCH__`, `CUDART_VERSION` and their like.

HIP defines none of these macros, so every comparison would choose the branch for the oldest GPU or release.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Replace, Span, Wrap
from hipport.translate.passes import hip_branches, side_macros
from hipport.translate.passes.version_branches import Choice, Choices
from hipport.translate.passes.version_fallbacks import REDEFINES
from hipport.translate.passes.version_tests import (
    DEVICE,
    MACROS,
    PLATFORM,
    comparison,
    is_presence,
)
from hipport.translate.references import Reference
from hipport.translate.syntax.brackets import skip_blanks, skip_blanks_back
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.work import Work

COMPILER = "__HIPCC__"
_FARTHEST = 256
_DONE = re.compile(rf"\s*(?:\|\|\s*|&&\s*!\s*)defined\s*\(\s*(?:{DEVICE}|{PLATFORM})\b")


def handles(work: Work, reference: Reference) -> bool:
    """Return whether this pass, not the renaming, handles a reference: a test in an `#if`, or `__CUDA_ARCH__`."""
    line = work.unit.directive_at(reference.span.start)
    tested = line is not None and line.kind is DirectiveKind.CONDITION
    return reference.entry.name == "__CUDA_ARCH__" or (
        reference.entry.name in MACROS and (tested or _defines(work, reference))
    )


def translate_tests(work: Work, choices: Choices) -> Iterator[Edit | Diagnostic]:
    """Translate the tests for which a newer branch is chosen; report the others."""
    by_place = {choice.test.span: choice for choice in choices.made}
    for reference in work.references.found:
        if not handles(work, reference):
            continue
        line = work.unit.directive_at(reference.span.start)
        if line is None or line.kind is DirectiveKind.DEFINE:
            yield from _value(work, reference, line)
        elif line.kind is DirectiveKind.CONDITION:
            yield from _condition(work, line, reference, by_place)
    for choice in choices.made:
        if choice.test.derived:
            yield from _derived(work, choice)


def _defines(work: Work, reference: Reference) -> bool:
    """Return whether a release is compared in the text of a macro."""
    if reference.entry.name not in MACROS:
        return False
    line = work.unit.directive_at(reference.span.start)
    return line is not None and line.kind is DirectiveKind.DEFINE and _compared_in(work, reference) is not None


def _condition(
    work: Work, line: Directive, reference: Reference, choices: dict[Span, Choice]
) -> Iterator[Edit | Diagnostic]:
    span, macro = reference.span, MACROS[reference.entry.name]
    excluded = hip_branches.exclusion(work, line)
    if excluded == hip_branches.LEFT:
        return
    if is_presence(work.unit, line, span):
        if not hip_branches.handles(work, reference):
            sides = reference.entry.name == "__CUDA_ARCH__" and side_macros.declares_sides(work.unit, line)
            yield Replace(span.start, span.end, COMPILER if sides else macro.present)
        return
    choice = next((each for where, each in choices.items() if where.start <= span.start < where.end), None)
    if choice is None:
        yield _left(work, reference)
        return
    if choice.test.name != reference.entry.name or _DONE.match(work.unit.code, choice.test.span.end):
        return
    if choice.new:
        present = COMPILER if REDEFINES in choice.why and macro.present == DEVICE else macro.present
        yield _passed(work, choice, present, excluded or "")
    yield _reported(work, choice, reference.span)


def _passed(work: Work, choice: Choice, present: str, excluded: str) -> Edit:
    """Add AMD's compilers to a test for newer releases, or take them from one for older ones."""
    where = choice.test.span
    alone = _is_parenthesised(work.unit.code, where)
    platform = f"(defined({present}) && {excluded})" if excluded else f"defined({present})"
    also = f" {'|| ' if choice.test.for_new else '&& !'}{platform}"
    return Wrap(where.start, where.end, "" if alone else "(", also if alone else f"{also})")


def _derived(work: Work, choice: Choice) -> Iterator[Edit | Diagnostic]:
    """Adapt a test of a macro that the project defines by CUDA's version, where its branch lacks more."""
    test, line = choice.test, choice.line
    if choice.new == test.by_default:
        return
    holds = choice.new == test.for_new
    text = work.unit.code[test.span.start : test.span.end]
    also = f"{'|| ' if holds else '&& !'}defined({test.present})"
    if line.word in ("if", "elif"):
        yield Replace(test.span.start, test.span.end, f"({text} {also})")
    else:
        start = line.span.start + work.unit.code[line.span.start : line.span.end].index(line.word)
        plain, no = "elif" if line.word.startswith("el") else "if", "!" if line.word.endswith("ndef") else ""
        yield Replace(start, test.span.end, f"{plain} {no}(defined({text}) {also})")
    yield _reported(work, choice, test.span)


def _value(work: Work, reference: Reference, line: Directive | None) -> Iterator[Edit | Diagnostic]:
    """Replace a comparison in code or in a macro's text by its result for AMD; report other uses.

    An architecture in a macro's text is left: the macro may be tested in an `#if`, also for the host.
    """
    name = reference.entry.name
    macro, found = MACROS[name], _compared_in(work, reference)
    if found is not None and line is None and found[2] <= macro.newest:
        where, for_new, _ = found
        yield Replace(where.start, where.end, "true" if for_new else "false")
        yield _taken(work, reference.span, name, asks_for_new=for_new)
    elif found is not None and line is not None and macro.present == PLATFORM:
        where, for_new, number = found
        new = number <= macro.newest
        yield Replace(where.start, where.end, "1" if new == for_new else "0")
        yield _taken(work, reference.span, name, asks_for_new=new)
    else:
        advice = f"Use {DEVICE} or a __gfx...__ macro."
        yield work.report(reference.span, "HP104", Severity.ERROR, f"{name} is not defined by HIP", advice)


def _compared_in(work: Work, reference: Reference) -> tuple[Span, bool, int] | None:
    code = work.unit.code
    start, end = max(0, reference.span.start - _FARTHEST), min(len(code), reference.span.end + _FARTHEST)
    line_start, line_end = code.rfind("\n", start, reference.span.start), code.find("\n", reference.span.end, end)
    around = Span(max(start, line_start + 1), line_end if line_end >= 0 else end)
    return comparison(code, around, reference.span)


def _reported(work: Work, choice: Choice, span: Span) -> Diagnostic:
    """Report a decision: by what the other branch lacks, by other tests of a release, or by the release alone."""
    test = choice.test
    which, other = ("newer", "older") if choice.new else ("older", "newer")
    if (choice.new != test.by_default and not choice.forced) or (choice.why and not choice.new):
        message = f"AMD compilers select the {which} branch of this test of {test.name}"
        if choice.why.startswith(REDEFINES):
            names = choice.why.replace(f", {REDEFINES}", ", ")
            message += f": the {other} one {names}, which HIP has"
        elif choice.why:
            message += f": the {other} one lacks more in ROCm {work.context.tables.releases.rocm} ({choice.why})"
        else:
            message += ", like that of others of the same release"
        return work.report(span, "HP119", Severity.NOTE, message)
    if choice.new:
        return _taken(work, span, test.name, asks_for_new=test.for_new)
    return _old(work, span, test.name, test.present)


def _taken(work: Work, span: Span, name: str, *, asks_for_new: bool) -> Diagnostic:
    what = "the newer" if asks_for_new else "the other"
    message = f"AMD compilers select {what} branch of this test of {name}"
    return work.report(span, "HP104", Severity.NOTE, message)


def _is_parenthesised(code: str, span: Span) -> bool:
    before, after = skip_blanks_back(code, span.start), skip_blanks(code, span.end)
    return code[before - 1 : before] == "(" and code[after : after + 1] == ")"


def _left(work: Work, reference: Reference) -> Diagnostic:
    return _old(work, reference.span, reference.entry.name, MACROS[reference.entry.name].present)


def _old(work: Work, span: Span, name: str, present: str) -> Diagnostic:
    message = f"{name} is not defined by HIP and is 0 here, which selects the branch for the oldest version"
    advice = f"Select the branch for AMD compilers: test for {present}, or for a GPU such as __gfx90a__."
    return work.report(span, "HP104", Severity.WARNING, message, advice)
