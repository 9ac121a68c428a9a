"""Functions of libraries that return an enumeration whose numbers differ in HIP."""

from __future__ import annotations

from hipport.mappings.entry import Kind
from hipport.translate.work import Work

STATUSES = {"cublas": "cublasStatus_t", "cusolver": "cusolverStatus_t"}
"""What the functions of a library return."""
OTHERS = frozenset(
    {
        "cublasGetCudartVersion",
        "cublasGetStatusName",
        "cublasGetStatusString",
        "cublasLtGetCudartVersion",
        "cublasLtGetStatusName",
        "cublasLtGetStatusString",
        "cublasLtGetVersion",
    }
)
"""But these, which return texts and sizes (cublas_api.h and cublasLt.h of CUDA 13.0)."""
HANDLES = frozenset(
    f"{library}Handle_t"
    for library in ("cublas", "cublasLt", "cublasXt", "cusolverDn", "cusolverMg", "cusolverRf", "cusolverSp")
)
"""What a file names that may call them. Functions of the older cublas.h, which return results, have no handles."""


def results(work: Work) -> dict[str, str]:
    """Return the functions that a file names, by the type that they return."""
    found = {}
    for word in work.unit.words - work.own_names - OTHERS if not work.unit.words.isdisjoint(HANDLES) else ():
        library = next((each for each in STATUSES if word.startswith(each)), "")
        entry = work.context.tables.names.get(word) if library else None
        if entry is not None and entry.kind is Kind.FUNCTION:
            found[word] = STATUSES[library]
    return found
