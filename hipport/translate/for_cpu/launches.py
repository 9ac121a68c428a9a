"""Rewrite `k<<<g, b>>>(x)` as `HIPPORT_LAUNCH(k, g, b)(x)`: an expression, as every launch is one in C++.

The macro is variadic after the kernel, so braces and macros that expand to several arguments work.
`hipLaunchKernelGGL` is a macro of the CPU target's headers and is left unchanged.

Where macros contain the brackets, or an `#if` stands between branches that end a launch, the kernel is not in front of
the configuration in the text. There `<<<` becomes an operator, `->*hipport::cpu::configured(`, and `>>>` its `)`.

The macro has a lambda, which captures nothing in default arguments and initializers at namespace scope, and which is no
operand of `decltype` before C++20: there the launch becomes a call, which has its type.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span, Wrap
from hipport.translate.syntax.brackets import callee_start, matching_close, skip_blanks_back
from hipport.translate.syntax.calls import Launch, launches, may_split
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.syntax.shadow import openings
from hipport.translate.syntax.unit import Unit

_OPERATOR = "->*::hipport::cpu::configured("
_CLOSE = re.compile(r">>[ \t]?>")
_OPERAND = re.compile(r"\b(?:decltype|noexcept)\s*\(")
_INSIDE = frozenset({"compound_statement", "field_declaration_list", "ERROR"})
_TEMPLATE = re.compile(r"(?<!<)<(?![<=])")


def run(unit: Unit) -> Iterator[Edit]:
    """Rewrite every launch whose kernel can be parsed."""
    alone = tuple(brackets_alone(unit))
    yield from (Replace(each.start, each.end, _OPERATOR if unit.code[each.start] == "<" else ")") for each in alone)
    operands = tuple(_unevaluated(unit.code)) if unit.launches else ()
    for launch in launches(unit):
        if not isinstance(launch, Launch) or launch.brackets.open in alone:
            continue
        kernel, brackets = _whole(unit.code, launch.kernel), launch.brackets
        if any(operand.start <= kernel.start < operand.end for operand in operands):
            yield Replace(brackets.open.start, brackets.close.end, "", whole=True)
            continue
        yield Replace(kernel.start, kernel.start, f"HIPPORT_LAUNCH{'_OUTSIDE' if _is_outside(unit, kernel) else ''}(")
        if may_split(unit, kernel):
            yield Wrap(kernel.start, kernel.end, "HIP_KERNEL_NAME(", ")")
        yield Replace(brackets.open.start, brackets.open.end, ", ")
        yield Replace(brackets.close.start, brackets.close.end, ")")


def _unevaluated(code: str) -> Iterator[Span]:
    """Yield the operands of `decltype` and `noexcept`."""
    for match in _OPERAND.finditer(code):
        close = matching_close(code, match.end() - 1)
        if close is not None:
            yield Span(match.end(), close)


def _is_outside(unit: Unit, kernel: Span) -> bool:
    """Return whether a launch is in a default argument, or in an initializer outside of functions and classes."""
    if unit.directive_at(kernel.start) is not None:
        return False
    node = unit.node_at(kernel)
    while node is not None and node.type not in _INSIDE:
        if node.type == "optional_parameter_declaration":
            return True
        node = unit.parent(node)
    return node is None


def brackets_alone(unit: Unit) -> Iterator[Span]:
    """Yield each `<<<` and `>>>` of launches that are not whole: of macros' bodies, and of branches of an `#if`."""
    whole = [launch.brackets for launch in launches(unit) if isinstance(launch, Launch)]
    paired = {each.open.start for each in whole} | {each.close.start for each in whole}
    opened = [opening for opening in openings(unit.code) if opening.start not in paired]
    split = [each for each in whole if unit.has_directive(Span(each.open.start, each.arguments.end))]
    if not opened and not split:
        return
    closed = [each for each in _closings(unit) if each.start not in paired]
    for each in split:
        following = next((other.open.start for other in whole if other.open.start > each.open.start), len(unit.code))
        if any(each.close.start < close.start < following for close in closed):
            yield from (each.open, each.close)
    yield from (*opened, *closed)


def _closings(unit: Unit) -> Iterator[Span]:
    """Yield each `>>>` that closes no template arguments: too few brackets are open in its statement or macro."""
    for match in _CLOSE.finditer(unit.code):
        line = unit.directive_at(match.start())
        if line is not None and line.kind is not DirectiveKind.DEFINE:
            continue
        start = line.body.start if line is not None else 0
        start = max(start, *(unit.code.rfind(sign, start, match.start()) + 1 for sign in ";{}"))
        if len(_TEMPLATE.findall(unit.code, start, match.start())) < len(">>>"):
            yield Span(*match.span())


def _whole(code: str, kernel: Span) -> Span:
    """Extend the kernel expression over what a macro pastes in front of it: `prefix_##name<T>`."""
    start = kernel.start
    while code[(before := skip_blanks_back(code, start)) - 2 : before] == "##":
        pasted = callee_start(code, before - 2)
        if pasted is None:
            break
        start = pasted
    return Span(start, kernel.end)
