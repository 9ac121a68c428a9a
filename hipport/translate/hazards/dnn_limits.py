"""HP128: what cuDNN's functions are asked for and hipport's on MIOpen answer with CUDNN_STATUS_NOT_SUPPORTED."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.syntax.calls import call_of
from hipport.translate.work import Work

_KERNEL = "Compute it with a kernel of your own."
_VALUES = {
    "CUDNN_OP_TENSOR_SQRT": ("has no square root of tensors: its power is 0 for small numbers", _KERNEL),
    "CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS": ("has no product that leaves out zeros", _KERNEL),
    "CUDNN_RNN_SINGLE_INP_BIAS": ("has two biases or none", "Use CUDNN_RNN_DOUBLE_BIAS with zeros for the other bias."),
    "CUDNN_RNN_SINGLE_REC_BIAS": ("has two biases or none", "Use CUDNN_RNN_DOUBLE_BIAS with zeros for the other bias."),
    "CUDNN_LOSS_NORMALIZATION_NONE": ("always applies softmax in the CTC loss", "Pass the activations before softmax."),
    "CUDNN_TENSOR_NCHW_VECT_C": ("has no tensors of packed channels", "Use CUDNN_TENSOR_NHWC and CUDNN_DATA_INT8."),
}
_TYPES = frozenset(
    {
        "CUDNN_DATA_BOOLEAN",
        "CUDNN_DATA_FAST_FLOAT_FOR_FP8",
        "CUDNN_DATA_FP8_E4M3",
        "CUDNN_DATA_FP8_E5M2",
        "CUDNN_DATA_INT64",
        "CUDNN_DATA_INT8x32",
        "CUDNN_DATA_INT8x4",
        "CUDNN_DATA_UINT8",
        "CUDNN_DATA_UINT8x4",
    }
)
WORDS = frozenset({*_VALUES, *_TYPES, "cudnnSetRNNDescriptor_v8"})
_COMPARED = re.compile(r"(?:\bcase|[=!]=)\s*\Z")
_BEHIND = re.compile(r"\s*[=!]=")
_HIDDEN, _PROJECTION = 10, 11
_SETS = re.compile(r"\bcudnnSet\w+\s*\([^;{}]*\Z")
_LOOKED_BACK = 300


def run(work: Work) -> Iterator[Diagnostic]:
    """Report values where they are used, but not where they are compared with, types of tensors, and projections."""
    code = work.unit.code
    for name, start in work.unit.occurrences(frozenset({*_VALUES, *_TYPES})):
        span = Span(start, start + len(name))
        if _COMPARED.search(code, max(0, start - 40), start) or _BEHIND.match(code, span.end):
            continue
        if name in _VALUES:
            lacks, advice = _VALUES[name]
            yield _report(work, span, f"{name} is not supported: MIOpen {lacks}", advice)
        elif _SETS.search(code, max(0, start - _LOOKED_BACK), start):
            message = f"{name} is not supported: MIOpen has no such tensors in these functions"
            yield _report(work, span, message, "Convert the elements to another type.")
    for name, start in work.unit.occurrences(frozenset({"cudnnSetRNNDescriptor_v8"})):
        yield from _projection(work, Span(start, start + len(name)))


def _projection(work: Work, name: Span) -> Iterator[Diagnostic]:
    """Report a projection whose size is neither 0 nor written as that of the state."""
    call = call_of(work.unit, name)
    if call is None or len(call.arguments) <= _PROJECTION:
        return
    hidden, size = (work.unit.code[s.start : s.end] for s in (call.arguments[_HIDDEN], call.arguments[_PROJECTION]))
    if size not in ("0", hidden):
        message = "MIOpen's recurrent networks have no projection: another size than that of the state is not supported"
        yield _report(work, call.arguments[_PROJECTION], message, "Pass the size of the state.")


def _report(work: Work, span: Span, message: str, advice: str) -> Diagnostic:
    return work.report(span, "HP128", Severity.ERROR, message, advice)
