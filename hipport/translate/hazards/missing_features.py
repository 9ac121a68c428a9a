"""HP245: what nvcc and GCC compile and Clang for AMD GPUs does not.

Lists of variable arguments, `alloca` of a size that is known at run time and, before ROCm 5.5, quotients of 128 bits in
device code; GCC's own builtins everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.mappings.life import release
from hipport.source import Span
from hipport.translate.dataflow.function import Function, text_of, walk
from hipport.translate.hazards import wavefront
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.compiled import is_compiled
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

_ALLOCA = frozenset({"alloca", "__builtin_alloca"})
_MATHEMATICS = ("drem", "finite", "gamma", "j0", "j1", "jn", "pow10", "scalb", "significand", "y0", "y1", "yn")
GNU = frozenset(
    {f"__builtin_{name}{suffix}" for name in (*_MATHEMATICS, "cexpi", "sincos") for suffix in ("", "f", "l")}
    | {f"__builtin_{operation}_overflow_p" for operation in ("add", "sub", "mul")}
    | {"__builtin_alloca_with_align_and_max", "__builtin_apply", "__builtin_apply_args", "__builtin_assoc_barrier"}
    | {"__builtin_bswap128", "__builtin_clear_padding", "__builtin_has_attribute", "__builtin_return"}
    | {"__builtin_shuffle", "__builtin_speculation_safe_value"}
)
"""Builtins of GCC 12 that Clang 15 and 19 lack."""
_WIDE = frozenset({"__int128", "__int128_t", "__uint128_t"})
_DIVIDES_WIDE = (5, 5)
"""The first ROCm release whose Clang is newer than 15, which ends with an internal error at quotients of 128 bits."""
_WIDE_TYPE = re.compile(r"\b__u?int128(?:_t)?\b")
_DIVISIONS = frozenset({"/", "%", "/=", "%="})
_LISTS = frozenset({"va_start", "__builtin_va_start"})
WORDS = GNU | _ALLOCA | _WIDE | _LISTS


def run(work: Work) -> Iterator[Diagnostic]:
    """Report each place in CUDA sources; other sources are compiled for the host by any compiler."""
    for_nvidia = work.context.options.lane_masks
    if for_nvidia or is_hip(work) or not work.unit.source.name.endswith((".cu", ".cuh")):
        return
    for name, offset in work.unit.occurrences(work.unit.words & GNU):
        if is_compiled(work.unit, work.unit.branch_at(offset)):
            span = Span(offset, offset + len(name))
            yield _report(work, span, f"{name} is GCC's: Clang, which compiles host code for HIP, lacks it", _WRITE)
    for function in wavefront.device_functions(work, WORDS - GNU):
        for node, missing, advice in _missing(work, function):
            if is_compiled(work.unit, work.unit.branch_at(node.start_byte)) is not False:
                yield _report(work, wavefront.span(node), missing, advice)


_WRITE = "Write it in C++, or keep it in a .cpp file for GCC."
_ARGUMENTS = "device code cannot read a list of variable arguments on AMD GPUs"
_PACK = "Make the function a template with a parameter pack."
_STACK = "alloca of a size that is known at run time does not compile for AMD GPUs"
_ARRAY = "Use an array of the largest size."
_QUOTIENT = "quotients of 128-bit integers end in an internal error of the compiler before ROCm 5.5"
_HALVES = "Divide in steps of 64 bits, or use ROCm 5.5 or later."


def _missing(work: Work, function: Function) -> Iterator[tuple[Node, str, str]]:
    """Yield what a device function has, why it fails, and what to write instead."""
    for name, call in function.named_calls:
        if name in _ALLOCA and _is_of_run_time(work, function, call):
            yield call, _STACK, _ARRAY
        elif name in _LISTS:
            yield call, _ARGUMENTS, _PACK
    if release(work.context.tables.releases.rocm) < _DIVIDES_WIDE:
        for node in function.of_type("binary_expression", "assignment_expression"):
            if text_of(node.child_by_field_name("operator")) in _DIVISIONS and _is_wide(function, node):
                yield node, _QUOTIENT, _HALVES


def _is_of_run_time(work: Work, function: Function, call: Node) -> bool:
    """Return whether a size depends on a variable or parameter whose value is not known."""
    size = call.child_by_field_name("arguments")
    named = () if size is None else (node for node in walk(size) if node.type == "identifier")
    return any(
        function.variable(text_of(node), node.start_byte) is not None and work.flow.constant(node, function) is None
        for node in named
    )


def _is_wide(function: Function, operation: Node) -> bool:
    """Return whether an operand is a variable of 128 bits or a cast to one."""
    for field in ("left", "right"):
        operand = operation.child_by_field_name(field)
        text = text_of(operand)
        variable = function.variable(text, operand.start_byte) if operand is not None else None
        if _WIDE_TYPE.search(variable.type if variable is not None else text):
            return True
    return False


def _report(work: Work, span: Span, message: str, advice: str) -> Diagnostic:
    return work.report(span, "HP245", Severity.ERROR, message, advice)
