"""Headers that CUDA's own headers include, and their counterparts do not: code relies on them without saying so."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.passes import insertion
from hipport.passes.includes import RUNTIME
from hipport.passes.work import Work
from hipport.source import Edit
from hipport.syntax.brackets import skip_blanks
from hipport.syntax.includes import includes

_CUBLAS = frozenset({"cublas_v2.h", "cublas_api.h", "cublasLt.h", "cublasXt.h"})
"""Headers that include <cuda_fp16.h> and <cuda_bf16.h>."""
_NARROW = {"cuda_bf16.h": re.compile(r"bfloat16|bf16"), "cuda_fp16.h": re.compile(r"half")}
"""Those headers, and what is in the names of their types and functions."""
_MATH = frozenset({"isfinite", "isinf", "isnan"})
"""What <math.h> declares at file scope for the host, and nvcc's runtime header has; HIP's declares them for GPUs."""
_OTHER = re.compile(r"(?:\.|->|::|\b(?!return\b)\w+)\s*\Z")
"""What stands in front of a member, a name of a namespace, or a declaration."""
_LOOK_BACK = 64


def run(work: Work) -> Iterator[Edit]:
    """Include what is used, where the header that would bring it is included and it itself is not."""
    operands = {include.operand for include in includes(work.unit)}
    needed = dict(_narrow_types(work)) if operands & _CUBLAS and not operands & _NARROW.keys() else {}
    if not operands & {"math.h", "cmath"} and _has_runtime(work, operands):
        needed |= _math(work)
    if needed:
        yield from insertion.include(work, needed, min(needed.values()))


def _narrow_types(work: Work) -> Iterator[tuple[str, int]]:
    """The headers of the 16-bit types that are used, and a place of each."""
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
