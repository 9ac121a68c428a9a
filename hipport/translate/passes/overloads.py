"""Which calls may need the overloads that hipport's own headers add to functions of HIP."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hipport import lazy_re as re
from hipport.mappings.life import release
from hipport.translate.passes.constness import is_of_type
from hipport.translate.passes.mixed_types import expression_type
from hipport.translate.passes.pointees import cast_pointee, type_words
from hipport.translate.references import Reference
from hipport.translate.syntax.calls import call_of
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_HALVES = frozenset({"half", "half2", "__half", "__half2", "cuda_fp16"})
_HALF_SHUFFLES = (5, 7)
"""The release from which on HIP shuffles half."""
_SHORTS = frozenset({"short", "ushort", "uint16_t"})
_SIGNED = re.compile(r"(?<!unsigned )\blong\s+long\b|\b(?:longlong|int64_t|ptrdiff_t)\b")
_SINGLE = frozenset({"float", "float2", "float3", "float4", "half", "__half"})
_OF_HIP = frozenset({"int", "unsigned", "unsigned int", "unsigned long long"})
"""Types for which HIP has all atomic functions for integers."""
_OF_64_BITS = frozenset({"long long", "unsigned long long"})
_OF_32_BITS = frozenset({"int", "unsigned", "uint", "int32_t", "uint32_t"})
_VOTES = ("__ballot(", "__activemask(")
_OTHERS = frozenset({"long", "size_t", "int64_t", "uint64_t", "ulonglong", "ullong", "enum"})
_COMPUTE_TYPES = ("CUBLAS_COMPUTE_", "HIPBLAS_COMPUTE_")


def may_be_needed(work: Work, reference: Reference) -> bool:
    """Return whether a use may need the header's overloads; True for headers with other things than overloads."""
    header = reference.entry.support.rpartition("/")[2]
    return header not in _NEEDS or _NEEDS[header](work, reference)


def _names_bfloat(unit: Unit) -> bool:
    notes = unit.notes
    if "names bfloat" not in notes:
        notes["names bfloat"] = any("bfloat16" in word or "bf16" in word for word in type_words(unit))
    found: bool = notes["names bfloat"]
    return found


def _may_be_bfloat(work: Work, reference: Reference) -> bool:
    return _names_bfloat(work.unit)


_SIGNED_CHAR = frozenset({"signed", "int8_t"})


def _may_be_shuffled(work: Work, reference: Reference) -> bool:
    of_half = release(work.context.tables.releases.rocm) < _HALF_SHUFFLES and _names_half(work.unit)
    return of_half or _names_bfloat(work.unit)


def _names_half(unit: Unit) -> bool:
    """Return whether the file names the type, or a function of CUDA for it such as `__float2half`."""
    words = type_words(unit)
    return not words.isdisjoint(_HALVES) or any(word.startswith("__") and "half" in word for word in words)


def _may_be_loaded(work: Work, reference: Reference) -> bool:
    return "ushort4" in work.unit.words or _names_bfloat(work.unit)


def _may_be_integer(work: Work, reference: Reference) -> bool:
    call = call_of(work.unit, reference.span)
    if call is not None and call.arguments:
        address = call.arguments[0]
        if cast_pointee(work.unit.code[address.start : address.end]) in _OF_HIP:
            return False
    words = type_words(work.unit)
    if reference.entry.name.startswith("atomicCAS"):
        return not words.isdisjoint(_SHORTS)
    return "int64_t" in words or _SIGNED.search(work.unit.code) is not None


def may_be_float(work: Work, reference: Reference) -> bool:
    """Return whether a call of `sincos` or its like may be for float numbers."""
    call = call_of(work.unit, reference.span)
    if call is None or len(call.arguments) != 3 or "float" not in type_words(work.unit):
        return False
    return not is_of_type(work.unit, call.arguments[1], "double")


def may_be_single(work: Work, reference: Reference) -> bool:
    """Return whether the last argument of a mathematical function may be a float or a half number."""
    call = call_of(work.unit, reference.span)
    if call is None or not call.arguments or type_words(work.unit).isdisjoint(_SINGLE):
        return False
    return not is_of_type(work.unit, call.arguments[-1], "double")


def _may_be_position(work: Work, reference: Reference) -> bool:
    """Return whether the argument of `__ffs` or `__ffsll` may have a type between whose overloads HIP cannot choose."""
    call = call_of(work.unit, reference.span)
    if call is None or len(call.arguments) != 1:
        return False
    text = work.unit.code[call.arguments[0].start : call.arguments[0].end]
    if b"hip/hip_runtime" in work.unit.source.text and text.startswith(_VOTES):
        return False  # translated before
    type_ = expression_type(work.unit, call.arguments[0])
    if reference.entry.name == "__ffsll":
        return type_ not in _OF_64_BITS
    return type_ not in _OF_32_BITS and (type_ is not None or not type_words(work.unit).isdisjoint(_OTHERS))


def _may_be_type_of_data(work: Work, reference: Reference) -> bool:
    """Return whether the compute type of a matrix product, its last argument but one, may be a type of data."""
    call = call_of(work.unit, reference.span)
    if call is None or len(call.arguments) < 2:
        return False
    compute = call.arguments[-2]
    text = work.unit.code[compute.start : compute.end]
    return not text.startswith(_COMPUTE_TYPES) and not is_of_type(work.unit, compute, "cublasComputeType_t")


def _may_be_signed_texel(work: Work, reference: Reference) -> bool:
    """Return whether the file names the type `signed char`, which a template may get only where it is instantiated."""
    return not _SIGNED_CHAR.isdisjoint(work.unit.words)


_NEEDS: Mapping[str, Callable[[Work, Reference], bool]] = {
    "bit_positions.h": _may_be_position,
    "float_math.h": may_be_single,
    "atomics_integer.h": _may_be_integer,
    "bf16_functions.h": _may_be_bfloat,
    "blas_compute.h": _may_be_type_of_data,
    "ldg.h": _may_be_loaded,
    "shuffle_half.h": _may_be_shuffled,
    "signed_texels.h": _may_be_signed_texel,
    "sincos.h": may_be_float,
}
