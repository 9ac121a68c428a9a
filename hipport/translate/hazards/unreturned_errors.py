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

_FAULT = (
    Severity.WARNING,
    "a kernel's fault ends the process",
    "Recover in another process, or test before the launch what would fail in the kernel. "
    "Later releases may give hipErrorLaunchFailure.",
)
_NEVER = "it only has a number and a name there"
_NOT_USED = (Severity.NOTE, _NEVER, "Compare with hipSuccess, or with what ROCm returns instead.")
_ERRORS = {
    ("cudaErrorIllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS"): _FAULT,
    ("cudaErrorAssert", "CUDA_ERROR_ASSERT"): _FAULT,
    ("cudaErrorECCUncorrectable", "CUDA_ERROR_ECC_UNCORRECTABLE"): _FAULT,
    ("cudaErrorLaunchTimeout", "CUDA_ERROR_LAUNCH_TIMEOUT"): (
        Severity.WARNING,
        "kernels that take long are not ended",
        "Bound the loops of kernels, or watch the program from outside.",
    ),
    ("cudaErrorHostMemoryAlreadyRegistered", "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"): (
        Severity.NOTE,
        "registering memory again succeeds",
        "Count registrations yourself if it matters: the first hipHostUnregister ends all.",
    ),
    ("cudaErrorPeerAccessUnsupported", "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"): (
        Severity.NOTE,
        _NEVER,
        "hipDeviceEnablePeerAccess gives hipErrorInvalidDevice where devices cannot reach each other.",
    ),
    ("cudaErrorInsufficientDriver",): _NOT_USED,
    ("cudaErrorCudartUnloading", "CUDA_ERROR_DEINITIALIZED"): _NOT_USED,
    ("cudaErrorPriorLaunchFailure",): _NOT_USED,
    ("cudaErrorSetOnActiveProcess",): _NOT_USED,
    ("cudaErrorStreamCaptureMerge", "CUDA_ERROR_STREAM_CAPTURE_MERGE"): _NOT_USED,
}
"""The names of each error in CUDA's runtime and driver: how serious it is, what ROCm does, and what to do."""
_BY_NAME = {name: names for names in _ERRORS for name in names}
WORDS = frozenset(_BY_NAME)
_BEFORE = re.compile(r"[=!]=[\s(]*(?:[\w:]+::)?\Z|\b\w+_(?:EQ|NE)\s*\([^;{}]*\Z")
_BEHIND = re.compile(r"[\s)]*[=!]=")
_NEAR = 120
"""Characters in front of a name that are searched."""


def run(work: Work) -> Iterator[Diagnostic]:
    """Report the first comparison of a file with each of these errors, unless it is for NVIDIA GPUs."""
    said: set[tuple[str, ...]] = set()
    for reference in work.references.found if not work.context.options.lane_masks else ():
        names = _BY_NAME.get(reference.entry.name)
        if names is not None and names not in said and _is_compared(work.unit.code, reference):
            said.add(names)
            severity, why, advice = _ERRORS[names]
            message = f"ROCm up to 6.2 never returns {reference.entry.name}: {why}"
            yield work.report(reference.span, "HP513", severity, message, advice)


def _is_compared(code: str, reference: Reference) -> bool:
    start, end = reference.span.start, reference.span.end
    return bool(_BEFORE.search(code[max(0, start - _NEAR) : start]) or _BEHIND.match(code, end))
