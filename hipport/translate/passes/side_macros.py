"""Macros that are `__device__`, `__host__` or both in device compilations only, and nothing in others.

nvcc does not check host code when it compiles for a GPU. clang does, and device code when it compiles for the host: it
needs both sides, wherever it compiles CUDA or HIP.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.syntax.branches import branches_of
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_COMPILER = r"defined\s*\(?\s*__(?:CUDACC|NVCC)__\s*\)?"
_DEVICE_CODE = r"defined\s*\(?\s*__CUDA_ARCH__\s*\)?"
_TEST = re.compile(rf"\s*(?:{_COMPILER}\s*&&\s*)?{_DEVICE_CODE}(?:\s*&&\s*{_COMPILER})?\s*")
_SIDES = frozenset({"__device__", "__host__"})
_INLINE = frozenset({"inline", "__inline__", "__forceinline__"})
WORDS = (frozenset({"__CUDA_ARCH__"}), frozenset({"__device__"}))


def run(work: Work) -> Iterator[Edit]:
    """Add `__host__`; the test of the device compilation becomes one of the compiler (`feature_tests`)."""
    unit = work.unit
    for line in unit.directives:
        for macro in _side_macros(unit, line) or ():
            if _words(unit, macro) & _SIDES != {"__device__"}:
                continue
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
    return [*own] if same and _are_sides(unit, own, others) else None


def _are_sides(unit: Unit, own: Sequence[Directive], others: Sequence[Directive]) -> bool:
    """Return whether macros are sides, one of them the device's, and those instead of them are empty, or `inline`."""
    words = {each.name: _words(unit, each) for each in own}
    if not any("__device__" in each for each in words.values()):
        return False
    if any(not each & _SIDES or each - _SIDES - _INLINE for each in words.values()):
        return False
    # A function that only the host's compilation had inline would be defined twice.
    return all(_words(unit, each) <= (_INLINE if words[each.name] & _INLINE else set()) for each in others)


def _tests_device_code(unit: Unit, line: Directive) -> bool:
    text = unit.code[line.body.start : line.body.end]
    return (
        text.strip() == "__CUDA_ARCH__" if line.word == "ifdef" else line.word == "if" and bool(_TEST.fullmatch(text))
    )


def _words(unit: Unit, line: Directive) -> set[str]:
    return set(unit.code[line.body.start : line.body.end].split())
