"""Operator templates for operands of any two types, `template <typename T, typename U> auto operator+(T a, U b)`.

A project writes them for CUDA's vector types, which have no operators. HIP's have templates that fit better, such as
those for a vector and any number: calls are ambiguous, or convert the other operand to the elements of the vector.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.brackets import matching_close, split_arguments
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_SYMBOL = re.compile(r"operator\s*(?:[-+*/%&|^<>=!]{1,3}|\w+(?:\s*##\s*=)?)\s*(?=\()")
_OPERAND = re.compile(r"(?:const\s+)?([A-Za-z_]\w*)(?:\s+const)?\s*&{0,2}\s*([A-Za-z_]\w*)")
_TEMPLATE = re.compile(r"\btemplate\s*<")
_PARAMETER = re.compile(r"\b(?:typename|class)\s+([A-Za-z_]\w*)")
_HEAD = 600
"""Characters in front of an operator among which its `template` is."""
WORDS = (frozenset({"operator"}), frozenset({"template"}))


def run(work: Work) -> Iterator[Diagnostic]:
    """Report operator templates for two types that take the components of an operand."""
    unit = work.unit
    if is_hip(work):
        return
    for _, offset in unit.occurrences(frozenset({"operator"})):
        if platform_at(unit, offset) is not Platform.NVIDIA and _takes_vectors(unit, offset):
            message = "for HIP's vector types, HIP has operators that fit better than this template for any types"
            advice = "Overload it for each vector type, or make it a named function."
            yield work.report(Span(offset, offset + 1), "HP109", Severity.WARNING, message, advice)


def _takes_vectors(unit: Unit, offset: int) -> bool:
    """Return whether an operator has operands of two types of its template, and its body the component of one."""
    code = unit.code
    symbol = _SYMBOL.match(code, offset)
    close = matching_close(code, symbol.end()) if symbol is not None else None
    opening = code.find("{", close) if close is not None else -1
    if symbol is None or close is None or opening < 0 or code[close + 1 : opening].strip(" \t\r\n\\"):
        return False
    given = split_arguments(code, symbol.end() + 1, close)
    operands = [match for each in given if (match := _OPERAND.fullmatch(code[each.start : each.end])) is not None]
    types = {match[1] for match in operands}
    if len(given) != 2 or len(types) != 2 or len(operands) != 2 or not types <= _parameters(code, offset):
        return False
    end = matching_close(code, opening) or opening
    return any(re.search(rf"\b{match[2]}\s*\.\s*[xyzw]\b", code[opening:end]) for match in operands)


def _parameters(code: str, offset: int) -> set[str]:
    """Return the types that the template of the operator at an offset takes."""
    heads = [match.end() - 1 for match in _TEMPLATE.finditer(code, max(0, offset - _HEAD), offset)]
    between = code[heads[-1] : offset] if heads else ""
    return set() if not between or set("{};") & set(between) else set(_PARAMETER.findall(between))
