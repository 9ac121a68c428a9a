"""Which calls may need the overloads that hipport's own headers add to functions of HIP."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from hipport.mappings.life import release
from hipport.translate.passes.constness import is_of_type
from hipport.translate.references import Reference
from hipport.translate.syntax.calls import call_of
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_HALVES = frozenset({"half", "half2", "__half", "__half2", "cuda_fp16"})
_HALF_SHUFFLES = (5, 7)
"""The release from which on HIP shuffles half."""
_SHORTS = frozenset({"short", "ushort", "uint16_t"})
_SIGNED = re.compile(r"(?<!unsigned )\blong\s+long\b|\b(?:longlong|int64_t|ptrdiff_t)\b")
_COMPUTE_TYPES = ("CUBLAS_COMPUTE_", "HIPBLAS_COMPUTE_")


def may_be_needed(work: Work, reference: Reference) -> bool:
    """Return whether a use may need the header's overloads; True for headers with other things than overloads."""
    header = reference.entry.support.rpartition("/")[2]
    return header not in _NEEDS or _NEEDS[header](work, reference)


def _names_bfloat(unit: Unit) -> bool:
    return any("bfloat16" in word or "bf16" in word for word in unit.words)


def _may_be_bfloat(work: Work, reference: Reference) -> bool:
    return _names_bfloat(work.unit)


def _may_be_shuffled(work: Work, reference: Reference) -> bool:
    of_half = release(work.context.tables.releases.rocm) < _HALF_SHUFFLES and not work.unit.words.isdisjoint(_HALVES)
    return of_half or _names_bfloat(work.unit)


def _may_be_loaded(work: Work, reference: Reference) -> bool:
    return "ushort4" in work.unit.words or _names_bfloat(work.unit)


def _may_be_integer(work: Work, reference: Reference) -> bool:
    if reference.entry.name.startswith("atomicCAS"):
        return not work.unit.words.isdisjoint(_SHORTS)
    return _SIGNED.search(work.unit.code) is not None


def may_be_float(work: Work, reference: Reference) -> bool:
    """Return whether a call of `sincos` or its like may be for float numbers."""
    call = call_of(work.unit, reference.span)
    if call is None or len(call.arguments) != 3 or "float" not in work.unit.words:
        return False
    return not is_of_type(work.unit, call.arguments[1], "double")


def _may_be_type_of_data(work: Work, reference: Reference) -> bool:
    """Return whether the compute type of a matrix product, its last argument but one, may be a type of data."""
    call = call_of(work.unit, reference.span)
    if call is None or len(call.arguments) < 2:
        return False
    compute = call.arguments[-2]
    text = work.unit.code[compute.start : compute.end]
    return not text.startswith(_COMPUTE_TYPES) and not is_of_type(work.unit, compute, "cublasComputeType_t")


_NEEDS: Mapping[str, Callable[[Work, Reference], bool]] = {
    "atomics_integer.h": _may_be_integer,
    "bf16_functions.h": _may_be_bfloat,
    "blas_compute.h": _may_be_type_of_data,
    "ldg.h": _may_be_loaded,
    "shuffle_half.h": _may_be_shuffled,
    "sincos.h": may_be_float,
}
