"""Functions whose results in a port are not CUDA's, by signature, each with the reason why they stay so."""

from __future__ import annotations

import re
from collections.abc import Mapping

HIP: Mapping[str, str] = {
    r"__nv_bfloat16 \(__nv_bfloat16\)\((double|int|unsigned int|long long|unsigned long long)\)": (
        "constructors cannot be replaced; HIP's round to float first"
    ),
    r"(double|float) [jy]nf?\(int, .*": "HIP's recurrence loses all digits where CUDA's does not, and the reverse",
    r"float (__powf|__fdividef|__log2f|__tanf)\(.*": "fast functions differ at denormal numbers and at limits",
    r"unsigned int __fns\(.*": "a count of -2^31, for which CUDA gives 0",
    r"__nv_fp8\w+ __nv_cvt_double2?_to_fp8\w*\(.*": "CUDA gives 0x7e for NaN in e5m2 from double, 0x7f from float",
    r"__half2? h2?sin\(.*": "clang 15 folds the instruction to NaN",
    r"(double|float) (nextafter|scalbln)f?\(.*": "zeros and shifts of -2^63 before ROCm 5.7",
    r"int abs\(int\)": "undefined for -2^31",
}
"""Reasons for ports to AMD GPUs, in one of the HIP releases 5.2, 5.7 and 6.4."""

CPU: Mapping[str, str] = {
    r"__nv_bfloat16 \(__nv_bfloat16\)\(double\)": "as in HIP, by way of float",
    r".* \((\w+ )*(char|short|int|long)\)\((float|double|__half|__nv_bfloat16)\)": "C++ casts out of range",
    r"(long|long long) l?l(rint|round)f?\(.*": "out of range, the C library's results",
    r"(double|float) (f?(max|min)f?)\(.*": "of two zeros, the C library's fmax and fmin return either",
    r"double (normcdf|normcdfinv|erfcinv)\(double\)": "fewer digits of numbers below 1e-20",
    r"unsigned int __fns\(.*": "a count of -2^31, for which CUDA gives 0",
    r"float (__powf|__fdividef|__log2f|__tanf|__logf|__log10f)\(.*": "fast functions are those of the C library",
    r"(double|float) [jy]nf?\(int, .*": "those of the C library",
    r"float lgammaf?\(float\)": "near zeros of the function, the C library's error is larger",
}
"""Reasons for the CPU target."""


def reason(table: Mapping[str, str], signature: str) -> str | None:
    """Return why a function differs, if a row of the table says so."""
    return next((why for pattern, why in table.items() if re.fullmatch(pattern, signature)), None)
