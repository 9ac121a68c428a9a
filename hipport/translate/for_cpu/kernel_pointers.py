"""Rewrite `(void*)kernel` as `(void*)::hipport::cpu::kernel_pointer(kernel)`.

Graph nodes and similar APIs take kernels as `void*`. The call records the parameters of the kernel at that address.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span
from hipport.translate.for_cpu.kernel_arguments import LAUNCHERS
from hipport.translate.for_cpu.kernels import kernels
from hipport.translate.syntax.brackets import callee_start, skip_blanks, skip_blanks_back, template_close
from hipport.translate.syntax.calls import call_of
from hipport.translate.syntax.unit import Unit

_VOID = r"\s*(?:const\s+)?void(?:\s+const)?\s*\*\s*"
_CAST = re.compile(rf"(?:\({_VOID}\)|_cast\s*<{_VOID}>\s*\()\s*\Z")
_LONGEST_CAST = 60


def run(unit: Unit) -> Iterator[Edit]:
    """Wrap casts of this unit's kernels, except in launches, which already know their kernel."""
    names = frozenset(kernel.name for kernel in kernels(unit))
    launched = list(_first_arguments(unit, LAUNCHERS))
    for name, offset in unit.occurrences(names):
        start = _operand_start(unit.code, offset, offset + len(name))
        if _CAST.search(unit.code, max(0, start - _LONGEST_CAST), start) is None:
            continue
        if not any(span.start <= offset < span.end for span in launched):
            yield Replace(start, start, "::hipport::cpu::kernel_pointer(")
            end = _operand_end(unit.code, offset + len(name))
            yield Replace(end, end, ")")


def _first_arguments(unit: Unit, callees: frozenset[str]) -> Iterator[Span]:
    for name, offset in unit.occurrences(callees):
        call = call_of(unit, Span(offset, offset + len(name)))
        if call is not None and call.arguments:
            yield call.arguments[0]


def _operand_start(code: str, name: int, name_end: int) -> int:
    """Return the start of the cast operand that contains a name, including namespaces and `&`."""
    start = callee_start(code, name_end)
    start = name if start is None else start
    before = skip_blanks_back(code, start)
    return before - 1 if code[before - 1 : before] == "&" else start


def _operand_end(code: str, name_end: int) -> int:
    opening = skip_blanks(code, name_end)
    if code[opening : opening + 1] != "<":
        return name_end
    close = template_close(code, opening, len(code))
    return name_end if close is None else close + 1
