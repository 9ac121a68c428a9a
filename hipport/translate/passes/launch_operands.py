"""Launches as operands of `noexcept` and `decltype`, which Clang answers differently from nvcc, or not at all.

`noexcept(k<<<g, b>>>(x))` is false with nvcc and true with Clang. In the signature of a function template, Clang cannot
mangle a launch: `template <class T> auto f(T* x) -> decltype(k<T><<<g, b>>>(x))`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span, Wrap
from hipport.translate.syntax.brackets import matching_close
from hipport.translate.syntax.calls import Launch
from hipport.translate.syntax.nesting import Nested
from hipport.translate.syntax.unit import Unit

_OPERAND = re.compile(r"\b(noexcept|decltype)\s*\(")
_THROW = ", throw 0"
_THROWS = re.compile(re.escape(_THROW))


def operator_around(unit: Unit, launch: Launch) -> str:
    """Return the operator in whose operand a launch is, or an empty string."""
    if "operands" not in unit.notes:
        unit.notes["operands"] = Nested.of(_operands(unit))
    operands: Nested[str] = unit.notes["operands"]
    return operands.around(Span(launch.kernel.start, launch.brackets.arguments.end)) or ""


def _operands(unit: Unit) -> Iterator[tuple[Span, str]]:
    """Yield the ranges of all operands with their operators."""
    for match in _OPERAND.finditer(unit.code):
        close = matching_close(unit.code, match.end() - 1)
        if close is not None:
            yield Span(match.end(), close), match[1]


def edits(unit: Unit, launch: Launch) -> Iterator[Edit]:
    """Yield the edits to a launch that is such an operand."""
    end = launch.brackets.arguments.end
    if operator_around(unit, launch) == "noexcept":
        if not _THROWS.match(unit.code, end):
            yield Wrap(launch.kernel.start, end, "(", f"{_THROW})")
    elif becomes_call(unit, launch):
        yield from _as_call(unit, launch)


def becomes_call(unit: Unit, launch: Launch) -> bool:
    """Return whether Clang cannot mangle a launch: in `decltype`, in the signature of a function template."""
    return operator_around(unit, launch) == "decltype" and _is_in_a_template_signature(unit, launch.kernel)


def _is_in_a_template_signature(unit: Unit, kernel: Span) -> bool:
    node = unit.node_at(kernel)
    while node is not None and node.type != "template_declaration":
        if node.type in ("compound_statement", "field_declaration_list", "template_parameter_list"):
            return False
        node = unit.parent(node)
    return node is not None


def _as_call(unit: Unit, launch: Launch) -> Iterator[Edit]:
    """Yield the edits to a call of the same type: of the kernel's address where it is one function, else `void()`."""
    kernel, brackets = launch.kernel, launch.brackets
    if unit.code[kernel.start : kernel.end].rstrip().endswith(">"):
        yield Wrap(kernel.start, kernel.end, "(*&", ")")
        yield Replace(brackets.open.start, brackets.close.end, "", whole=True)
    else:
        yield Replace(kernel.start, brackets.arguments.end, "void()", whole=True)
