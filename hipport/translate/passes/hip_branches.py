"""Tests for nvcc beside a project's branches for HIP; translated, both would be compiled, or the wrong one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Replace, Span
from hipport.translate.references import Reference
from hipport.translate.syntax.branches import branches_of
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.sides import NVIDIA_COMPILERS, Setting, is_projects_switch
from hipport.translate.work import Work

LEFT = ""
_DEFINED = re.compile(r"\bdefined\s*\(?\s*\Z")
_PRESENT = {"__CUDA_ARCH__": "__HIP_DEVICE_COMPILE__"}


def handles(work: Work, reference: Reference) -> bool:
    """Return whether this pass, not the renaming, handles a test for nvcc."""
    line = _test(work, reference)
    return line is not None and exclusion(work, line) is not None


def _test(work: Work, reference: Reference) -> Directive | None:
    if reference.entry.name not in NVIDIA_COMPILERS or not work.sides.switched:
        return None
    line = work.unit.directive_at(reference.span.start)
    return line if line is not None and line.kind is DirectiveKind.CONDITION else None


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Leave tests for nvcc alone where HIP has its own branch, or exclude builds with the project's macro."""
    for reference in work.references.found:
        line = _test(work, reference)
        excluded = exclusion(work, line) if line is not None else None
        if line is None or excluded is None:
            continue
        if excluded:
            yield _excluding(work, line, reference, excluded)
        elif work.sides.takes(Setting.PORT, line) is not True or _changes(work, _chain(work, line)):
            message = f"this test of {reference.entry.name} is left alone: the file has a branch for HIP beside it"
            yield work.report(reference.span, "HP118", Severity.NOTE, message)


def only_nvcc(work: Work, offset: int) -> bool:
    """Return whether HIP's compilers never see the code at an offset: a branch for CUDA beside one for HIP."""
    if not work.sides.switched:
        return False
    if work.sides.only_nvcc(offset):
        return True
    if work.sides.at(Setting.PORT, offset) is not False or work.sides.at(Setting.NVCC, offset) is False:
        return False
    lines = (work.unit.branches.get(branch) for branch in work.sides.path(offset))
    return any(line is not None and exclusion(work, line) == LEFT for line in lines)


def exclusion(work: Work, line: Directive) -> str | None:
    """Return what to require besides HIP's compiler for a test to hold, as text; LEFT to leave it; None if it is free.

    Whatever branch a HIP compiler takes before the translation, with the project's macros, it takes afterwards. A
    test beside macros of HIP's compilers is left even where renaming it would not change that: a second translation
    would take the code for CUDA for HIP's.
    """
    if not work.sides.switched:
        return None
    chain = _chain(work, line)
    switches = frozenset().union(*(work.sides.switches(each) for each in (*chain, *_around(work, line))))
    if switches:
        wanted = _wanted(work, switches)
        return wanted if wanted == LEFT or _changes(work, chain) else None
    beside = _alternatives(work, line)
    return _wanted(work, beside) if beside else None


def _wanted(work: Work, switches: frozenset[str]) -> str:
    """Return the condition that excludes a project's own macros; LEFT if a compiler's macro selects HIP's branch."""
    if not all(map(is_projects_switch, switches)):
        return LEFT
    return " && ".join(f"!defined({name})" if _by_presence(work, name) else f"!{name}" for name in sorted(switches))


def _by_presence(work: Work, name: str) -> bool:
    """Return whether the file asks whether a macro is defined, rather than for its value."""
    presence = re.build(rf"#\s*(?:el)?ifn?def\s+{re.escape(name)}\b|\bdefined\s*\(?\s*{re.escape(name)}\b")
    return presence.search(work.unit.code) is not None


def _chain(work: Work, line: Directive) -> list[Directive]:
    number = line.after[-1][0] if line.after else -1
    return [opening for (each, _), opening in work.unit.branches.items() if each == number]


def _around(work: Work, line: Directive) -> Iterator[Directive]:
    """Yield the conditions around a line that hold for nvcc and for HIP's compilers, as in `if nvcc or HIP`."""
    for branch in line.branch:
        opening = work.unit.branches.get(branch)
        if opening is not None and opening.word in ("if", "elif"):
            words = _WORD.findall(work.unit.code, opening.body.start, opening.body.end)
            if not NVIDIA_COMPILERS.isdisjoint(words):
                yield opening


_WORD = re.compile(r"\b__\w+")


def _changes(work: Work, chain: list[Directive]) -> bool:
    """Return whether HIP's compiler may take another branch of a chain once the tests for nvcc hold."""
    return any(
        before is None or work.sides.takes(Setting.TRANSLATED, each) is not before
        for each in chain
        for before in [work.sides.takes(Setting.PORT, each)]
    )


def _alternatives(work: Work, line: Directive) -> frozenset[str]:
    """Return the macros of branches for HIP elsewhere in the file that stand for the code under this test."""
    from hipport.translate.port_facts import brings_hip, defined_names  # few files have branches for HIP

    for_hip = [each for each in work.unit.branches.values() if brings_hip(work.unit, work.sides, each)]
    if not for_hip:
        return frozenset()
    if not work.needed:
        return frozenset().union(*(work.sides.switches(each) for each in _with_openings(work, for_hip)))
    own = branches_of(work.unit, line)
    names = defined_names(work.unit, own.own) if own is not None else frozenset()
    twins = [each for each in for_hip if names & defined_names(work.unit, _code_of(work, each))]
    return frozenset().union(*(work.sides.switches(each) for each in _with_openings(work, twins)))


def _with_openings(work: Work, lines: list[Directive]) -> Iterator[Directive]:
    for line in lines:
        yield line
        yield work.unit.branches[(line.after[-1][0], 0)]


def _code_of(work: Work, line: Directive) -> Span:
    index = bisect_left(work.unit.directives, line.span.start, key=lambda each: each.span.start)
    following = (each for each in work.unit.directives[index + 1 :] if each.branch == line.after[:-1])
    end = next((each.span.start for each in following if each.word.startswith(("el", "endif"))), len(work.unit.code))
    return Span(line.span.end, end)


def _excluding(work: Work, line: Directive, reference: Reference, excluded: str) -> Edit:
    """Write a test that holds for HIP's compiler, unless the project's own branch for HIP is compiled."""
    asked = _PRESENT.get(reference.entry.name, "__HIPCC__")
    test = f"(defined({asked}) && {excluded})"
    code, span = work.unit.code, reference.span
    if line.word in ("ifdef", "ifndef", "elifdef", "elifndef"):
        word = line.span.start + code[line.span.start : line.span.end].index(line.word)
        plain = "elif" if line.word.startswith("el") else "if"
        return Replace(word, span.end, f"{plain} {'!' if line.word.endswith('ndef') else ''}{test}")
    before = _DEFINED.search(code, line.body.start, span.start)
    if before is None:
        return Replace(span.start, span.end, test)
    bracket = code[before.start() : span.start].rstrip().endswith("(")
    end = code.index(")", span.end) + 1 if bracket else span.end
    return Replace(before.start(), end, test)
