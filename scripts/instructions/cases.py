"""One case for each instruction that computes: registers with random and edge values, and what is left in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from scripts.instructions.machine import EXEC, M0, VCC, State
from scripts.instructions.tables import VECTOR, Instruction, instructions

FORMATS = ("SOP1", "SOPC", "SOPK", "SOP2", "VOP1", "VOPC", "VOP2", "VOP3P", "VOP3")
_NOT_COMPUTED = re.compile(
    r"s_(getpc|setpc|swappc|rfe|call|cbranch|getreg|setreg|sendmsg|sleep|barrier|wakeup|wait|get_barrier|set_gpr"
    r"|setvskip|version|subvector|alloc|waitcnt|endpgm)|s_(?:.*)_fork|v_(mfma|smfmac|wmma|swmmac|nop|pipeflush|illegal)"
    r"|v_(clrexcp|interp|screen|swaprel|accvgpr)"
)
_INEXACT = re.compile(r"v_(?:s_)?(rcp|rsq|sqrt|exp|log|sin|cos)_")
_EDGES_32 = (
    0, 0x80000000, 1, 0xFFFFFFFF, 0x7FFFFFFF, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F7FFFFF,
    0x00800000, 0x3C003C00, 0x7C00FC00, 0xBC004200, 0x04000001, 0x40490FDB, 0x4F000000, 0xCF000000, 0x0000FFFF, 31, 32,
)  # fmt: skip
_EDGES_64 = (
    0, 1 << 63, 1, (1 << 64) - 1, 0x3FF0000000000000, 0xBFF0000000000000, 0x7FF0000000000000, 0x7FF8000000000000,
    0x0010000000000000, 0x7FEFFFFFFFFFFFFF, 0x41E0000000000000, 0xC1E0000000000000, 0x4008000000000000,
)  # fmt: skip
SOME_LANES = 0xF3A5C7FE, 0x7FF01E37
"""The active lanes of most cases."""
Words: TypeAlias = NDArray[np.uint32]


@dataclass(frozen=True)
class Case:
    """An instruction with the values of its fields, and further words after it."""

    instruction: Instruction
    values: Mapping[str, int]
    after: bytes = b""
    label: str = ""

    @property
    def key(self) -> str:
        """How the recorded results name it."""
        return self.instruction.name + self.label

    @property
    def code(self) -> bytes:
        """The machine code."""
        return self.instruction.encoded(self.values) + self.after

    @property
    def is_exact(self) -> bool:
        """Tells whether all results have defined bits."""
        return _INEXACT.match(self.instruction.name) is None


def cases(processor: str) -> Iterator[Case]:
    """Yield the cases of a processor."""
    short = {one.mnemonic for one in instructions(processor) if one.format.name in ("VOP1", "VOP2", "VOPC")}
    for instruction in instructions(processor):
        if instruction.format.name not in FORMATS or _NOT_COMPUTED.match(instruction.name):
            continue
        values = _values(instruction)
        if values is None:
            continue
        after = (0x40200000).to_bytes(4, "little") if any(s.name == "literal" for s in instruction.slots) else b""
        yield from _moved(processor, instruction)
        if instruction.format.name != "VOP3" or instruction.mnemonic not in short:
            yield Case(instruction, values, after)
        if modifiers := _modifiers(instruction):
            yield Case(instruction, {**values, **modifiers}, after, "+modifiers")


_MOVED = {"v_mov_b32_e32", "v_add_f32_e32", "v_add_u32_e32", "v_add_nc_u32_e32", "v_cmp_lt_u32_e32"}
# Control, row mask and bank mask, bound control; fields of the word after an instruction with dpp.
_ROWS = (
    (0x1B, 15, 15, 0), (0x4E, 15, 15, 0), (0x101, 15, 15, 0), (0x103, 15, 15, 1), (0x111, 15, 15, 0),
    (0x118, 15, 15, 1), (0x121, 15, 15, 0), (0x125, 10, 15, 0), (0x140, 15, 15, 0), (0x141, 15, 5, 1),
)  # fmt: skip
_ROWS_GFX9 = ((0x130, 15, 15, 0), (0x134, 15, 15, 0), (0x138, 15, 15, 1), (0x13C, 15, 15, 0), (0x142, 10, 15, 0),
              (0x143, 12, 15, 1))  # fmt: skip
_ROWS_GFX10 = ((0x152, 15, 15, 0), (0x163, 15, 15, 0), (0x16F, 15, 3, 1))
# Destination, what becomes of the rest of it, and the parts of both sources.
_PARTS = ((6, 0, 0, 6), (6, 0, 5, 4), (0, 0, 6, 6), (1, 2, 1, 3), (4, 1, 4, 5), (5, 2, 6, 2), (3, 1, 2, 6))


def _moved(processor: str, instruction: Instruction) -> Iterator[Case]:
    """Yield cases with sources from other lanes, and with parts of registers."""
    if instruction.name not in _MOVED or (
        instruction.format.name == "VOPC" and not processor.startswith(("gfx11", "gfx12"))
    ):
        return
    values = {slot.name: 16 for slot in instruction.slots if slot.name == "vsrc1"}
    values |= {slot.name: 40 for slot in instruction.slots if slot.name == "vdst"}
    gfx9 = processor.startswith("gfx9")
    for control, rows, banks, bound in (*_ROWS, *(_ROWS_GFX9 if gfx9 else _ROWS_GFX10)):
        word = 8 | control << 8 | bound << 19 | banks << 24 | rows << 28
        yield Case(instruction, {**values, "src0": 250}, word.to_bytes(4, "little"), f"+dpp-{control:x}")
    if not gfx9:
        for code in (233, 234):
            word = 8 | 0o76450123 << 8
            yield Case(instruction, {**values, "src0": code}, word.to_bytes(4, "little"), f"+dpp8-{code}")
        return
    for to, rest, first, second in _PARTS:
        signs = (first < 6) << 19 | (second < 6) << 27 if "f32" not in instruction.name else 0
        word = 8 | (to << 8 | rest << 11 if "vdst" in values else 0) | first << 16 | second << 24 | signs
        yield Case(instruction, {**values, "src0": 249}, word.to_bytes(4, "little"), f"+sdwa-{to}{rest}{first}{second}")


def _values(instruction: Instruction) -> dict[str, int] | None:
    """Return register numbers for the operands; None if the instruction has others than it should."""
    values: dict[str, int] = {}
    vectors, scalars = iter((8, 16, 24)), iter((8, 12, 28))
    for i, slot in enumerate(instruction.slots):
        if not slot.bank:
            continue
        if slot.bank == "a" or slot.count > 4:
            return None
        if slot.name in ("vdst", "sdst"):
            is_first = i == 0
            values[slot.name] = (40 if slot.bank == "v" else 20) if is_first else 32
        elif slot.bank == "v":
            number = next(vectors)
            values[slot.name] = number + (VECTOR if instruction.format.fields[slot.name][1] == 9 else 0)
        else:
            values[slot.name] = next(scalars)
    if instruction.format.name == "SOPK":
        values["simm16"] = 0x8123
    if instruction.format.name == "VOP3P":  # both halves of sources with two numbers
        values |= {"op_sel_hi": 3, "op_sel_hi2": 1}
    if instruction.format.name == "VOP3" and instruction.name.startswith("v_cmpx") and "vdst" not in values:
        values["vdst"] = EXEC
    return values


def _modifiers(instruction: Instruction) -> dict[str, int]:
    """Return fields that change sources and results of an instruction in a long encoding."""
    name, form = instruction.mnemonic, instruction.format.name
    random = crc32(name.encode())
    if form == "VOP3P" and not re.match(r"v_(dot|pk_mov)", name):
        floats = "f16" in name or "f32" in name
        return {"op_sel": random & 7, "op_sel_hi": random >> 3 & 3, "neg": random >> 5 & 7 if floats else 0,
                "neg_hi": random >> 8 & 7 if floats else 0}  # fmt: skip
    if (
        form == "VOP3"
        and re.search(r"f(16|32|64)$", name)
        and not re.match(r"v_(cvt|cmp_class|cmpx_class|div|ldexp|pack|frexp|trig|dot|s_)", name)
    ):
        fields: dict[str, int] = {"neg": random & 7}
        if "abs" in instruction.format.fields and not any(slot.name == "sdst" for slot in instruction.slots):
            fields["abs"] = random >> 3 & 7
        if not name.startswith("v_cmp"):
            fields["clamp"] = random >> 6 & 1
        unused = 7 << sum(slot.name.startswith("src") for slot in instruction.slots) & 7
        return {key: value & ~unused if key in ("neg", "abs") else value for key, value in fields.items()}
    return {}


def state(case: Case, lanes: int) -> State:
    """Return the registers that a case starts with: random for the same case always."""
    rng = np.random.default_rng(crc32(case.instruction.mnemonic.encode()))
    found = State(lanes)
    found.vectors[:256] = rng.integers(0, 1 << 32, (256, lanes), dtype=np.uint32)
    wide = {slot.name for slot in case.instruction.slots if slot.count == 2}
    for slot, number in case.values.items():
        if (
            slot.startswith(("src", "vsrc"))
            and case.label[:4] not in ("+dpp", "+sdw")
            and number >= (VECTOR if slot != "vsrc1" else 0)
        ):
            first = number % VECTOR
            found.vectors[first : first + 2] = _operand(rng, lanes, slot, slot in wide, case.instruction.mnemonic)
    found.scalars[:106] = rng.integers(0, 1 << 32, 106, dtype=np.uint32)
    for number in (8, 12, 28):
        found.scalars[number : number + 2] = mixed(rng, 1, number in (8, 12) and bool(wide), case.instruction.mnemonic)[
            :, 0
        ]
    found.scalars[VCC : VCC + 2] = rng.integers(0, 1 << 32, 2, dtype=np.uint32)
    found.scalars[EXEC : EXEC + 2] = SOME_LANES[0], SOME_LANES[1] if lanes == 64 else 0
    if case.label.startswith("+dpp"):  # the oracle reads lanes that are not active
        found.scalars[EXEC : EXEC + 2] = (0xFFFFFFFF, 0xFFFFFFFF if lanes == 64 else 0)
    found.scalars[M0] = 3
    found.scc = crc32(case.key.encode()) & 1
    if lanes == 32:
        found.scalars[VCC + 1] = 0
    return found


def _operand(rng: np.random.Generator, lanes: int, slot: str, wide: bool, name: str) -> Words:
    """Return two registers; numbers that are converted to integers fit these, and exponents are small."""
    if name.startswith("v_ldexp") and slot in ("src1", "vsrc1"):
        return rng.integers(-20, 20, (2, lanes)).astype(np.int32).view(np.uint32)
    match = re.match(r"v_cvt_(?:pk_|nearest_|floor_|flr_|rpi_|norm_)*([iu])\d+_(f\d\d)", name)
    if match is None:
        return quiet(mixed(rng, lanes, wide, name), wide, name)
    numbers = rng.uniform(-100 if match[1] == "i" else 0, 100, lanes)
    if match[2] == "f64":
        return np.stack([numbers.view(np.uint32)[::2], numbers.view(np.uint32)[1::2]])
    if match[2] == "f16":
        numbers16 = numbers.astype(np.float16).view(np.uint16).astype(np.uint32)
        return np.stack([numbers16, numbers16])
    return np.stack([numbers.astype(np.float32).view(np.uint32), rng.integers(0, 1 << 32, lanes, dtype=np.uint32)])


def quiet(words: Words, wide: bool, name: str) -> Words:
    """Make signaling NaN of operands in floating point quiet: compilers let none arrive at an instruction."""
    low, high = words
    if wide and "f64" in name:
        high[(high & 0x7FF00000) == 0x7FF00000] |= 0x80000
    elif "f16" in name:
        low[(low & 0x7C00) == 0x7C00] |= np.where((low[(low & 0x7C00) == 0x7C00] & 0x3FF) != 0, 0x200, 0).astype(
            np.uint32
        )
        which = (low & 0x7C000000) == 0x7C000000
        low[which] |= np.where((low[which] & 0x3FF0000) != 0, 0x2000000, 0).astype(np.uint32)
    if "f32" in name:
        low[(low & 0x7FFFFFFF) > 0x7F800000] |= 0x400000
    return words


def mixed(rng: np.random.Generator, lanes: int, wide: bool, name: str) -> Words:
    """Return two registers: a third of the lanes each with random bits, numbers of moderate size, and edge values."""
    choice = rng.integers(0, 3, lanes)
    if wide:
        bits = rng.integers(0, 1 << 64, lanes, dtype=np.uint64)
        numbers = (rng.standard_normal(lanes) * 10.0 ** rng.integers(-3, 6, lanes)).view(np.uint64)
        edges = rng.choice(np.array(_EDGES_64, np.uint64), lanes)
        both = np.where(choice == 0, bits, np.where(choice == 1, numbers, edges))
        return np.stack([both.astype(np.uint32), (both >> np.uint64(32)).astype(np.uint32)])
    bits = rng.integers(0, 1 << 32, lanes, dtype=np.uint32)
    if "f16" in name:
        halves = (rng.standard_normal((lanes, 2)) * 4).astype(np.float16).view(np.uint32)[:, 0]
        numbers32 = np.where(
            rng.integers(0, 4, lanes) > 0, halves, (rng.standard_normal(lanes) * 30).astype(np.float32).view(np.uint32)
        )
    else:
        numbers32 = (rng.standard_normal(lanes) * 10.0 ** rng.integers(-3, 6, lanes)).astype(np.float32).view(np.uint32)
    edges32 = rng.choice(np.array(_EDGES_32, np.uint32), lanes)
    low = np.where(choice == 0, bits, np.where(choice == 1, numbers32, edges32)).astype(np.uint32)
    return np.stack([low, rng.integers(0, 1 << 32, lanes, dtype=np.uint32)])


def result(before: State, after: State, case: Case) -> str:
    """Return what a case left: a checksum, or, of inexact instructions, the changed registers in hexadecimal digits."""
    vectors = after.vectors[:256].copy()
    scalars = after.scalars.copy()
    changed = np.flatnonzero((vectors != before.vectors[:256]).any(axis=1))
    _without_nan(vectors, changed, case.instruction.mnemonic)
    if case.values.get("clamp") or "med3" in case.instruction.name:  # the sign of 0 is not defined
        rows = vectors[changed]
        rows[rows == 0x80000000] = 0
        vectors[changed] = rows
    if case.instruction.name.startswith("v_"):  # bits of lanes that are not active, neither
        written = [VCC] + [case.values[name] for name in ("sdst",) if name in case.values]
        for number in written:
            scalars[number] &= before.scalars[EXEC]
            scalars[number + 1] &= before.scalars[EXEC + 1] if after.lanes == 64 else 0xFFFFFFFF
    kept = np.concatenate([scalars[:106], scalars[VCC : VCC + 2], scalars[EXEC : EXEC + 2]])
    if case.is_exact:
        # The registers that did not change are the same for every case.
        text = changed.astype("<u4").tobytes() + vectors[changed].astype("<u4").tobytes() + kept.astype("<u4").tobytes()
        return f"{crc32(text + bytes([bool(after.scc)])):08x}"
    if case.instruction.name.startswith("v_s_"):
        return f"{int(scalars[20]):08x}"
    return bytes(vectors[changed].astype(">u4").tobytes()).hex()


def _without_nan(vectors: Words, changed: NDArray[np.intp], name: str) -> None:
    """Make all NaN of results in floating point the same: which one it is, the oracle does not know."""
    kind = re.search(r"(?<!pk_)_(f16|f32|f64|bf16)(?:_|$)", name)
    if (name.startswith("v_pk_") and "f16" in name) or name.startswith(("v_cvt_pk_rtz", "v_cvt_pkrtz", "v_pack")):
        kind_name = "halves"
    elif kind is None or name.startswith("v_cvt_pk") or "frexp_exp" in name:
        return
    else:
        kind_name = kind[1]
    if kind_name == "f32":
        rows = vectors[changed]
        rows[(rows & 0x7FFFFFFF) > 0x7F800000] = 0x7FC00000
        vectors[changed] = rows
    elif kind_name == "f64":
        for i in changed:
            if i + 1 in changed or i % 2 == 0:
                low, high = vectors[i & ~1], vectors[i | 1]
                nan = ((high & 0x7FFFFFFF) > 0x7FF00000) | (((high & 0x7FFFFFFF) == 0x7FF00000) & (low != 0))
                high[nan], low[nan] = 0x7FF80000, 0
    else:
        rows = vectors[changed]
        low_nan, high_nan = (rows & 0x7FFF) > 0x7C00, (rows >> 16 & 0x7FFF) > 0x7C00
        rows[low_nan] = rows[low_nan] & 0xFFFF0000 | 0x7E00
        if kind_name == "halves":
            rows[high_nan] = rows[high_nan] & 0xFFFF | 0x7E000000
        vectors[changed] = rows


def is_close(got: str, expected: str, case: Case) -> bool:
    """Return whether results of an inexact instruction are the same but for the last bits."""
    kind = re.search(r"_(f16|f32|f64)(?:_|$)", case.instruction.mnemonic)
    assert kind is not None
    ours, theirs = (np.frombuffer(bytes.fromhex(text), ">u4").astype(np.uint32) for text in (got, expected))
    if ours.shape != theirs.shape:
        return False
    if kind[1] == "f64":
        half = len(ours) // 2
        a, b = ((x[:half] | x[half:].astype(np.uint64) << np.uint64(32)).view(np.float64) for x in (ours, theirs))
    elif kind[1] == "f16":
        a, b = ((x & 0xFFFF).astype(np.uint16).view(np.float16).astype(np.float64) for x in (ours, theirs))
    else:
        a, b = (x.view(np.float32).astype(np.float64) for x in (ours, theirs))
    tolerance = {"f16": 2e-3, "f32": 1e-5, "f64": 1e-6}[kind[1]]
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.abs(a - b) <= tolerance * np.maximum(np.abs(b), 1e-3 if kind[1] == "f16" else 1e-5)
    return bool(np.all((a == b) | near | (np.isnan(a) & np.isnan(b))))
