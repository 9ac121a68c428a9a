"""Calls of cuBLAS' first interface, <cublas.h>: no handle, `char` for operations, results as return values.

hipBLAS and rocBLAS have that of <cublas_v2.h> only, in which these functions have the same names. hipport's header for
hipBLAS overloads them. CUDA takes one of the two headers in a unit.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.runtime_include import SUPPORT
from hipport.translate.syntax.calls import call_of
from hipport.translate.syntax.includes import includes
from hipport.translate.work import Work

_HEADER, _NEWER = "cublas.h", "cublas_v2.h"
_BY_TYPES = {
    "S D C Z": "axpy copy gbmv gemm gemv rot rotg scal swap symm syr2k syrk tbmv tbsv tpmv tpsv trmm trmv trsm trsv",
    "S D": "asum dot ger nrm2 rotm rotmg sbmv spmv spr spr2 symv syr syr2",
    "C Z": "dotc dotu gerc geru hbmv hemm hemv her her2 her2k herk hpmv hpr hpr2",
    "Sc Dz": "asum nrm2",
    "Cs Zd": "rot scal",
    "Is Id Ic Iz": "amax amin",
}
_FUNCTIONS = frozenset(
    f"cublas{kind}{name}" for kinds, names in _BY_TYPES.items() for kind in kinds.split() for name in names.split()
)
_CHARACTER = re.compile(rb"\s*'[A-Za-z]'\s*")
WORDS = (_FUNCTIONS,)


def run(work: Work) -> Iterator[Diagnostic]:
    """Report the calls in files that include the header, and those that begin with a character, if not overloaded."""
    unit = work.unit
    operands = {each.operand for each in includes(unit)}
    header = work.context.tables.headers.get(_HEADER)
    overloaded = header is not None and (header.hip or "").startswith(SUPPORT)
    if is_hip(work) or (overloaded and not (_NEWER in operands and _HEADER not in operands)):
        return
    included = _HEADER in operands and _NEWER not in operands
    for use in work.references.found:
        name, hip = use.entry.name, use.entry.hip
        call = call_of(unit, use.span) if name in _FUNCTIONS and hip is not None else None
        if call is None or hip is None or not call.arguments:
            continue
        first = call.arguments[0]
        if included or _CHARACTER.fullmatch(unit.source.text, first.start, first.end):
            message = f"{name} of <{_HEADER}> has no handle among its arguments, {hip.name} has"
            advice = "Use the functions of <cublas_v2.h>: cublasCreate, and its handle as the first argument."
            yield work.report(use.span, "HP106", Severity.ERROR, message, advice)
