"""Tests of `__HIP_PLATFORM_HCC__` and `__HIP_PLATFORM_NVCC__`, which no release defines from ROCm 6.0 on.

Code behind them is compiled for the other platform then: they get the macro that HIP has had since. A build may still
define the old one.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_NEW = {
    "__HIP_PLATFORM_HCC__": "__HIP_PLATFORM_AMD__",
    "__HIP_PLATFORM_NVCC__": "__HIP_PLATFORM_NVIDIA__",
}
WORDS = (frozenset(_NEW),)
_SINGLE = re.compile(r"#[ \t]*(?P<word>if|elif)(?P<no>n?)def\b[ \t]*")
_DEFINED = re.compile(r"defined\s*(?:\(\s*(\w+)\s*\)|(\w+))")


def run(work: Work) -> Iterator[Edit]:
    """Ask for either macro."""
    for line in work.unit.directives:
        if line.kind is DirectiveKind.CONDITION:
            yield from _single(work.unit, line) if line.word.endswith("def") else _in_condition(work.unit, line)


def _single(unit: Unit, line: Directive) -> Iterator[Edit]:
    test = _SINGLE.match(unit.code, line.span.start)
    old = unit.code[line.body.start : line.body.end].strip()
    if test is None or old not in _NEW:
        return
    sign, both = ("!", "&&") if test["no"] else ("", "||")
    text = f"#{test['word']} {sign}defined({old}) {both} {sign}defined({_NEW[old]})"
    yield Replace(
        line.span.start, line.body.start + unit.code[line.body.start : line.body.end].index(old) + len(old), text
    )


def _in_condition(unit: Unit, line: Directive) -> Iterator[Edit]:
    text = unit.code[line.body.start : line.body.end]
    for test in _DEFINED.finditer(text):
        new = _NEW.get(test[1] or test[2])
        if new is not None and new not in text:
            start, end = line.body.start + test.start(), line.body.start + test.end()
            yield Replace(start, end, f"({test[0]} || defined({new}))")
