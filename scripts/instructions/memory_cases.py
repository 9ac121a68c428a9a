"""Cases for instructions that access memory: addresses, masks and data, and what is left in registers and memory."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from scripts.instructions.buffer_formats import BufferFormat, buffer_formats, is_formatted
from scripts.instructions.cases import SOME_LANES, Case, Words, mixed, quiet
from scripts.instructions.machine import EXEC, M0, State
from scripts.instructions.tables import Instruction, instructions

FORMATS = ("SMEM", "DS", "FLAT", "GLOBAL", "SCRATCH", "MUBUF", "MTBUF")
# Registers of all cases. The address is a pair, and so is the base; the resource are four.
ADDRESS, DATA, DATA2, RESULT = 8, 16, 24, 40
RESOURCE, BASE, OFFSET, SCALAR_RESULT = 12, 20, 28, 48
LOCAL_APERTURE, PRIVATE_APERTURE = 0x01000000, 0x02000000
"""The upper halves of flat addresses of local and private memory in the emulator."""
RECORDS = 1800
"""The end of the buffer, in bytes or, with a stride, in elements of STRIDE bytes times 32."""
STRIDE = 32
SELECTED = 4 | 7 << 3 | 5 << 6 | 1 << 9
"""What a descriptor selects as components: the first one, the fourth, the second, and 1."""
_SLOT, _SLOTS, _BEFORE, _PRIVATE = 32, 64, 256, 256
BLOCK = 0x8000A5C1
"""The registers of a block that are moved."""
_NOT_ACCESSES = re.compile(
    r"s_(store|atomic|scratch|buffer_store|buffer_atomic|dcache|gl1|memtime|memrealtime|atc|prefetch|buffer_prefetch)\w*"
    r"|ds_(gws|ordered|bvh|add_gs|sub_gs|nop)\w*|\w+_(inv|wb|wbinv|wbl2|invl2|wbinvl1(_vol)?)"
    r"|(buffer_gl[01]|buffer_inv|buffer_wb)\w*|\w+_ordered_\w+|buffer_load_lds_format\w*|scratch_load_lds\w*"
)


@dataclass
class MemoryState(State):
    """The state of a wavefront with a piece of global memory."""

    memory: NDArray[np.uint8] = field(init=False)

    def __post_init__(self) -> None:
        """Allocate the memory."""
        super().__post_init__()
        self.memory = np.zeros(2 * _BEFORE + _SLOT * _SLOTS + 2 * 4096, np.uint8)
        self.local = np.zeros(4096, np.uint8)
        self.private = np.zeros((self.lanes, _PRIVATE), np.uint8)

    @property
    def start(self) -> int:
        """The address of what lanes access; there is as much memory before it as offsets reach back."""
        return int(self.memory.ctypes.data) + _BEFORE


def memory_cases(processor: str) -> Iterator[Case]:
    """Yield the cases of a processor."""
    for instruction in instructions(processor):
        if instruction.format.name not in FORMATS or _NOT_ACCESSES.fullmatch(instruction.name):
            continue
        values = _registers(instruction)
        for label, more in _forms(processor, instruction):
            yield Case(instruction, {**values, **more}, b"", label)
            if "_atomic_" in instruction.name:
                yield Case(instruction, {**values, **more, **_returning(instruction)}, b"", label + "+return")


def _returning(instruction: Instruction) -> dict[str, int]:
    fields = instruction.format.fields
    return {"th" if "th" in fields else "glc": 1, **({"vdst": RESULT} if "vdst" in fields else {})}


def _registers(instruction: Instruction) -> dict[str, int]:
    numbers = {"addr": ADDRESS, "vaddr": ADDRESS, "data": DATA, "data0": DATA, "vdata": DATA, "data1": DATA2,
               "vdst": RESULT, "sdata": SCALAR_RESULT}  # fmt: skip
    return {slot.name: numbers[slot.name] for slot in instruction.slots if slot.name in numbers}


def null(processor: str) -> int:
    """Return the number of the null register; on gfx9 that for no register."""
    return 127 if processor.startswith("gfx9") else 125 if processor.startswith("gfx10") else 124


Forms: TypeAlias = Iterator[tuple[str, Mapping[str, int]]]


def _forms(processor: str, instruction: Instruction) -> Forms:
    """Yield a label and field values for each way in which an instruction addresses memory."""
    return _FORMS[instruction.format.name](processor, instruction)


def _global_forms(processor: str, instruction: Instruction) -> Forms:
    offset = 24 if "_lds_" in instruction.name else -24
    if "addtid" in instruction.name:  # lanes access consecutive words from the base on
        yield "+base", {"saddr": BASE, "offset": 40}
        return
    yield "", {"addr": ADDRESS, "saddr": null(processor), "offset": offset}
    yield "+base", {"addr": ADDRESS, "saddr": BASE, "offset": 40}


def _flat_forms(processor: str, instruction: Instruction) -> Forms:
    for label in ("", "+local", "+private"):
        yield label, {"saddr": null(processor), "offset": 40}


def _private_forms(processor: str, instruction: Instruction) -> Forms:
    mark = "lds" if processor in ("gfx942", "gfx950") else "sve"  # says that there is a vector register
    has_mark = mark in instruction.format.fields
    marked, unmarked = ({mark: 1}, {mark: 0}) if has_mark else ({}, {})
    yield "+vector", {"addr": ADDRESS, "saddr": null(processor), "offset": 16, **marked}
    yield "+base", {"addr": 0, "saddr": OFFSET, "offset": 16, **unmarked}
    if has_mark:
        yield "+both", {"addr": ADDRESS, "saddr": OFFSET, "offset": -8, **marked}
        yield "+constant", {"addr": 0, "saddr": null(processor), "offset": 20, **unmarked}


def _buffer_forms(processor: str, instruction: Instruction) -> Forms:
    # LLVM fills the field of formats, which only tbuffer instructions have in use, with 1.
    own = {"srsrc": RESOURCE, "format": 1} if processor.startswith("gfx12") else {"srsrc": RESOURCE // 4}
    if is_formatted(instruction.name):
        yield from _formatted_forms(processor, instruction, own)
        return
    for label in ("offen", "idxen"):
        yield f"+{label}", {**own, "soffset": OFFSET, "offset": 8, label: 1}
    yield "+both", {**own, "soffset": OFFSET, "offset": 4, "offen": 1, "idxen": 1}


def _formatted_forms(processor: str, instruction: Instruction, own: Mapping[str, int]) -> Forms:
    """Yield all formats for two instructions of a generation, some for the others; halves hold no 32-bit integers."""
    addressed = [{"offen": 1, "offset": 8}, {"idxen": 1, "offset": 8}, {"offen": 1, "idxen": 1, "offset": 4}]
    usable = [
        one for one in buffer_formats(processor)
        if "d16" not in instruction.name or not re.fullmatch(r"32\w*_[US]INT", one.name)
    ]  # fmt: skip
    is_first = processor in ("gfx90a", "gfx1030", "gfx1100", "gfx1201")
    step = 1 if is_first and re.fullmatch(r"tbuffer_(load|store)_format_xyzw", instruction.name) else 9
    for i, one in enumerate(usable[instruction.opcode % step :: step]):
        values = {**own, "soffset": OFFSET, **addressed[i % 3]}
        values |= dict(one.fields) if instruction.name.startswith("t") else {}
        yield f"+{one.name}", values


def format_of(case: Case) -> BufferFormat | None:
    """Return the format of the elements that a case accesses; None if they have none."""
    if not is_formatted(case.instruction.name):
        return None
    # The kinds of formats of gfx9 and gfx10 include those of gfx11, and names mean the same.
    return next(one for one in _known_formats(case) if one.name == case.label[1:])


def _known_formats(case: Case) -> tuple[BufferFormat, ...]:
    fields = case.instruction.format.fields
    if "acc" in fields:
        return buffer_formats("gfx90a")
    is_gfx10 = "dlc" in fields
    return buffer_formats("gfx1030" if is_gfx10 else "gfx1100")


_SWIZZLES = (0x801B, 0x80E4, 0x041F, 0x7C1F, 0x0803, 0xC0A3, 0xC4E0, 0xE003, 0xE01F, 0xE000)


def _local_forms(processor: str, instruction: Instruction) -> Forms:
    name = instruction.name
    if "swizzle" in name:
        for offset in _SWIZZLES:
            yield f"+{offset:x}", {"offset0": offset & 255, "offset1": offset >> 8}
    elif re.search(r"2st64|stride64", name):
        yield "", {"offset0": 0, "offset1": 4 if name.endswith("64") else 8}
    elif re.search(r"(read|write|wrxchg)2|2addr", name):
        yield "", {"offset0": 2, "offset1": 0}
    else:
        yield "", {"offset0": 4 if "permute" not in name else 8, "offset1": 0}
        yield "+far", {"offset0": 0, "offset1": 4}


def _scalar_forms(processor: str, instruction: Instruction) -> Forms:
    is_buffer = "_buffer_" in instruction.name
    base = {"sbase": (RESOURCE if is_buffer else BASE) // 2}
    constant, register = {"offset": 16 if is_buffer else -8}, {"soffset": OFFSET}
    if processor.startswith("gfx9"):
        yield "", {**base, **constant, "imm": 1}
        yield "+register", {**base, "offset": OFFSET}
        yield "+both", {**base, **constant, **register, "imm": 1, "soffset_en": 1}
    else:
        yield "", {**base, **constant, "soffset": null(processor)}
        yield "+both", {**base, **constant, **register}


_FORMS = {
    "GLOBAL": _global_forms, "FLAT": _flat_forms, "SCRATCH": _private_forms, "MUBUF": _buffer_forms,
    "MTBUF": _buffer_forms, "SMEM": _scalar_forms, "DS": _local_forms,
}  # fmt: skip


def _size(case: Case) -> int:
    """Return how many bytes one access of a case has at most."""
    form = format_of(case)
    return _bytes(case.instruction) if form is None else form.bytes


def _bytes(instruction: Instruction) -> int:
    """Return how many bytes one access has at most."""
    name = instruction.name
    if transposed := re.search(r"b(\d+)_tr_|_tr_b(\d+)", name):
        return int(transposed[1] or transposed[2]) // 8
    if name.endswith("_block"):
        return 128
    if re.search(r"byte|[ui]8|b8", name):
        return 1
    if re.search(r"short|[uib]16(_|$)", name) and "atomic" not in name and "pk_" not in name:
        return 2
    wide = re.search(r"_x2$|64$|x2$", name)
    return 16 if re.search(r"x4$|128$", name) else 12 if re.search(r"x3$|96$", name) else 8 if wide else 4


def memory_state(case: Case, lanes: int) -> MemoryState:
    """Return the registers and memory that a case starts with: the same for the same case, but for where memory is."""
    rng = np.random.default_rng(crc32(case.instruction.name.encode()))
    found = MemoryState(lanes)
    name = case.instruction.name
    found.vectors[:256] = rng.integers(0, 1 << 32, (256, lanes), dtype=np.uint32)
    found.scalars[:106] = rng.integers(0, 1 << 32, 106, dtype=np.uint32)
    wide = _bytes(case.instruction) == 8
    numbers = [_numbers(rng, lanes, wide, name) for _ in range(3)]
    for first, pair in zip((DATA, DATA + 2, DATA2), numbers, strict=True):
        found.vectors[first : first + 2] = pair
    for memory in (found.memory, found.local, found.private.reshape(-1)):
        count = memory.size // 8
        low, high = _numbers(rng, count, wide, name)
        words = np.stack([low, high], axis=1).reshape(-1)
        memory[:] = words.view(np.uint8)
    found.scalars[EXEC : EXEC + 2] = SOME_LANES[0], SOME_LANES[1] if lanes == 64 else 0
    found.scalars[M0] = 16
    found.scalars[OFFSET] = 24
    if "_tr_" in name:  # all lanes must be active
        found.scalars[EXEC : EXEC + 2] = 0xFFFFFFFF, 0xFFFFFFFF if lanes == 64 else 0
    if name.endswith("_block"):
        found.scalars[M0] = BLOCK
    _set_addresses(rng, found, case)
    _set_comparands(found, case, rng)
    _set_components(found, case, rng)
    return found


def _set_components(state: MemoryState, case: Case, rng: np.random.Generator) -> None:
    """Let what is stored be in the range of its format, about as often as not."""
    form = format_of(case)
    if form is None or form.kind in ("UINT", "SINT") or "store" not in case.instruction.name:
        return
    scale = {"UNORM": 1.0, "SNORM": 1.0, "FLOAT": 1e4}.get(form.kind, 300.0)
    numbers = rng.normal(0, scale, (8, state.lanes)).astype(np.float32)
    words = state.vectors[DATA : DATA + 4]
    if "d16" in case.instruction.name:
        halves = numbers.astype(np.float16).view(np.uint16).astype(np.uint32)
        words[:] = halves[::2] | halves[1::2] << 16
    else:
        words[:] = numbers[:4].view(np.uint32)


def _numbers(rng: np.random.Generator, count: int, wide: bool, name: str) -> Words:
    words = quiet(mixed(rng, count, wide, name), wide, name)
    return _without_nan(words, name)


def _without_nan(words: Words, name: str) -> Words:
    """Make NaN of sums infinite: which NaN they are is not defined."""
    low, high = words
    if re.search(r"add_(rtn_)?f64", name):
        high[(high & 0x7FF00000) == 0x7FF00000] &= 0x7FDFFFFF
    elif re.search(r"pk_add_(rtn_)?bf16", name):
        for shift in (0, 16):
            high_exponent = (low >> shift & 0x7F80) == 0x7F80
            low[high_exponent] &= ~np.uint32(0x4000 << shift)
    elif re.search(r"pk_add_(rtn_)?f16", name):
        for shift in (0, 16):
            high_exponent = (low >> shift & 0x7C00) == 0x7C00
            low[high_exponent] &= ~np.uint32(0x2000 << shift)
    elif re.search(r"add_(rtn_)?f32", name):
        low[(low & 0x7F800000) == 0x7F800000] &= 0xBFFFFFFF
    return words


def offsets(case: Case, lanes: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return where each lane accesses memory, from its start: lanes share a place in atomic operations only."""
    size, name = _size(case), case.instruction.name
    slots = rng.permutation(_SLOTS)[:lanes]
    if re.search(r"load|read", name):
        slots = rng.integers(0, _SLOTS, lanes)
    if _is_atomic(name):
        slots = rng.integers(0, 6, lanes) * 9
    step = size if size < 4 or _is_atomic(name) else 4
    room = 8 if _is_atomic(name) or re.search(r"(read|write|wrxchg)2|2addr", name) else _SLOT - size + 1
    jitter = rng.integers(0, max(1, room // step), lanes) * step
    return np.asarray(slots * max(_SLOT, size) + jitter, np.int64)


def _is_atomic(name: str) -> bool:
    return not re.search(r"load|read|store_|write", name)


def _set_addresses(rng: np.random.Generator, state: MemoryState, case: Case) -> None:
    at, form = offsets(case, state.lanes, rng), case.instruction.format.name
    constant = case.values.get("offset", 0)
    if form == "DS":
        state.vectors[ADDRESS] = at
        if "permute" in case.instruction.name:
            state.vectors[ADDRESS] = rng.integers(0, 1024, state.lanes)
    elif form == "SCRATCH" or "+private" in case.label:
        state.vectors[ADDRESS] = at % (16 if case.instruction.name.endswith("_block") else 128) + 16
        state.vectors[ADDRESS + 1] = PRIVATE_APERTURE
    elif form in ("MUBUF", "MTBUF"):
        known = format_of(case)
        state.scalars[RESOURCE : RESOURCE + 2] = state.start & 0xFFFFFFFF, state.start >> 32
        state.scalars[RESOURCE + 2 : RESOURCE + 4] = RECORDS & ~31, SELECTED | known.descriptor if known else 0
        state.vectors[ADDRESS] = at
        if case.values.get("idxen"):
            state.scalars[RESOURCE + 1] |= STRIDE << 16
            state.scalars[RESOURCE + 2] = RECORDS // STRIDE
            state.vectors[ADDRESS], state.vectors[ADDRESS + 1] = at // _SLOT, at % _SLOT
    elif form == "SMEM":
        state.scalars[BASE : BASE + 2] = state.start & 0xFFFFFFFF, state.start >> 32
        state.scalars[RESOURCE : RESOURCE + 2] = state.start & 0xFFFFFFFF, state.start >> 32
        state.scalars[RESOURCE + 2 : RESOURCE + 4] = 60, 0
    elif "+local" in case.label:
        state.vectors[ADDRESS], state.vectors[ADDRESS + 1] = at, LOCAL_APERTURE
    elif "+base" in case.label:
        base = state.start - constant - ("addtid" not in case.instruction.name) * 4096
        state.scalars[BASE : BASE + 2] = base & 0xFFFFFFFF, base >> 32
        state.vectors[ADDRESS] = at + 4096
    else:
        addresses = at + state.start - constant
        state.vectors[ADDRESS] = (addresses & 0xFFFFFFFF).astype(np.uint32)
        state.vectors[ADDRESS + 1] = (addresses >> 32).astype(np.uint32)


def _set_comparands(state: MemoryState, case: Case, rng: np.random.Generator) -> None:
    """Let half of all comparisons find what they look for."""
    if not re.search(r"cmp", case.instruction.name):
        return
    words = state.memory.view(np.uint32)
    words[:] = np.tile(words[:2], words.size // 2)
    state.local[:], state.private[:] = state.memory[:4096], state.memory[:_PRIVATE]
    count = _bytes(case.instruction) // 4
    equal = rng.integers(0, 2, state.lanes, dtype=bool)
    for register in (DATA, DATA + count, DATA2):
        for word in range(count):
            state.vectors[register + word][equal] = words[word]


def memory_result(before: MemoryState, after: MemoryState) -> str:
    """Return a checksum of what a case left, without the registers that hold addresses."""
    vectors, scalars = after.vectors[:256].copy(), after.scalars.copy()
    vectors[ADDRESS : ADDRESS + 2], scalars[RESOURCE : RESOURCE + 4], scalars[BASE : BASE + 2] = 0, 0, 0
    changed = np.flatnonzero((vectors != before.vectors[:256]).any(axis=1))
    registers = changed.astype("<u4").tobytes() + vectors[changed].astype("<u4").tobytes()
    registers += scalars[:106].astype("<u4").tobytes()
    return f"{crc32(registers + after.memory.tobytes() + after.local.tobytes() + after.private.tobytes()):08x}"
