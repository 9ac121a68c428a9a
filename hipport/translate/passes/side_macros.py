"""Macros that are `__device__`, `__host__` or both in device compilations only, and nothing in others.

nvcc does not check host code when it compiles for a GPU. clang does, and device code when it compiles for the host: it
needs both sides, wherever it compiles CUDA or HIP.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span
from hipport.translate.syntax.brackets import skip_blanks
from hipport.translate.syntax.branches import branches_of
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.side_words import expanded, meant
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_COMPILER = r"defined\s*\(?\s*__(?:CUDACC|NVCC)__\s*\)?"
_DEVICE_CODE = r"defined\s*\(?\s*__CUDA_ARCH__\s*\)?"
_TEST = re.compile(rf"\s*(?:{_COMPILER}\s*&&\s*)?{_DEVICE_CODE}(?:\s*&&\s*{_COMPILER})?\s*")
_NEGATED = re.compile(rf"\s*!\s*{_DEVICE_CODE}\s*")
_SIDES = frozenset({"__device__", "__host__"})
_LOCAL = frozenset({"inline", "__inline__", "__forceinline__", "static"})
"""Words with which a function may be defined in several units."""
_KNOWN = _SIDES | _LOCAL
WORDS = (frozenset({"__CUDA_ARCH__"}),)


def run(work: Work) -> Iterator[Edit]:
    """Add `__host__`; the test of the device compilation becomes one of the compiler (`feature_tests`)."""
    unit = work.unit
    for line in unit.directives:
        for macro in _side_macros(unit, line) or ():
            if _words(unit, macro) & _SIDES != {"__device__"}:
                continue
            start = unit.code.find("__device__", macro.body.start, macro.body.end)
            start = start if start >= 0 else skip_blanks(unit.code, macro.body.start)
            yield Replace(start, start, "__host__ ")
        if guarded := "".join(_for_both(*macro) for macro in _guarded_macros(unit, line)):
            start = unit.code.rfind("\n", 0, line.span.start) + 1
            yield Replace(start, start, guarded)
        elif mixed := "".join(_again(name, body) for name, body in _among_others(unit, line)):
            end = _behind(unit, line)
            yield Replace(end, end, f"#if defined(__HIPCC__)\n{mixed}#endif\n")


def made_for_both(unit: Unit) -> Iterator[str]:
    """Yield the macros of a file that stand for both sides once it is translated."""
    for line in unit.directives if "__CUDA_ARCH__" in unit.words else ():
        yield from (each.name for each in _side_macros(unit, line) or () if "__device__" in _words(unit, each))
        yield from (name for name, _ in (*_guarded_macros(unit, line), *_among_others(unit, line)))


def _for_both(name: str, body: str) -> str:
    """Return a definition of a macro for both sides, in front of that for the device."""
    sides = body if "__host__" in body.split() else f"__host__ {body}"
    return f"#if defined(__HIPCC__) && !defined({name})\n#define {name} {sides}\n#endif\n"


def _again(name: str, body: str) -> str:
    """Return another definition of a macro, for both sides."""
    return f"#undef {name}\n#define {name} {body if '__host__' in body.split() else f'__host__ {body}'}\n"


def _behind(unit: Unit, line: Directive) -> int:
    """Return where the line behind the `#endif` of a condition begins."""
    branches = branches_of(unit, line)
    end = branches.others[-1].end if branches is not None and branches.others else line.span.end
    newline = unit.code.find("\n", end)
    return newline + 1 if newline >= 0 else len(unit.code)


def _among_others(unit: Unit, line: Directive) -> Iterator[tuple[str, str]]:
    """Yield the macros for sides of a condition that defines other things, too, with their bodies for devices."""
    if line.kind is not DirectiveKind.CONDITION or _side_macros(unit, line) or line.word.startswith("el"):
        return
    is_negated = _tests_host_code(unit, line)
    branches = branches_of(unit, line) if is_negated or _tests_device_code(unit, line) else None
    if branches is None or len(branches.others) != 1 or "\n" not in unit.code[branches.others[-1].end :]:
        return
    spans = (branches.others[0], branches.own) if is_negated else (branches.own, branches.others[0])
    own, others = (_defined_alone(unit, span) for span in spans)
    for name in own.keys() & others.keys() if own and others else ():
        if len(unit.macros.get(name, ())) == 2 and _are_sides(unit, [own[name]], [others[name]]):
            yield name, unit.code[own[name].body.start : own[name].body.end].strip()


def _defined_alone(unit: Unit, branch: Span) -> dict[str, Directive]:
    """Return the macros of a branch without parameters or conditions of their own."""
    lines = unit.directives_in(branch)
    depth = lines[0].branch if lines else ()
    return {each.name: each for each in lines if each.kind is DirectiveKind.DEFINE and each.branch == depth}


def declares_sides(unit: Unit, line: Directive) -> bool:
    """Return whether a test of the device compilation only selects between such macros and empty ones."""
    return bool(_side_macros(unit, line))


def _side_macros(unit: Unit, line: Directive) -> list[Directive] | None:
    if line.kind is not DirectiveKind.CONDITION:
        return None
    is_negated = _tests_host_code(unit, line)
    branches = branches_of(unit, line) if is_negated or _tests_device_code(unit, line) else None
    if branches is None or not branches.others or (is_negated and len(branches.others) > 1):
        return None
    in_order = (*branches.others, branches.own) if is_negated else (branches.own, *branches.others)
    own, *others = (unit.directives_in(branch) for branch in in_order)
    return [*own] if all(_same_macros(own, each) and _are_sides(unit, own, each) for each in others) else None


def _same_macros(own: Sequence[Directive], others: Sequence[Directive]) -> bool:
    """Return whether both branches consist of definitions of the same macros."""
    same = all(each.kind is DirectiveKind.DEFINE for each in (*own, *others))
    return same and sorted(each.name for each in own) == sorted(each.name for each in others)


def _are_sides(unit: Unit, own: Sequence[Directive], others: Sequence[Directive]) -> bool:
    """Return whether macros are sides, one of them the device's, and those instead of them are the host's or empty."""
    words = {each.name: _words(unit, each) for each in own}
    if not any("__device__" in each for each in words.values()):
        return False
    if any(not each & _SIDES or each - _KNOWN for each in words.values()):
        return False
    # A function that only the host's compilation had inline would be defined twice.
    return all(_words(unit, each) - _SIDES <= (words[each.name] & _LOCAL and _LOCAL) for each in others)


def _guarded_macros(unit: Unit, line: Directive) -> Iterator[tuple[str, str]]:
    """Yield names and bodies of macros that are `__device__` in device compilations, each behind its own `#ifndef`.

    Random123 has them: another header defines them as nothing later, where they are not defined yet.
    """
    if line.kind is not DirectiveKind.CONDITION or not _tests_device_code(unit, line):
        return
    branches = branches_of(unit, line)
    for each in unit.directives_in(branches.own) if branches else ():
        words = _words(unit, each) if each.kind is DirectiveKind.DEFINE else set()
        if "__device__" in words and not words - _KNOWN and _always_guarded(unit, each.name):
            yield each.name, unit.code[each.body.start : each.body.end].strip()


def _always_guarded(unit: Unit, name: str) -> bool:
    """Return whether each definition of a macro follows an `#ifndef` of its name."""
    lines = unit.directives
    return all(
        before.word == "ifndef" and unit.code[before.body.start : before.body.end].strip() == name
        for before, line in itertools.pairwise((lines[0], *lines))
        if line.kind is DirectiveKind.DEFINE and line.name == name
    )


def _tests_device_code(unit: Unit, line: Directive) -> bool:
    text = unit.code[line.body.start : line.body.end]
    return (
        text.strip() == "__CUDA_ARCH__" if line.word == "ifdef" else line.word == "if" and bool(_TEST.fullmatch(text))
    )


def _tests_host_code(unit: Unit, line: Directive) -> bool:
    text = unit.code[line.body.start : line.body.end]
    if line.word == "ifndef":
        return text.strip() == "__CUDA_ARCH__"
    return line.word == "if" and bool(_NEGATED.fullmatch(text))


def _words(unit: Unit, line: Directive) -> set[str]:
    """Return the words of a definition, and for macros for sides among them what these stand for."""
    found: set[str] = set()
    for word in unit.code[line.body.start : line.body.end].split():
        words = expanded(unit, word) - unit.macros.keys() or meant(unit, [word])
        found |= words if word not in _KNOWN and words else {word}
    return found
