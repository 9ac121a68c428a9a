"""HP126: operations of cudnn_frontend's graphs, by what they compute."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.work import Work

WORDS = frozenset({"cudnn_frontend"})

_PROVIDED = "which hipport provides on MIOpen"
_NORM = (
    "a normalization",
    f"cudnnBatchNormalizationForwardTraining, {_PROVIDED}, miopenLayerNormForward, or a kernel of your own",
)
_NORM_BACKWARD = ("the derivative of a normalization", f"cudnnBatchNormalizationBackward, {_PROVIDED}, or a kernel")
_ATTENTION = ("attention", "the attention kernels of Composable Kernel or AOTriton")
_OPERATIONS = {
    "conv_fprop": ("a convolution", f"cudnnConvolutionForward, {_PROVIDED}"),
    "conv_dgrad": ("the derivative of a convolution by its input", f"cudnnConvolutionBackwardData, {_PROVIDED}"),
    "conv_wgrad": ("the derivative of a convolution by its filter", f"cudnnConvolutionBackwardFilter, {_PROVIDED}"),
    "matmul": ("a matrix product", "hipblasGemmStridedBatchedEx or hipblasLtMatmul"),
    "pointwise": ("an elementwise operation", f"cudnnOpTensor or cudnnActivationForward, {_PROVIDED}, or a kernel"),
    "reduction": ("a reduction", f"cudnnReduceTensor, {_PROVIDED}"),
    "resample": ("a pooling or interpolation", f"cudnnPoolingForward, {_PROVIDED}"),
    "genstats": ("sums and sums of squares by channel", f"cudnnReduceTensor, {_PROVIDED}"),
    "bn_finalize": _NORM,
    "dbn_weight": _NORM_BACKWARD,
    **dict.fromkeys(
        ("batchnorm", "batchnorm_inference", "layernorm", "rmsnorm", "instancenorm", "adalayernorm"), _NORM
    ),
    **dict.fromkeys(
        ("batchnorm_backward", "layernorm_backward", "rmsnorm_backward", "instancenorm_backward"), _NORM_BACKWARD
    ),
    **dict.fromkeys(("sdpa", "sdpa_backward", "sdpa_fp8", "sdpa_fp8_backward"), _ATTENTION),
    "block_scale_quantize": ("a quantization", "a kernel of your own"),
    "block_scale_dequantize": ("the inverse of a quantization", "a kernel of your own"),
}
_CALL = re.compile(rf"(?:\.|->)\s*({'|'.join(_OPERATIONS)})\s*\(")


def run(work: Work) -> Iterator[Diagnostic]:
    """Report each operation that is added to a graph."""
    for match in _CALL.finditer(work.unit.code):
        computes, instead = _OPERATIONS[match[1]]
        message = f"{match[1]} of cudnn_frontend computes {computes}, for which ROCm has no graph API"
        yield work.report(Span(*match.span(1)), "HP126", Severity.ERROR, message, f"Use {instead}.")
