"""Derive a buffer's element type from the type of a pointer to it."""

from __future__ import annotations

import re

_NAMES = {
    "f32": ("float",),
    "f64": ("double",),
    "f16": ("__half", "half", "__half2", "_Float16"),
    "bf16": ("__nv_bfloat16", "__nv_bfloat162", "__hip_bfloat16", "hip_bfloat16"),
    "i8": ("char", "signed char"),
    "u8": ("unsigned char", "uchar", "bool"),
    "i16": ("short",),
    "u16": ("unsigned short", "ushort"),
    "i32": ("int",),
    "u32": ("unsigned int", "unsigned", "uint"),
    "i64": ("long", "long long", "longlong"),
    "u64": ("unsigned long", "unsigned long long", "ulong", "ulonglong"),
}
_TYPES = {name: element for element, names in _NAMES.items() for name in names}
_VECTOR = re.compile(r"HIP_vector_type<(.*), \d+u>|([a-z]+)[1-4]")
_FLOAT16 = re.compile(r"hipport::cpu::(?:Pair16<hipport::cpu::)?Float16<.*?(b?half|bfloat16)_bits")


def element_of(pointer: str) -> str | None:
    """Return the element type of a pointer as spelled by the demangler; for vectors, that of their components.

    None if it points to something else: structures, or pointers, which never match between two runs.
    """
    if not pointer.endswith("*"):
        return None
    bare = re.sub(r"\b(?:const|volatile)\b|(?<!\w)__restrict__(?!\w)", "", pointer[:-1]).strip()
    if short := _FLOAT16.match(bare):
        return "bf16" if short[1] == "bfloat16" else "f16"
    if bare in _TYPES:
        return _TYPES[bare]
    vector = _VECTOR.fullmatch(bare)
    return _TYPES.get(vector[1] or vector[2]) if vector else None


def holds_pointers(pointer: str) -> bool:
    return pointer.count("*") > 1
