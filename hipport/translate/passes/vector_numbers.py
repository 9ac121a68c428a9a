"""Operators that a project defines for a vector and a number, such as `uchar4 operator*(uchar4, float)`.

HIP's vector types have templates for numbers of any type. For a call with another type than the project's, HIP's are
preferred, and convert the number to the type of the components first. So macros behind the definition declare the
project's operator for other numbers, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Replace, Span
from hipport.translate.passes import insertion
from hipport.translate.passes.vector_bodies import ELEMENTS, VECTORS, Operands, is_componentwise
from hipport.translate.syntax.brackets import matching_close, split_arguments
from hipport.translate.syntax.declarations import after_parameters, specifiers
from hipport.translate.syntax.lexer import Branch
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_HEADER = "hipport/compat/vector_operators.h"
_SIGNATURE = re.compile(r"operator\s*([-+*/]=|[=!]=|<<(?!=)|>>(?!=)|[-+*/%&|^](?!=))\s*(?=\()")
_PARAMETER = re.compile(
    r"\s*((?:[A-Za-z_:][\w:]*\s+)*?[A-Za-z_:][\w:]*)\s*(&{0,2})\s*(?:__restrict__\s+)?\b([A-Za-z_]\w*)?\s*"
)
_QUALIFIERS = re.compile(r"\b(?:const|struct|volatile|register)\b")
_ARITHMETIC = re.compile(
    r"(?:(?:unsigned|signed|long|short|int|char|float|double|bool)\s*)+|u?int(?:8|16|32|64)_t|size_t|uint|uchar|ushort"
)
_REST = re.compile(rb"[ \t\r]*(?://[^\\]*)?")
"""Matches what may stand between a definition and the end of its line."""
_FOR_INTEGERS = frozenset({"%", "&", "|", "^", "<<", ">>"})
WORDS = (frozenset({"operator"}), VECTORS)


class _Definition(Struct, frozen=True):
    """An operator with a body, or a prototype, for a vector and a number; `start` is the offset of `operator`."""

    start: int
    end: int
    symbol: str
    vector: str
    number: str
    number_first: bool
    componentwise: bool
    has_body: bool
    scope: int
    branch: Branch

    @property
    def overloads(self) -> tuple[object, ...]:
        """Return the key that overloads for numbers of different types share."""
        return self.symbol, self.vector, self.number_first, self.scope, self.branch

    @property
    def like_hips(self) -> bool:
        """Return whether HIP's operator does the same for a number converted to the type of the components."""
        return self.componentwise and self.number == ELEMENTS[self.vector[:-1]]


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Declare the operators for other numbers, and report prototypes that would need it."""
    unit = work.unit
    groups: dict[tuple[object, ...], list[_Definition]] = {}
    for definition in _definitions(unit):
        groups.setdefault(definition.overloads, []).append(definition)
    needed = [group for group in groups.values() if not any(each.like_hips for each in group)]
    defined = [group for group in needed if any(each.has_body for each in group) and _macro(group[0]) not in unit.code]
    for group in defined:
        yield _forwarded(unit, group)
    if defined:
        yield from insertion.include(work, {_HEADER}, min(each.start for group in defined for each in group))
    for group in needed:
        if not any(each.has_body for each in group):
            yield _report(work, group[0])


def _definitions(unit: Unit) -> Iterator[_Definition]:
    typedefs = _typedefs(unit.code)
    for _, offset in unit.occurrences(frozenset({"operator"})):
        if unit.directive_at(offset) is None and platform_at(unit, offset) is not Platform.NVIDIA:
            definition = _definition(unit, offset, typedefs)
            if definition is not None:
                yield definition


def _definition(unit: Unit, offset: int, typedefs: dict[str, str]) -> _Definition | None:
    match = _SIGNATURE.match(unit.code, offset)
    close = matching_close(unit.code, match.end()) if match is not None else None
    opening = after_parameters(unit.code, close + 1) if close is not None else None
    if match is None or close is None or opening is None:
        return None
    parts = [
        _parameter(unit.code[part.start : part.end]) for part in split_arguments(unit.code, match.end() + 1, close)
    ]
    named = [part for part in parts if part is not None]
    if len(parts) != 2 or len(named) != 2:
        return None
    (first, left), (second, right) = named
    number_first = second in VECTORS
    vector, spelled = (second, first) if number_first else (first, second)
    number = _canonical(typedefs.get(spelled, spelled))
    words = specifiers(unit, offset, offset)
    if (
        vector not in VECTORS
        or spelled in VECTORS
        or not _ARITHMETIC.fullmatch(number)
        or {"template", "friend"} & words
    ):
        return None
    if match[1] in _FOR_INTEGERS and ELEMENTS[vector[:-1]] in ("float", "double"):
        return None
    body = unit.code[opening] == "{"
    end = matching_close(unit.code, opening) if body else opening
    if end is None or unit.has_directive(Span(offset, opening)):
        return None
    operands = Operands(match[1], vector, left, right, number_first, not number_first, returns_vector=vector in words)
    around = unit.braces.around(Span(offset, offset + 1))
    return _Definition(
        offset, end + 1, match[1], vector, number, number_first,
        body and is_componentwise(operands, unit.shadow.main[opening : end + 1]),
        body, around.start if around is not None else -1, unit.branch_at(offset),
    )  # fmt: skip


def _parameter(text: str) -> tuple[str, str] | None:
    """Return the type, without qualifiers and references, and the name of a parameter."""
    match = _PARAMETER.fullmatch(_QUALIFIERS.sub(" ", text))
    if match is None:
        return None
    kind, name = " ".join(match[1].split()).removeprefix("::"), match[3] or ""
    if name and _ARITHMETIC.fullmatch(name):  # `unsigned int`, without a name
        kind, name = f"{kind} {name}", ""
    return kind, name


def _typedefs(code: str) -> dict[str, str]:
    """Return the names that the file gives to arithmetic types."""
    found = {match[2]: match[1] for match in re.finditer(r"\btypedef\s+([\w ]+?)\s+(\w+)\s*;", code)}
    found |= {match[1]: match[2] for match in re.finditer(r"\busing\s+(\w+)\s*=\s*([\w ]+?)\s*;", code)}
    return {name: kind for name, kind in found.items() if _ARITHMETIC.fullmatch(kind)}


def _canonical(kind: str) -> str:
    words = kind.split()
    if "char" not in words:
        words = [word for word in words if word != "signed"] or ["int"]
    if {"unsigned", "long", "short"} & {*words} and len(words) > 1:
        words = [word for word in words if word != "int"]
    if words == ["unsigned"]:
        words = ["unsigned", "int"]
    short = {"uint": "unsigned int", "uchar": "unsigned char", "ushort": "unsigned short"}
    return short.get(" ".join(words), " ".join(sorted(words, key=lambda word: word != "unsigned")))


def _macro(definition: _Definition) -> str:
    """Return the start of the macro call for a definition."""
    kind = "NUMBER_OP_VECTOR" if definition.number_first else "VECTOR_OP_NUMBER"
    if definition.symbol.endswith("=") and definition.symbol not in ("==", "!="):
        kind = "VECTOR_ASSIGN_NUMBER"
    return f"HIPPORT_{kind}({definition.vector}, {definition.symbol}, "


def _forwarded(unit: Unit, group: list[_Definition]) -> Edit:
    """Return the macro on a line of its own behind the last overload."""
    end = max(each.end for each in group)
    macro = _macro(group[0]) + ", ".join(dict.fromkeys(each.number for each in group)) + ")"
    newline, text = unit.source.newline, unit.source.text
    line_end = text.find(b"\n", end)
    if line_end >= 0 and _REST.fullmatch(text[end:line_end]):
        return Replace(line_end + 1, line_end + 1, f"{macro}{newline}")
    return Replace(end, end, f"{newline}{macro}{newline}")


def _report(work: Work, definition: _Definition) -> Diagnostic:
    message = f"HIP's own operator{definition.symbol} is preferred for numbers other than {definition.number}"
    advice = f"Where it is used, convert the number to {definition.number}, or define it in this file."
    return work.report(Span(definition.start, definition.end), "HP109", Severity.WARNING, message, advice)
