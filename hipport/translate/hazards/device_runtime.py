"""HP113: calls of the CUDA runtime in device code, where HIP's runtime has no functions."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.syntax.calls import call_of, in_device_code
from hipport.translate.syntax.side_words import mentions_sides
from hipport.translate.work import Work

_MEMORY = "Use malloc() and free(), which HIP has in device code, or allocate before the launch and pass the pointer."
_COPY = "Copy or set the memory in a loop over the threads, or from the host between two launches."
_ORDER = "Split the kernel where it waits or orders work, and launch the parts from the host."
_QUERY = "Ask on the host and pass the answer to the kernel as an argument."
_STATUS = "Leave it out: no call of the runtime is left in device code whose status it could return."
_ADVICE = {
    "cudaMalloc": _MEMORY,
    "cudaFree": _MEMORY,
    "cudaMemcpyAsync": _COPY,
    "cudaMemcpy2DAsync": _COPY,
    "cudaMemcpy3DAsync": _COPY,
    "cudaMemsetAsync": _COPY,
    "cudaMemset2DAsync": _COPY,
    "cudaMemset3DAsync": _COPY,
    "cudaDeviceSynchronize": _ORDER,
    "cudaStreamCreateWithFlags": _ORDER,
    "cudaStreamDestroy": _ORDER,
    "cudaStreamWaitEvent": _ORDER,
    "cudaEventCreateWithFlags": _ORDER,
    "cudaEventRecord": _ORDER,
    "cudaEventRecordWithFlags": _ORDER,
    "cudaEventDestroy": _ORDER,
    "cudaGraphLaunch": _ORDER,
    "cudaGetLastError": _STATUS,
    "cudaPeekAtLastError": _STATUS,
    "cudaGetErrorString": _STATUS,
    "cudaGetErrorName": _STATUS,
    "cudaDeviceGetAttribute": _QUERY,
    "cudaDeviceGetCacheConfig": _QUERY,
    "cudaDeviceGetLimit": _QUERY,
    "cudaDeviceGetSharedMemConfig": _QUERY,
    "cudaFuncGetAttributes": _QUERY,
    "cudaGetDevice": _QUERY,
    "cudaGetDeviceCount": _QUERY,
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor": _QUERY,
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": _QUERY,
    "cudaRuntimeGetVersion": _QUERY,
}
"""The functions of CUDA's device runtime (cuda_device_runtime_api.h)."""
WORDS = frozenset(_ADVICE)


def run(work: Work) -> Iterator[Diagnostic]:
    """Report each call in a function that runs on the device only."""
    if not (work.unit.shadow.device_words or mentions_sides(work.unit)):
        return
    for reference in work.references.found:
        name = reference.entry.name
        if name in WORDS and call_of(work.unit, reference.span) and in_device_code(work.unit, reference.span):
            message = f"HIP's runtime cannot be called from device code, as {name} is here"
            yield work.report(reference.span, "HP113", Severity.ERROR, message, _ADVICE[name])
