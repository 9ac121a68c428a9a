"""HP211: more shared memory than a work-group has on AMD GPUs."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.dataflow.function import Function, Variable
from hipport.translate.hazards import wavefront
from hipport.translate.syntax.calls import call_of
from hipport.translate.work import Work

LIMIT = 65536
"""Bytes of LDS per work-group on all targets except gfx950, which has 160 KiB."""
_NVIDIA_LIMIT = 227 << 10
"""Bytes that a block can have on any NVIDIA GPU, up to compute capability 12."""
_ATTRIBUTE = "cudaFuncAttributeMaxDynamicSharedMemorySize"
_SETTERS = frozenset({"cudaFuncSetAttribute", "hipFuncSetAttribute"})
_ARRAY = re.compile(r"\b__shared__\b[^;=\[\](){}]*((?:\[[^\[\];]*\]\s*)+)")
_BOUND = re.compile(r"\[([^\[\]]*)\]")
_LARGEST_ELEMENT = 16  # bytes
WORDS = frozenset({"__shared__", _ATTRIBUTE})

_SIZES = {"char": 1, "bool": 1, "int8_t": 1, "uint8_t": 1, "short": 2, "half": 2, "__half": 2, "float": 4, "int": 4}
_SIZES |= {"unsigned": 4, "int32_t": 4, "uint32_t": 4, "uint": 4, "double": 8, "int64_t": 8, "uint64_t": 8, "size_t": 8}
_SIZES |= {"float2": 8, "int2": 8, "uint2": 8, "float3": 12, "float4": 16, "int4": 16, "uint4": 16, "double2": 16}


def run(work: Work) -> Iterator[Diagnostic]:
    """Report kernels whose shared arrays exceed the limit in total, and attributes set to more."""
    if "__shared__" in work.unit.words:
        for function in wavefront.device_functions(work, frozenset({"__shared__"})):
            if _may_be_large(work, function):
                yield from _static(work, function)
    yield from _attributes(work)


def _may_be_large(work: Work, function: Function) -> bool:
    """Return whether the arrays have enough elements; a cheap filter before variables are read."""
    code, elements = work.unit.code, 0
    for array in _ARRAY.finditer(code, function.span.start, function.span.end):
        product = 1
        for bound in _BOUND.finditer(code, array.start(1), array.end(1)):
            product *= max(work.flow.constants.text(Span(bound.start(1), bound.end(1))) or 0, 0)
        elements += product
    return elements * _LARGEST_ELEMENT > LIMIT


def _static(work: Work, function: Function) -> Iterator[Diagnostic]:
    arrays = [v for v in function.variables.all() if v.shared and v.sizes]
    total = sum(_bytes(work, function, array) for array in arrays)
    if total > LIMIT:
        yield _report(work, arrays[0].place, f"'{function.name}' has {total} bytes of shared memory", LIMIT)


def _bytes(work: Work, function: Function, array: Variable) -> int:
    """Return the size of an array in bytes, 0 if unknown."""
    kind = re.sub(r"\b(?:unsigned|signed|long)\s+(?=\w)", "", array.type)
    total = 8 if kind == "long" else _SIZES.get(kind, 0)
    for size in array.sizes:
        total *= max(work.flow.constant(size, function) or 0, 0)
    return total


def _attributes(work: Work) -> Iterator[Diagnostic]:
    present = work.unit.words & _SETTERS
    if not present or _ATTRIBUTE not in work.unit.words:
        return
    for name, offset in work.unit.occurrences(present):
        call = call_of(work.unit, Span(offset, offset + len(name)))
        if call is None or len(call.arguments) != 3:
            continue
        if _ATTRIBUTE in work.unit.code[call.arguments[1].start : call.arguments[1].end]:
            yield from too_much(work, call.arguments[2], "this requests")


def too_much(work: Work, span: Span, what: str) -> Iterator[Diagnostic]:
    """Report the size in a range if it is a constant above the limit."""
    size = work.flow.constants.text(span)
    if size is not None and size > LIMIT:
        yield _report(work, span, f"{what} {size} bytes of shared memory", size)


def _report(work: Work, span: Span, what: str, size: int) -> Diagnostic:
    """Report a size; one that fails in CUDA, too, is no error of the translation: programs test that it does."""
    message = f"{what}; AMD GPUs other than gfx950 have {LIMIT} per block"
    severity = Severity.ERROR
    if size > _NVIDIA_LIMIT:
        message, severity = f"{message}, and no NVIDIA GPU has so much", Severity.WARNING
    return work.report(span, "HP211", severity, message, "Use smaller tiles, or split the work.")
