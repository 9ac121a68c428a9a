"""HP501: error codes compared with numbers."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.dataflow.flow import COMPARISONS
from hipport.translate.dataflow.function import Function, text_of, walk
from hipport.translate.hazards import wavefront
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

WORDS = frozenset({"cudaError_t", "cudaError", "CUresult"})
_NUMBER = r"(?:[1-9]|0[xXbB\d])"
_BEFORE = re.compile(rf"(?:[=!]=|[<>]=?)[\s(]*{_NUMBER}")
_BEHIND = re.compile(r"\d(?<!\w\d)(?:(?<=[1-9])|[xXbB\d])\w*[\s)]*(?:[=!]=|[<>]=?)([^;&|?{}]{0,100})")
_SWITCH = re.compile(r"\bswitch\s*\(([^{;]{0,200})")
_END = re.compile(r"[;(){}]")
_LONGEST = 500  # characters of a declaration
_NAME = re.compile(r"[A-Za-z_]\w*")
_CAST = re.compile(r"\(\s*(?:unsigned\s+)?(?:int|unsigned|long)\s*\)\s*|static_cast\s*<[\w\s]+>\s*")

_HAVE = "0-9 12-13 17 21 35 52-53 98 100-101 200-202 205-219 300-304 400-401 500 600 700-702 704-705 708-710"
_HAVE += " 712-713 719-720 801 900-908 910 999"
"""The error numbers that HIP has had since ROCm 5.2: the same as in CUDA from 10.1 on."""


def _numbers() -> frozenset[int]:
    ranges = (part.partition("-") for part in _HAVE.split())
    return frozenset(number for first, _, last in ranges for number in range(int(first), int(last or first) + 1))


def run(work: Work) -> Iterator[Diagnostic]:
    """Report `error == 716` and `case 716:` of a switch over an error."""
    if _compared_names(work.unit.code).isdisjoint(_variables(work.unit)):
        return
    for function in work.flow.functions(WORDS):
        for node in function.nodes:
            for number in _compared(function, node):
                yield from _report(work, number)


def _compared_names(code: str) -> set[str]:
    """Return the names that may be compared with numbers other than 0; a cheap first filter."""
    before = (code[max(0, match.start() - 100) : match.start()] for match in _BEFORE.finditer(code))
    behind = (match[1] for pattern in (_BEHIND, _SWITCH) for match in pattern.finditer(code))
    return {name for text in (*before, *behind) for name in _NAME.findall(text)}


def _variables(unit: Unit) -> set[str]:
    """Return the names that follow an error type."""
    code = unit.code
    texts = (_END.split(code[offset : offset + _LONGEST], 1)[0] for _, offset in unit.occurrences(WORDS))
    return {name for text in texts for name in _NAME.findall(text)}


def _compared(function: Function, node: Node) -> Iterator[Node]:
    """Yield the numbers that a comparison or a switch compares an error with."""
    if node.type == "binary_expression":
        operator = node.child_by_field_name("operator")
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if operator is not None and operator.type in COMPARISONS and left is not None and right is not None:
            for error, number in ((left, right), (right, left)):
                if _is_error(function, error) and number.type == "number_literal":
                    yield number
    elif node.type == "switch_statement" and _is_error(function, node.child_by_field_name("condition")):
        for part in walk(node):
            value = part.child_by_field_name("value") if part.type == "case_statement" else None
            if value is not None and value.type == "number_literal":
                yield value


def _is_error(function: Function, node: Node | None) -> bool:
    """Return whether an operand is a variable that holds an error, maybe in parentheses or converted to int."""
    text = text_of(node).strip()
    while text.startswith("(") and text.endswith(")") and not _CAST.match(text):
        text = text[1:-1].strip()
    name = _CAST.sub("", text).strip("() ")
    variable = function.variable(name, node.start_byte) if node is not None and name.isidentifier() else None
    return variable is not None and variable.type.split()[-1] in WORDS and not variable.pointer


def _report(work: Work, node: Node) -> Iterator[Diagnostic]:
    number = work.flow.constant(node)
    if number is None or number == 0:
        return
    span = wavefront.span(node)
    if number in _numbers():
        message = f"error number {number}: HIP uses CUDA's numbers since CUDA 10.1, older releases differ"
        yield work.report(span, "HP501", Severity.NOTE, message, "Use the name of the enumerator.")
    else:
        message = f"CUDA's error {number} has no counterpart in HIP: this comparison never matches it"
        yield work.report(span, "HP501", Severity.WARNING, message, "Compare with an error that HIP has, by its name.")
