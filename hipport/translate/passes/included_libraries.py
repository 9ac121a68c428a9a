"""Libraries that headers of other libraries include in CUDA: <cusolverSp.h> declares what cuSPARSE and cuBLAS have.

hipSOLVER's header declares its own copies of three enumerations of hipBLAS, and nothing else of other libraries.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from hipport import lazy_re as re
from hipport.translate.work import Work

_BLAS = {"cublas": "cublas_v2.h"}
_SPARSE = {"cusparse": "cusparse.h"}
_INCLUDED: Mapping[str, Mapping[str, str]] = {
    "cusolverDn.h": _BLAS,
    "cusolverSp.h": {**_BLAS, **_SPARSE},
    "cusolverSp_LOWLEVEL_PREVIEW.h": {**_BLAS, **_SPARSE},
    "cusparseLt.h": _SPARSE,
}
"""Headers that include those of other libraries, by the library."""
_DECLARED = re.compile(r"hipblas(?:FillMode|Operation|SideMode)_t|HIPBLAS_(?:FILL_MODE|OP|SIDE)_\w+")
"""Matches what hipSOLVER's header declares of hipBLAS."""


def needed(work: Work, operands: Collection[str]) -> dict[str, int]:
    """Return the headers of libraries that the file uses through those of others, with the place of the first use."""
    brought = {library: header for operand in operands for library, header in _INCLUDED.get(operand, {}).items()}
    found: dict[str, int] = {}
    for use in work.references.found:
        header = work.context.tables.headers.get(brought.get(use.entry.library, ""))
        target = use.entry.hip.name if use.entry.hip is not None else ""
        if header is not None and header.hip and target and not _DECLARED.fullmatch(target):
            found.setdefault(header.hip, use.span.start)
    present = {known.hip for each in operands if (known := work.context.tables.headers.get(each)) is not None}
    return {header: place for header, place in found.items() if header not in present}
