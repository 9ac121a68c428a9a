"""The meaning of the names of memory instructions, of all generations."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PLAIN = {
    "ubyte": "u8", "sbyte": "i8", "byte": "b8", "ushort": "u16", "sshort": "i16", "short": "b16", "dword": "b32",
    "dwordx2": "b64", "dwordx3": "b96", "dwordx4": "b128", "dwordx8": "b256", "dwordx16": "b512",
}  # fmt: skip
_ATOMICS = {
    "smin": "min_i", "umin": "min_u", "smax": "max_i", "umax": "max_u", "fmin": "min_f", "fmax": "max_f",
    "fcmpswap": "cmpswap_f", "swap": "swap_b", "cmpswap": "cmpswap_b", "csub": "sub_clamp_u", "add": "add_u",
    "sub": "sub_u", "and": "and_b", "or": "or_b", "xor": "xor_b", "inc": "inc_u", "dec": "dec_u",
}  # fmt: skip


@dataclass(frozen=True)
class Meaning:
    """An access: "load", "store" or an atomic operation such as "add"; its type such as "u8"; and how often.

    `half` is the half of a register that d16 forms load or store ("low" or "high").
    """

    operation: str
    type: str
    half: str = ""
    count: int = 1
    stride: int = 1
    returns: bool = False
    to_local: bool = False

    @property
    def bytes(self) -> int:
        """The size of one access."""
        digits = re.sub(r"\D", "", self.type)
        return 4 if self.operation.startswith("pk_") else int(digits) // 8


def meaning(name: str) -> Meaning | None:
    """Return what an instruction does; None if it accesses no memory, or in a way of its own."""
    match = re.fullmatch(r"(ds|global|flat|scratch|buffer|s_buffer|s)_(.*)", name)
    if match is None:
        return None
    space, rest = match[1], match[2]
    if space == "ds" and (two := _local_pair(rest)):
        return two
    if access := re.fullmatch(r"(load|store|read|write)_(lds_)?(.*)", rest):
        moved = _moved(access[3])
        kind = "load" if access[1] in ("load", "read") else "store"
        return moved and Meaning(kind, moved[0], moved[1], to_local=access[2] is not None)
    if space == "ds":
        return _local(rest)
    if atomic := re.fullmatch(r"atomic_(.*?)(_x2)?", rest):
        text, width = atomic[1], "64" if atomic[2] else "32"
        text = _ATOMICS[text] + width if text in _ATOMICS else text
        operation, _, kind = text.rpartition("_")
        operation = operation.removesuffix("_num")
        return Meaning("sub_clamp" if operation == "csub" else operation, kind)
    return None


def _moved(text: str) -> tuple[str, str] | None:
    """Return the type of a load or a store, and which half of a register it is about."""
    parts = [part for part in text.split("_") if part != "addtid"]
    half = "" if "d16" not in parts else "high" if "hi" in parts else "low"
    kinds = [part for part in parts if part not in ("d16", "hi")]
    kind = _PLAIN.get(kinds[0], kinds[0])
    return (kind, half) if len(kinds) == 1 and re.fullmatch(r"[uib]\d+", kind) else None


def _local_pair(text: str) -> Meaning | None:
    two = re.fullmatch(r"(read|write|wrxchg)2(st64)?(?:_rtn)?_(b\d+)", text) or re.fullmatch(
        r"(load|store|storexchg)_2addr(_stride64)?(?:_rtn)?_(b\d+)", text
    )
    if two is None:
        return None
    operation = {"read": "load", "write": "store"}.get(two[1], two[1])
    operation = "swap" if "xchg" in operation else operation
    return Meaning(operation, two[3], count=2, stride=64 if two[2] else 1, returns=operation != "store")


def _local(text: str) -> Meaning | None:
    one = re.fullmatch(r"(\w+?)(_num)?(_rtn)?_([uibf]\d+|bf16)", text)
    if one is None or one[1] in ("permute", "bpermute", "bpermute_fi", "swizzle", "read_addtid", "write_addtid"):
        return None
    operation = {"wrxchg": "swap", "storexchg": "swap", "cmpstore": "cmpswap"}.get(one[1], one[1])
    if operation not in ATOMIC_NAMES:
        return None
    return Meaning(operation, one[4], returns=one[3] is not None)


ATOMIC_NAMES = frozenset(
    ("add", "sub", "rsub", "min", "max", "inc", "dec", "and", "or", "xor", "swap", "cmpswap", "cmpst", "mskor", "wrap",
     "pk_add", "cond_sub", "sub_clamp", "condxchg32")
)  # fmt: skip
