"""Headers that CUDA's headers include but HIP's do not: code relies on them without an `#include` of its own."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit
from hipport.translate.passes import insertion, thrust_headers
from hipport.translate.passes.includes import RUNTIME
from hipport.translate.syntax.brackets import skip_blanks
from hipport.translate.syntax.includes import includes
from hipport.translate.work import Work

_CUBLAS = frozenset({"cublas_v2.h", "cublas_api.h", "cublasLt.h", "cublasXt.h"})
"""Headers that include <cuda_fp16.h> and <cuda_bf16.h>."""
_NARROW = {"cuda_bf16.h": re.compile(r"bfloat16|bf16"), "cuda_fp16.h": re.compile(r"half")}
"""These headers, with patterns found in the names of their types and functions."""
_MATH = frozenset({"isfinite", "isinf", "isnan"})
"""Functions that <math.h> and nvcc's runtime header declare at file scope for the host; HIP's does so for GPUs only."""
_OTHER = re.compile(r"(?:\.|->|::|\b(?!return\b)\w+)\s*\Z")
"""Matches the text in front of a member, a namespaced name, or a declaration."""
_LOOK_BACK = 64


def run(work: Work) -> Iterator[Edit]:
    """Include headers that the file uses but gets only through a CUDA header."""
    operands = {include.operand for include in includes(work.unit)}
    needed = dict(_narrow_types(work)) if operands & _CUBLAS and not operands & _NARROW.keys() else {}
    if not operands & {"math.h", "cmath"} and _has_runtime(work, operands):
        needed |= _math(work)
    needed |= thrust_headers.needed(work)
    if needed:
        yield from insertion.include(work, needed, min(needed.values()))


def _narrow_types(work: Work) -> Iterator[tuple[str, int]]:
    """Yield the headers of the 16-bit types in use, with a place of use for each."""
    for header, names in _NARROW.items():
        target = work.context.tables.headers.get(header)
        place = next((found.span.start for found in work.references.found if names.search(found.entry.name)), None)
        if place is not None and target is not None and target.hip:
            yield target.hip, place


def _has_runtime(work: Work, operands: set[str]) -> bool:
    headers = (work.context.tables.headers.get(operand) for operand in operands)
    return any(header is not None and header.hip == RUNTIME for header in headers)


def _math(work: Work) -> dict[str, int]:
    code = work.unit.code
    for name, offset in work.unit.occurrences(_MATH):
        called = code.startswith("(", skip_blanks(code, offset + len(name)))
        if called and not _OTHER.search(code, max(0, offset - _LOOK_BACK), offset):
            return {"math.h": offset}
    return {}
