"""Headers that are included where no device code is compiled.

    #ifndef __CUDA_ARCH__
    #include "error.hpp"
    #endif

Functions of templates may call what the header declares, or its macros: while nvcc compiles for a GPU, it accepts names
that nothing declares in templates that no device code uses. HIP's compilers do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.branches import branches_of
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_TESTS = {
    "ifndef": re.compile(r"\s*__CUDA_ARCH__\s*"),
    "if": re.compile(r"\s*!\s*defined\s*(?:\(\s*__CUDA_ARCH__\s*\)|__CUDA_ARCH__)\s*"),
}
_FOR_BOTH = "defined(__HIP_PLATFORM_AMD__)"
WORDS = (frozenset({"__CUDA_ARCH__"}), frozenset({"include"}))


def run(work: Work) -> Iterator[Edit]:
    """Let AMD's compilers include such headers in device compilations, too."""
    unit = work.unit
    for line in unit.directives if not is_hip(work) else ():
        test = _TESTS.get(line.word) if line.kind is DirectiveKind.CONDITION else None
        if test is None or not test.fullmatch(unit.code, line.body.start, line.body.end):
            continue
        branches = branches_of(unit, line)
        if branches is None or branches.others or not _only_includes(unit, branches.own):
            continue
        word = unit.code.index(line.word, line.span.start)
        end = word + len(line.word)
        yield Replace(word, end, f"if {_FOR_BOTH} ||" + (" !defined" if line.word == "ifndef" else ""))


def _only_includes(unit: Unit, branch: Span) -> bool:
    """Return whether a branch holds `#include` lines and nothing else."""
    lines = unit.directives_in(branch)
    only = bool(lines) and all(each.kind is DirectiveKind.INCLUDE for each in lines)
    return only and not _between(unit, branch, lines).strip()


def _between(unit: Unit, branch: Span, lines: Sequence[Directive]) -> str:
    """Return the code of a branch without its directives."""
    starts = [branch.start, *(each.span.end for each in lines)]
    ends = [*(each.span.start for each in lines), branch.end]
    return "".join(unit.code[start:end] for start, end in zip(starts, ends, strict=True))
