"""Macros that are `__device__` in device compilations only, and nothing in others.

nvcc does not check host code when it compiles for a GPU. clang does, and device code when it compiles for the host: it
needs both sides, wherever it compiles CUDA or HIP.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.syntax.branches import branches_of
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_COMPILER = r"defined\s*\(?\s*__(?:CUDACC|NVCC)__\s*\)?"
_DEVICE_CODE = r"defined\s*\(?\s*__CUDA_ARCH__\s*\)?"
_TEST = re.compile(rf"\s*(?:{_COMPILER}\s*&&\s*)?{_DEVICE_CODE}(?:\s*&&\s*{_COMPILER})?\s*")
_SIDE = re.compile(r"__device__(?=\s|\Z)(?!.*__host__)(?:\s+__(?:force)?inline__)?\s*\Z|inline\s+__device__\s*\Z")


def run(work: Work) -> Iterator[Edit]:
    """Add `__host__`; the test of the device compilation becomes one of the compiler (`feature_tests`)."""
    unit = work.unit
    if not {"__CUDA_ARCH__", "__device__"} <= unit.words:
        return
    for line in unit.directives:
        for macro in _side_macros(unit, line) or ():
            start = unit.code.index("__device__", macro.body.start)
            yield Replace(start, start, "__host__ ")


def declares_sides(unit: Unit, line: Directive) -> bool:
    """Return whether a test of the device compilation only selects between such macros and empty ones."""
    return bool(_side_macros(unit, line))


def _side_macros(unit: Unit, line: Directive) -> list[Directive] | None:
    if line.kind is not DirectiveKind.CONDITION or not _tests_device_code(unit, line):
        return None
    branches = branches_of(unit, line)
    if branches is None or len(branches.others) != 1:
        return None
    own, others = unit.directives_in(branches.own), unit.directives_in(branches.others[0])
    same = all(each.kind is DirectiveKind.DEFINE for each in (*own, *others))
    same = same and sorted(each.name for each in own) == sorted(each.name for each in others)
    sides = all(_SIDE.match(_body(unit, each)) for each in own)
    return [*own] if own and same and sides and not any(map(str.strip, (_body(unit, o) for o in others))) else None


def _tests_device_code(unit: Unit, line: Directive) -> bool:
    text = unit.code[line.body.start : line.body.end]
    return (
        text.strip() == "__CUDA_ARCH__" if line.word == "ifdef" else line.word == "if" and bool(_TEST.fullmatch(text))
    )


def _body(unit: Unit, line: Directive) -> str:
    return unit.code[line.body.start : line.body.end].strip()
