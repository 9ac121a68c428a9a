"""HP513: comparisons with errors that no function of ROCm's runtime returns.

The sources of the runtime (hipamd 5.2 to 6.2.2) use these names only where they print them. A fault of a kernel ends
the process instead: the runtime calls `abort` where a queue reports an exception.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.references import Reference
from hipport.translate.work import Work

_FAULT = "a kernel's fault ends the process"
_RESTART = (
    "Recover in another process, or test before the launch what would fail in the kernel. Later releases may give "
)
_RESTART += "hipErrorLaunchFailure."
_NEVER = "it only has a number and a name there"
_OTHER = "Compare with hipSuccess, or with what ROCm returns instead."

_SAID = {
    "hipErrorIllegalAddress": (Severity.WARNING, _FAULT, _RESTART),
    "hipErrorAssert": (Severity.WARNING, _FAULT, _RESTART),
    "hipErrorECCNotCorrectable": (Severity.WARNING, _FAULT, _RESTART),
    "hipErrorLaunchTimeOut": (
        Severity.WARNING,
        "kernels that take long are not ended",
        "Bound the loops of kernels, or watch the program from outside.",
    ),
    "hipErrorHostMemoryAlreadyRegistered": (
        Severity.NOTE,
        "registering memory again succeeds",
        "Count registrations yourself if it matters: the first hipHostUnregister ends all.",
    ),
    "hipErrorInsufficientDriver": (Severity.NOTE, _NEVER, _OTHER),
    "hipErrorDeinitialized": (Severity.NOTE, _NEVER, _OTHER),
    "hipErrorPeerAccessUnsupported": (
        Severity.NOTE,
        _NEVER,
        "hipDeviceEnablePeerAccess gives hipErrorInvalidDevice where devices cannot reach each other.",
    ),
    "hipErrorPriorLaunchFailure": (Severity.NOTE, _NEVER, _OTHER),
    "hipErrorSetOnActiveProcess": (Severity.NOTE, _NEVER, _OTHER),
    "hipErrorStreamCaptureMerge": (Severity.NOTE, _NEVER, _OTHER),
}

WORDS = frozenset(
    {
        "cudaErrorIllegalAddress", "cudaErrorAssert", "cudaErrorECCUncorrectable", "cudaErrorLaunchTimeout",
        "cudaErrorHostMemoryAlreadyRegistered", "cudaErrorInsufficientDriver", "cudaErrorCudartUnloading",
        "cudaErrorPeerAccessUnsupported", "cudaErrorPriorLaunchFailure", "cudaErrorSetOnActiveProcess",
        "cudaErrorStreamCaptureMerge", "CUDA_ERROR_ILLEGAL_ADDRESS", "CUDA_ERROR_ASSERT",
        "CUDA_ERROR_ECC_UNCORRECTABLE", "CUDA_ERROR_LAUNCH_TIMEOUT", "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
        "CUDA_ERROR_DEINITIALIZED", "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "CUDA_ERROR_STREAM_CAPTURE_MERGE",
    }
)  # fmt: skip

_BEFORE = re.compile(r"[=!]=[\s(]*(?:[\w:]+::)?\Z|\b\w+_(?:EQ|NE)\s*\([^;{}]*\Z")
_BEHIND = re.compile(r"[\s)]*[=!]=")
_NEAR = 120
"""Characters in front of a name that are searched."""


def run(work: Work) -> Iterator[Diagnostic]:
    """Report the first comparison of a file with each of these errors."""
    said = set()
    for reference in work.references.found:
        hip = reference.entry.hip
        if hip is not None and hip.name in _SAID and hip.name not in said and _is_compared(work.unit.code, reference):
            said.add(hip.name)
            severity, why, advice = _SAID[hip.name]
            message = f"ROCm up to 6.2 never returns {reference.entry.name}: {why}"
            yield work.report(reference.span, "HP513", severity, message, advice)


def _is_compared(code: str, reference: Reference) -> bool:
    start, end = reference.span.start, reference.span.end
    return bool(_BEFORE.search(code[max(0, start - _NEAR) : start]) or _BEHIND.match(code, end))
