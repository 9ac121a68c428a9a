"""PTX types and the C++ types that represent them. Narrow floats are passed as their bits."""

from __future__ import annotations

import re

CPP = {
    "u8": "uint8_t",
    "s8": "int8_t",
    "b8": "uint8_t",
    "u16": "uint16_t",
    "s16": "int16_t",
    "b16": "uint16_t",
    "u32": "uint32_t",
    "s32": "int32_t",
    "b32": "uint32_t",
    "u64": "uint64_t",
    "s64": "int64_t",
    "b64": "uint64_t",
    "f16": "uint16_t",
    "bf16": "uint16_t",
    "f16x2": "uint32_t",
    "bf16x2": "uint32_t",
    "tf32": "uint32_t",
    "e4m3x2": "uint16_t",
    "e5m2x2": "uint16_t",
    "u16x2": "uint32_t",
    "s16x2": "uint32_t",
    "f32": "float",
    "f64": "double",
    "pred": "bool",
}

_EXACT = {
    **dict.fromkeys(("unsigned", "unsigned int", "uint32_t", "std::uint32_t", "uint"), "uint32_t"),
    **dict.fromkeys(("int", "int32_t", "signed", "signed int", "std::int32_t"), "int32_t"),
    **dict.fromkeys(("unsigned long long", "uint64_t", "unsigned long long int", "std::uint64_t"), "uint64_t"),
    **dict.fromkeys(("long long", "int64_t", "long long int", "std::int64_t"), "int64_t"),
    **dict.fromkeys(("size_t", "std::size_t", "unsigned long", "uintptr_t", "std::uintptr_t"), "uint64_t"),
    **dict.fromkeys(("unsigned short", "uint16_t", "std::uint16_t", "ushort"), "uint16_t"),
    **dict.fromkeys(("short", "int16_t", "std::int16_t"), "int16_t"),
    "float": "float",
    "double": "double",
}


def exact_type(declared: str) -> str | None:
    """Return the canonical spelling of a declared C++ type; None if it is unknown."""
    return _EXACT.get(declared)


def width_of(ptx: str) -> int:
    """Return the bits of a PTX type: 32 for `f16x2`, 1 for `pred`."""
    if ptx == "pred":
        return 1
    if ptx == "tf32":
        return 32
    if ptx in ("e4m3x2", "e5m2x2"):
        return 16
    match = re.fullmatch(r"[a-z]+(\d+)(?:x(\d))?", ptx)
    assert match, ptx
    return int(match[1]) * int(match[2] or 1)


def kind_of(ptx: str) -> str:
    """Return the kind of a value in C++: "pred", "float" (for `f32` and `f64`) or "int"."""
    if ptx == "pred":
        return ptx
    return "float" if ptx in ("f32", "f64") else "int"


def unsigned(ptx: str) -> str:
    """Return the unsigned integer type of the same width."""
    return f"u{width_of(ptx)}"


def signed(ptx: str) -> str:
    """Return the signed integer type of the same width."""
    return f"s{width_of(ptx)}"


def wide(ptx: str) -> str:
    """Return the integer type of twice the width: `s64` for `s32`."""
    return f"{ptx[0]}{2 * width_of(ptx)}"
