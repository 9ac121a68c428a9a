"""Libraries that headers of other libraries include in CUDA: <cusolverSp.h> declares what cuSPARSE and cuBLAS have.

hipSOLVER's header declares its own copies of three enumerations of hipBLAS, hipBLASLt's includes those that both have
(<hipblas-common/hipblas-common.h>), and neither has anything else of other libraries.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from hipport import lazy_re as re
from hipport.translate.work import Work

_BLAS = {"cublas": "cublas_v2.h"}
_SPARSE = {"cusparse": "cusparse.h"}
_INCLUDED: Mapping[str, Mapping[str, str]] = {
    "cublasLt.h": _BLAS,
    "cusolverDn.h": _BLAS,
    "cusolverSp.h": {**_BLAS, **_SPARSE},
    "cusolverSp_LOWLEVEL_PREVIEW.h": {**_BLAS, **_SPARSE},
    "cusparseLt.h": _SPARSE,
}
"""Headers that include those of other libraries, by the library."""
_DECLARED = re.compile(r"hipblas(?:FillMode|Operation|SideMode)_t|HIPBLAS_(?:FILL_MODE|OP|SIDE)_\w+")
"""Matches what hipSOLVER's header declares of hipBLAS."""
_DECLARED_BY_LT = re.compile(r"hipblas(?:ComputeType|Operation|Status)_t|HIPBLAS_(?:COMPUTE|OP|STATUS)_\w+")
"""Matches what hipBLASLt's header declares of hipBLAS."""


def needed(work: Work, operands: Collection[str]) -> dict[str, int]:
    """Return the headers of libraries that the file uses through those of others, with the place of the first use."""
    brought = {library: header for operand in operands for library, header in _INCLUDED.get(operand, {}).items()}
    declared = [_DECLARED_BY_LT] if "cublasLt.h" in operands else []
    declared += [_DECLARED] if any(each.startswith("cusolver") for each in operands) else []
    found: dict[str, int] = {}
    for use in work.references.found:
        header = work.context.tables.headers.get(brought.get(use.entry.library, ""))
        target = use.entry.hip.name if use.entry.hip is not None else ""
        if header is not None and header.hip and target and not any(each.fullmatch(target) for each in declared):
            found.setdefault(header.hip, use.span.start)
    present = {known.hip for each in operands if (known := work.context.tables.headers.get(each)) is not None}
    return {header: place for header, place in found.items() if header not in present}
