"""CUDA's version where it is printed or taken apart for that: HIP's release stands for it, in CUDA's scheme.

`CUDART_VERSION / 1000` and arguments of `printf` describe the platform to a reader. Anywhere else, as in a comparison,
the number decides something, and no number of ROCm's would be right, with one exception: the version of the driver or
the runtime, as `cudaDriverGetVersion` returns it, is HIP's after a translation, and so is compared with `HIP_VERSION`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Replace
from hipport.translate.references import Reference
from hipport.translate.syntax.brackets import skip_blanks
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

_VERSIONS = frozenset({"CUDA_VERSION", "CUDART_VERSION", "CUDART_API_VERSION"})
_VALUE = "(HIP_VERSION_MAJOR * 1000 + HIP_VERSION_MINOR * 10)"
_PRINTING = frozenset({b"printf", b"fprintf", b"snprintf", b"sprintf", b"to_string", b"format", b"print", b"println"})
_RETURNING = frozenset({"cudaDriverGetVersion", "cudaRuntimeGetVersion", "cuDriverGetVersion"})
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_VERSION = re.compile(r"(?i:version|driver|runtime)")
_KEEPING = frozenset({"init_declarator", "assignment_expression"})
_ARITHMETIC = frozenset({"/", "%", "*", "+", "-"})


def handles(work: Work, reference: Reference) -> bool:
    """Return whether a version is shown, so that HIP's can be."""
    return _use(work, reference) is not None or _is_compared(work, reference)


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Write HIP's release; a number that is kept may decide something later, which is worth a warning."""
    for reference in work.references.found:
        severity = _use(work, reference)
        if severity is not None:
            yield Replace(reference.span.start, reference.span.end, _VALUE)
            message = f"{reference.entry.name}: HIP's release is shown instead, as 1000 * major + 10 * minor"
            yield work.report(reference.span, "HP108", severity, message)
        elif _is_compared(work, reference):
            yield Replace(reference.span.start, reference.span.end, "HIP_VERSION")
            message = f"{reference.entry.name}: compared with a version that HIP returns, so HIP's stands for it"
            yield work.report(reference.span, "HP108", Severity.WARNING, message)


def _is_compared(work: Work, reference: Reference) -> bool:
    """Return whether a version is compared with the driver's or the runtime's, by the name of the other operand."""
    name, span = reference.entry.name, reference.span
    if name not in _VERSIONS or reference.entry.hip is not None or _RETURNING.isdisjoint(work.unit.words):
        return False
    node = work.unit.node_at(span) if work.unit.directive_at(span.start) is None else None
    parent = work.unit.parent(node) if node is not None else None
    if parent is None or _operator(parent) not in _COMPARISONS:
        return False
    other = next(each for each in parent.named_children if each != node)
    return _VERSION.search(work.unit.code, other.start_byte, other.end_byte) is not None


def _use(work: Work, reference: Reference) -> Severity | None:
    """Return how to report a version that is shown: printed, or split into two numbers that are kept."""
    name, span = reference.entry.name, reference.span
    if name not in _VERSIONS or reference.entry.hip is not None or work.unit.directive_at(span.start) is not None:
        return None
    parent = _outside_of_arithmetic(work, work.unit.node_at(span))
    if parent is None:
        return None
    if parent.type == "binary_expression" and _operator(parent) == "<<":
        return Severity.NOTE
    if parent.type == "argument_list" and _prints(work.unit.parent(parent)):
        return Severity.NOTE
    after = skip_blanks(work.unit.code, span.end)
    is_split = work.unit.code[after : after + 1] in ("/", "%")
    return Severity.WARNING if is_split and parent.type in _KEEPING else None


def _outside_of_arithmetic(work: Work, node: Node | None) -> Node | None:
    """Return what is around a number and what is computed with it."""
    parent = work.unit.parent(node) if node is not None else None
    while parent is not None and (parent.type == "parenthesized_expression" or _operator(parent) in _ARITHMETIC):
        parent = work.unit.parent(parent)
    return parent


def _operator(node: Node) -> str:
    found = node.child_by_field_name("operator") if node.type == "binary_expression" else None
    return found.type if found is not None else ""


def _prints(call: Node | None) -> bool:
    function = call.child_by_field_name("function") if call is not None else None
    return function is not None and (function.text or b"").rpartition(b"::")[2] in _PRINTING
