"""Rewrite `k<<<g, b>>>(x)` as `HIPPORT_LAUNCH(k, g, b)(x)`: an expression, as every launch is one in C++.

The macro is variadic after the kernel, so braces and macros that expand to several arguments work.
`hipLaunchKernelGGL` is a macro of the CPU target's headers and is left unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport.source import Edit, Replace, Span, Wrap
from hipport.translate.syntax.brackets import callee_start, has_bare_comma, skip_blanks_back
from hipport.translate.syntax.calls import Launch, launches
from hipport.translate.syntax.unit import Unit


def run(unit: Unit) -> Iterator[Edit]:
    """Rewrite every launch whose kernel can be parsed."""
    for launch in launches(unit):
        if not isinstance(launch, Launch):
            continue
        kernel, brackets = _whole(unit.code, launch.kernel), launch.brackets
        yield Replace(kernel.start, kernel.start, "HIPPORT_LAUNCH(")
        if has_bare_comma(unit.code, kernel):
            yield Wrap(kernel.start, kernel.end, "HIP_KERNEL_NAME(", ")")
        yield Replace(brackets.open.start, brackets.open.end, ", ")
        yield Replace(brackets.close.start, brackets.close.end, ")")


def _whole(code: str, kernel: Span) -> Span:
    """Extend the kernel expression over what a macro pastes in front of it: `prefix_##name<T>`."""
    start = kernel.start
    while code[(before := skip_blanks_back(code, start)) - 2 : before] == "##":
        pasted = callee_start(code, before - 2)
        if pasted is None:
            break
        start = pasted
    return Span(start, kernel.end)
