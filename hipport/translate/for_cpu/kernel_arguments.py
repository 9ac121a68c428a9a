"""Rewrite `hipLaunchKernel((void*)k, ...)` as `hipLaunchKernel(::hipport::cpu::kernel(k), ...)`.

A kernel's address does not carry its parameter types, and the cast discards them.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span
from hipport.translate.syntax.brackets import matching_close, skip_blanks
from hipport.translate.syntax.calls import call_of
from hipport.translate.syntax.unit import Unit

LAUNCHERS = frozenset({"hipLaunchKernel", "hipLaunchCooperativeKernel"})
_C_CAST = re.compile(r"\(\s*(?:const\s+)?void(?:\s+const)?\s*\*\s*\)\s*")
_NAMED_CAST = re.compile(r"(?:reinterpret|static|const)_cast\s*<[\w\s*]*>\s*\(\s*")


def run(unit: Unit) -> Iterator[Edit]:
    """Rewrite the first argument of every launch by address."""
    for name, offset in unit.occurrences(LAUNCHERS):
        call = call_of(unit, Span(offset, offset + len(name)))
        if call is None or not call.arguments:
            continue
        argument = call.arguments[0]
        kernel = _uncast(unit.code, argument)
        yield Replace(argument.start, kernel.start, "::hipport::cpu::kernel(")
        yield Replace(kernel.end, argument.end, ")")


def _uncast(code: str, argument: Span) -> Span:
    """Return the operand of an expression without the casts around it."""
    start, end = argument.start, argument.end
    while True:
        if match := _C_CAST.match(code, start, end):
            start = match.end()
        elif (match := _NAMED_CAST.match(code, start, end)) and matching_close(code, code.index("(", start)) == end - 1:
            start, end = match.end(), end - 1
        else:
            return Span(skip_blanks(code, start), end)
