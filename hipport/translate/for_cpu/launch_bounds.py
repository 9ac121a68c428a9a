"""Record a kernel's `__launch_bounds__(n)` in its body, as `::hipport::cpu::launch_bounds<(n)>([] {});`.

The headers define the attribute as empty; this call leaves a symbol with which larger launches are rejected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.source import Edit, Replace, Span
from hipport.translate.for_cpu.kernels import kernels
from hipport.translate.syntax.calls import call_of
from hipport.translate.syntax.unit import Unit

_WORD = "__launch_bounds__"
_WORDS = frozenset({_WORD})


def run(unit: Unit) -> Iterator[Edit]:
    """Record the bounds of every kernel defined with `__launch_bounds__`."""
    bounds = [offset for _, offset in unit.occurrences(_WORDS) if unit.directive_at(offset) is None]
    bodies = [kernel.body.start_byte for kernel in kernels(unit) if kernel.body is not None] if bounds else []
    for body in bodies:
        mine = next((offset for offset in reversed(bounds) if offset < body), None)
        threads = _threads(unit, mine) if mine is not None and _is_one_declaration(unit.code[mine:body]) else None
        if threads is not None:
            yield Replace(body + 1, body + 1, f" ::hipport::cpu::launch_bounds<({threads})>([] {{}});")


def _is_one_declaration(code: str) -> bool:
    """Return whether the code contains no end of another declaration."""
    return not re.search("[;{}]", code)


def _threads(unit: Unit, offset: int) -> str | None:
    call = call_of(unit, Span(offset, offset + len(_WORD)))
    if call is None or not call.arguments:
        return None
    return unit.code[call.arguments[0].start : call.arguments[0].end]
