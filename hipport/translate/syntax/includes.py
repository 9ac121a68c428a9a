"""`#include` lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from hipport import lazy_re as re
from hipport.files.include_lines import OPERAND, slashed_operand
from hipport.source import Span
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.unit import Unit

BLAS_HEADERS = frozenset({"cublas_v2.h", "cublas_api.h", "cublasLt.h", "cublasXt.h"})
"""Headers of cuBLAS, which include <cuda_fp16.h> and <cuda_bf16.h>."""
_HALF_HEADERS = BLAS_HEADERS | {"mma.h", "cuda_bf16.h", "cuda_fp8.h", "cuda_fp6.h", "cuda_fp4.h"}
"""Headers of CUDA 13 that include <cuda_fp16.h>."""
OF_ROCPRIM = ("cub/", "thrust/")
OF_COMPLEX = ("cuComplex.h", "cublas", "cufft", "cusolver", "cusparse")
"""Headers whose counterparts include rocPRIM's, and <hip/hip_complex.h>."""
_OPERAND = re.compile(rb"\s*" + OPERAND)


class Include(Struct, frozen=True):
    """An `#include` line: the operand with slashes and without its quotes, its range, and whether it is quoted."""

    directive: Directive
    operand: str
    span: Span
    quoted: bool


def includes(unit: Unit) -> Sequence[Include]:
    """Return the `#include` lines of a unit whose operand is spelled out (not a macro)."""
    if "includes" not in unit.notes:
        unit.notes["includes"] = tuple(_includes(unit))
    found: Sequence[Include] = unit.notes["includes"]
    return found


def includes_half(unit: Unit) -> bool:
    """Return whether the file includes the header of CUDA's or HIP's type `half`, be it through another header."""
    operands = {include.operand for include in includes(unit)}
    return not operands.isdisjoint(_HALF_HEADERS) or any("fp16" in operand for operand in operands)


def _includes(unit: Unit) -> Iterator[Include]:
    for directive in unit.directives:
        if directive.kind is not DirectiveKind.INCLUDE:
            continue
        match = _OPERAND.match(unit.source.text, directive.body.start, directive.body.end)
        if match is not None:
            group = 1 if match[1] is not None else 2
            yield Include(directive, slashed_operand(match[group]), Span(*match.span(group)), group == 2)
