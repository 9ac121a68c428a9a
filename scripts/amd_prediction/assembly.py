"""Instructions of llvm-objdump's listings: what they read and write, and the unit that performs them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from hipport.emulate.arithmetic import arithmetic, is_matrix

Unit = Literal["vector", "matrix", "scalar", "scalar load", "lds", "load", "store", "branch", "wait", "barrier", "none"]

_LINE = re.compile(r"^\s+([a-z]\w*)\s*(.*?)\s*// ([0-9A-F]+):")
_REGISTER = re.compile(r"\b([vsa])(\d+)\b|\b([vsa])\[(\d+):(\d+)\]|\b(vcc|exec|scc)(?:_lo|_hi)?\b")
_COUNTER = re.compile(r"(vmcnt|lgkmcnt)\((\d+)\)")
_SLOW = re.compile(r"v_(?:rcp|rsq|sqrt|exp|log|sin|cos|mul_lo_u32|mul_hi_[ui]32|mul_lo_i32|mad_[ui]64)")
_SIZE = re.compile(r"_(?:b|u|i|f)(8|16|32|64|96|128)(?:_|$)|_dword(x2|x3|x4)?(?:_|$)|_([us]byte|[us]short|short|byte)")
_NAMED = {None: 4, "x2": 8, "x3": 12, "x4": 16}
_PAIRED = re.compile(r"ds_(?:load|store|read|write)(?:_?2)(?:addr|st64)?|ds_(?:load|store)_2addr")


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction. `bytes`: of each lane. `left`: the loads that a wait leaves outstanding, by counter."""

    name: str
    address: int
    unit: Unit
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    bytes: int = 0
    slow: bool = False
    operations: int = 0
    kind: str = ""
    left: tuple[tuple[str, int], ...] = ()
    idle: int = 0


def listed(listing: str) -> list[Instruction]:
    """Return the instructions of a function in the output of `llvm-objdump -d`, in order."""
    found = (_LINE.match(line) for line in listing.splitlines())
    return [parsed(match[1], match[2], int(match[3], 16)) for match in found if match]


def parsed(name: str, operands: str = "", address: int = 0) -> Instruction:
    """Return an instruction."""
    unit = unit_of(name)
    if unit == "wait":
        return Instruction(name, address, unit, left=_left(name, operands))
    if unit == "none":
        return Instruction(name, address, unit, idle=int(operands) + 1 if name == "s_nop" else 0)
    writes, reads = _registers(name, operands)
    work = arithmetic(name) if is_matrix(name) else None
    return Instruction(
        name,
        address,
        unit,
        reads,
        writes,
        _bytes(name) if unit in ("lds", "load", "store") else 0,
        bool(_SLOW.match(name)),
        work.operations if work else 0,
        work.kind if work else "",
    )


def unit_of(name: str) -> Unit:
    """Return the unit that performs an instruction."""
    if name.startswith(("s_waitcnt", "s_wait_")):
        return "wait"
    if name.startswith("s_barrier"):
        return "barrier"
    if name in ("s_nop", "s_delay_alu", "s_clause", "s_endpgm", "s_code_end", "s_sleep", "s_setprio"):
        return "none"
    if name.startswith("s_"):
        return _scalar(name)
    if name.startswith("ds_"):
        return "lds"
    if name.startswith(("global_", "flat_", "buffer_", "scratch_")):
        return "store" if "_store" in name or "_atomic" in name or not _SIZE.search(name) else "load"
    return "matrix" if is_matrix(name) else "vector"


def _scalar(name: str) -> Unit:
    if name.startswith(("s_load", "s_buffer_load")):
        return "scalar load"
    return "branch" if name.startswith(("s_branch", "s_cbranch", "s_setpc", "s_swappc")) else "scalar"


def _left(name: str, operands: str) -> tuple[tuple[str, int], ...]:
    if name != "s_waitcnt":
        return ()
    return tuple((match[1], int(match[2])) for match in _COUNTER.finditer(operands))


def _bytes(name: str) -> int:
    match = _SIZE.search(name)
    if not match:
        return 0  # such as buffer_gl0_inv
    if match[1]:
        size = max(1, int(match[1]) // 8)
    else:
        size = 2 if match[3] and "short" in match[3] else 1 if match[3] else _NAMED[match[2]]
    return size * 2 if _PAIRED.match(name) else size


def _registers(name: str, operands: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the registers that an instruction writes, and those that it reads."""
    writes, reads = list[str](), list[str]()
    stores = "_store" in name or "ds_write" in name or name.startswith("s_cmp")
    for part in operands.split("::"):
        words = part.strip().removeprefix("v_dual_").split(",")
        for i, word in enumerate(words):
            (writes if i == 0 and not stores else reads).extend(_names(word))
    if "fmac" in name or "dot2c" in name or "mfma" in name or "wmma" in name:
        reads.extend(writes)
    return tuple(writes), tuple(reads)


def _names(word: str) -> list[str]:
    found = []
    for one, number, many, first, last, special in _REGISTER.findall(word):
        if one:
            found.append(one + number)
        elif many:
            found += [f"{many}{i}" for i in range(int(first), int(last) + 1)]
        else:
            found.append(special)
    return found
