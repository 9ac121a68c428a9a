"""A model of memory instructions by the pseudo code of AMD's instruction set documents, one lane after the other.

An oracle for all processors, and for forms that tinygrad's emulator lacks. It shares nothing with the emulator.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from scripts.instructions.buffer_formats import ONE, BufferFormat, components, half, widened
from scripts.instructions.cases import Case
from scripts.instructions.machine import EXEC, M0
from scripts.instructions.memory_cases import (
    BASE,
    BLOCK,
    DATA,
    DATA2,
    RESOURCE,
    RESULT,
    SCALAR_RESULT,
    SELECTED,
    MemoryState,
    format_of,
    null,
)
from scripts.instructions.memory_names import Meaning, meaning

Place = tuple[NDArray[np.uint8], int]
"""A piece of memory, and the number of a byte in it."""
_BUFFERS = ("MUBUF", "MTBUF")
_OUTSIDE: Place = (np.zeros(0, np.uint8), 0)


def perform(processor: str, case: Case, state: MemoryState) -> bool:
    """Change the state as the instruction does. Return False if this reference does not know it."""
    name = case.instruction.mnemonic
    known = meaning(name)
    if name in _OWN:
        _OWN[name](case, state)
    elif format_of(case) is not None:
        _access_elements(processor, case, state)
    elif name in _ORDERS:
        _load_transposed(processor, case, state)
    elif name.endswith("_block"):
        _move_block(processor, case, state)
    elif known is None:
        return False
    elif case.instruction.format.name == "SMEM":
        _load_scalars(processor, case, state, known)
    else:
        _access(processor, case, state, known)
    return True


def active(state: MemoryState) -> list[int]:
    """Return the numbers of active lanes."""
    mask = int(state.scalars[EXEC]) | int(state.scalars[EXEC + 1]) << 32
    return [lane for lane in range(state.lanes) if mask >> lane & 1]


def _access(processor: str, case: Case, state: MemoryState, known: Meaning) -> None:
    registers = state.vectors.copy()  # all lanes read before any writes
    for number in range(known.count):
        for lane in active(state):
            place = _place(processor, case, state, registers, lane, number, known)
            if known.to_local:
                size = max(4, known.bytes)
                offset = 0 if case.instruction.format.name == "MUBUF" else case.values["offset"]
                start = int(state.scalars[M0]) + offset + size * lane
                _write((state.local, start), _extended(_read(place, known.bytes), known), size)
            elif known.operation == "load":
                _load(case, state, known, place, lane, number)
            elif known.operation == "store":
                value = _register(registers, DATA if number == 0 else DATA2, lane, known.bytes)
                _write(place, value >> (16 if known.half == "high" else 0), known.bytes)
            else:
                _atomic(case, state, known, registers, place, lane, number)


def _access_elements(processor: str, case: Case, state: MemoryState) -> None:
    """Access elements whose format the instruction or the descriptor has; descriptors select components."""
    form, name, registers = format_of(case), case.instruction.name, state.vectors.copy()
    assert form is not None
    chosen = [4, 5, 6, 7] if name.startswith("t") else [SELECTED >> 3 * i & 7 for i in range(4)]
    for lane in active(state):
        place = _place(processor, case, state, registers, lane, 0, Meaning("load", f"b{8 * form.bytes}"))
        if "load" in name:
            _load_element(name, form, chosen, place, state.vectors[DATA : DATA + 4], lane)
        elif place is not _OUTSIDE:
            words = [int(word) for word in registers[DATA : DATA + 4, lane]]
            _write(place, _stored_element(name, form, chosen, _read(place, form.bytes), words), form.bytes)


def _load_element(
    name: str, form: BufferFormat, chosen: list[int], place: Place, to: NDArray[np.uint32], lane: int
) -> None:
    integer, high = form.kind in ("UINT", "SINT"), "_hi_" in name
    parts = [0, 1 if integer else ONE, 0, 0, *form.loaded(_read(place, form.bytes))]
    for i, choice in enumerate(chosen[: components(name)]):
        part = 0 if place is _OUTSIDE else parts[choice]
        if "d16" in name:
            shift = 16 * (i % 2 or high)
            to[i // 2, lane] = int(to[i // 2, lane]) & ~(0xFFFF << shift) | half(part, form.kind) << shift
        else:
            to[i, lane] = part


def _stored_element(name: str, form: BufferFormat, chosen: list[int], element: int, words: list[int]) -> int:
    for component in range(len(form.bits)):
        i = chosen.index(component + 4) if component + 4 in chosen else len(words)
        if i >= components(name):
            continue
        if "d16" in name:
            word = widened(words[i // 2] >> 16 * (i % 2 or "_hi_" in name) & 0xFFFF, form.kind)
        else:
            word = words[i]
        element = form.stored(element, component, word)
    return element


def _by_16(lane: int, element: int, count: int) -> tuple[int, int]:
    """16 lanes hold rows of 16 elements, one after the other, and get columns."""
    return divmod(16 * element + lane % 16, count)


def _by_8(lane: int, element: int, count: int) -> tuple[int, int]:
    return lane % 16 // 8 * 8 + element, lane % 8


def _by_bytes(lane: int, element: int, count: int) -> tuple[int, int]:
    """The first byte of 256 is that of row 0; bits of lane and element are bits of the byte's number."""
    flat = (lane & 7) + (lane >> 3 & 1) * 32 + (element & 3) * 8 + (element >> 2) * 64
    return divmod(flat, 8)


_ORDERS: Mapping[str, tuple[int, Callable[[int, int, int], tuple[int, int]]]] = {
    "ds_read_b64_tr_b16": (16, _by_16), "ds_read_b64_tr_b8": (8, _by_16), "ds_read_b64_tr_b4": (4, _by_16),
    "ds_read_b96_tr_b6": (6, _by_16), "global_load_tr_b128": (16, _by_8), "global_load_tr_b64": (8, _by_bytes),
}  # fmt: skip
"""Bits of an element, and which lane of 16 and which of its elements is a lane's element: as measured on GPUs."""


def _load_transposed(processor: str, case: Case, state: MemoryState) -> None:
    bits, order = _ORDERS[case.instruction.name]
    count = case.instruction.slots[0].count
    size, elements = 4 * count, 32 * count // bits
    known, registers = Meaning("load", f"b{8 * size}"), state.vectors.copy()
    rows = [_read(_place(processor, case, state, registers, lane, 0, known), size) for lane in range(state.lanes)]
    for lane in range(state.lanes):
        found = 0
        for element in range(elements):
            source, number = order(lane, element, elements)
            found |= (rows[lane & ~15 | source] >> bits * number & ((1 << bits) - 1)) << bits * element
        _set_register(state.vectors, RESULT, lane, found, size)


def _move_block(processor: str, case: Case, state: MemoryState) -> None:
    """Move those of 32 registers that m0 names; each has its place in memory."""
    registers = state.vectors.copy()
    for lane in active(state):
        memory, start = _place(processor, case, state, registers, lane, 0, Meaning("load", "b1024"))
        for i in range(32):
            if not BLOCK >> i & 1:
                continue
            place = memory, start + 4 * i
            if "load" in case.instruction.name:
                state.vectors[RESULT + i, lane] = _read(place, 4)
            else:
                _write(place, int(registers[DATA + i, lane]), 4)


def _load(case: Case, state: MemoryState, known: Meaning, place: Place, lane: int, number: int) -> None:
    value, size = _read(place, known.bytes), max(4, known.bytes)
    to = (DATA if case.instruction.format.name in _BUFFERS else RESULT) + number * size // 4
    if known.half:
        value = _extended(value, known) & 0xFFFF
        old = int(state.vectors[to, lane])
        value = old & 0xFFFF | value << 16 if known.half == "high" else old & 0xFFFF0000 | value
    else:
        value = _extended(value, known)
    _set_register(state.vectors, to, lane, value, size)


def _atomic(
    case: Case, state: MemoryState, known: Meaning, registers: NDArray[np.uint32], place: Place, lane: int, number: int
) -> None:
    size, name = known.bytes, case.instruction.mnemonic
    if place is _OUTSIDE:
        return
    first = _register(registers, DATA if number == 0 else DATA2, lane, size)
    local = case.instruction.format.name == "DS"
    second = _register(registers, DATA2 if local else DATA + size // 4, lane, size)
    if "cmpst_" in name:  # the comparand comes first
        first, second = second, first
    old = _read(place, size)
    _write(place, changed(known, old, first, second), size)
    if known.returns or case.values.get("glc") or case.values.get("th"):
        to = DATA if case.instruction.format.name == "MUBUF" else RESULT
        _set_register(state.vectors, to + number * size // 4, lane, old, size)


def changed(known: Meaning, old: int, data: int, second: int) -> int:
    """Return what an atomic operation leaves in memory."""
    bits, operation = 8 * known.bytes, known.operation
    if operation == "pk_add":
        add = _add_bf16 if known.type == "bf16" else _add_f16
        return add(old & 0xFFFF, data & 0xFFFF) | add(old >> 16, data >> 16) << 16
    if known.type.startswith("f") and operation != "swap":
        return _changed_float(known, old, data, second)
    if known.type.startswith("i") and operation in ("min", "max"):
        chosen = (min if operation == "min" else max)(_signed(old, bits), _signed(data, bits))
        return chosen & ((1 << bits) - 1)
    return _INTEGERS[operation](old, data, second) & ((1 << bits) - 1)


def _exchanged_words(old: int, data: int) -> int:
    low = data & 0x7FFFFFFF if data >> 31 & 1 else old & 0xFFFFFFFF
    high = data >> 32 & 0x7FFFFFFF if data >> 63 else old >> 32
    return low | high << 32


_INTEGERS: Mapping[str, Callable[[int, int, int], int]] = {
    "add": lambda old, data, _: old + data,
    "sub": lambda old, data, _: old - data,
    "rsub": lambda old, data, _: data - old,
    "min": lambda old, data, _: min(old, data),
    "max": lambda old, data, _: max(old, data),
    "and": lambda old, data, _: old & data,
    "or": lambda old, data, _: old | data,
    "xor": lambda old, data, _: old ^ data,
    "swap": lambda old, data, _: data,
    "inc": lambda old, data, _: 0 if old >= data else old + 1,
    "dec": lambda old, data, _: data if old == 0 or old > data else old - 1,
    "cmpswap": lambda old, data, compare: data if old == compare else old,
    "cmpst": lambda old, data, compare: data if old == compare else old,
    "mskor": lambda old, mask, data: old & ~mask | data,
    "wrap": lambda old, data, added: old - data if old >= data else old + added,
    "cond_sub": lambda old, data, _: old - data if old >= data else old,
    "sub_clamp": lambda old, data, _: max(0, old - data),
    "condxchg32": lambda old, data, _: _exchanged_words(old, data),
}


def _changed_float(known: Meaning, old: int, data: int, second: int) -> int:
    kind, bits = ("d", "Q") if known.bytes == 8 else ("f", "I")
    value, operand, compare = (struct.unpack(kind, struct.pack(bits, x))[0] for x in (old, data, second))
    if known.operation in ("cmpswap", "cmpst"):
        return data if value == compare else old
    if known.operation == "min":
        return data if operand < value or value != value else old  # documents: NaN is handled
    if known.operation == "max":
        return data if operand > value or value != value else old
    number = np.float64 if known.bytes == 8 else np.float32
    with np.errstate(all="ignore"):
        total = number(value) + number(operand)
    return int(np.asarray(total).view(np.uint64 if known.bytes == 8 else np.uint32))


def _add_f16(a: int, b: int) -> int:
    with np.errstate(all="ignore"):
        halves = np.array([a, b], np.uint16).view(np.float16)
        return int((halves[0] + halves[1]).view(np.uint16))


def _add_bf16(a: int, b: int) -> int:
    with np.errstate(all="ignore"):
        floats = (np.array([a, b], np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64)
        bits = int(np.float32(floats[0] + floats[1]).view(np.uint32))
    if bits & 0x7FFFFFFF > 0x7F800000:
        return bits >> 16 | 0x40
    return bits + 0x7FFF + (bits >> 16 & 1) >> 16


def _place(
    processor: str,
    case: Case,
    state: MemoryState,
    registers: NDArray[np.uint32],
    lane: int,
    number: int,
    known: Meaning,
) -> Place:
    """Return what a lane accesses."""
    form, values = case.instruction.format.name, case.values
    if "addtid" in case.instruction.name:
        saddr = values["saddr"]
        base = 0 if saddr == null(processor) else int(state.scalars[saddr]) | int(state.scalars[saddr + 1]) << 32
        return state.memory, base + values["offset"] + 4 * lane - int(state.memory.ctypes.data)
    address = int(registers[values.get("addr", values.get("vaddr", 0)), lane])
    if form == "DS":
        if known.count == 2:
            offset = values[f"offset{number}"] * known.bytes * known.stride
        else:
            offset = values["offset0"] | values["offset1"] << 8
        at = address + offset & 0xFFFFFFFF
        return (state.local, at) if at + known.bytes <= state.local.size else _OUTSIDE
    if form == "SCRATCH":
        by_vector = values.get("sve", values.get("lds", values["saddr"] == null(processor)))
        base = 0 if values["saddr"] == null(processor) else int(state.scalars[values["saddr"]])
        return state.private[lane], (address if by_vector else 0) + base + values["offset"]
    if form in _BUFFERS:
        return _buffer_place(case, state, registers, lane, known)
    if values["saddr"] == null(processor):
        address |= int(registers[values["addr"] + 1, lane]) << 32
        upper = address >> 32
        if "+local" in case.label or "+private" in case.label:
            memory = state.local if "+local" in case.label else state.private[lane]
            return memory, (address & 0xFFFFFFFF) + values["offset"]
        assert upper != 0
    else:
        address += int(state.scalars[values["saddr"]]) | int(state.scalars[values["saddr"] + 1]) << 32
    return state.memory, address + values["offset"] - int(state.memory.ctypes.data)


def _buffer_place(case: Case, state: MemoryState, registers: NDArray[np.uint32], lane: int, known: Meaning) -> Place:
    values = case.values
    by_index, by_offset = values.get("idxen", 0), values.get("offen", 0)
    index = int(registers[values["vaddr"], lane]) if by_index else 0
    inner = values["offset"] + (int(registers[values["vaddr"] + by_index, lane]) if by_offset else 0)
    base = int(state.scalars[RESOURCE]) | (int(state.scalars[RESOURCE + 1]) & 0xFFFF) << 32
    stride, records = int(state.scalars[RESOURCE + 1]) >> 16 & 0x3FFF, int(state.scalars[RESOURCE + 2])
    if index >= records if stride and by_index else inner + known.bytes > records:
        return _OUTSIDE
    address = base + int(state.scalars[values["soffset"]]) + stride * index + inner
    return state.memory, address - int(state.memory.ctypes.data)


def _load_scalars(processor: str, case: Case, state: MemoryState, known: Meaning) -> None:
    values, is_buffer = case.values, "_buffer_" in case.instruction.name
    offset = values["offset"] if values.get("imm", not processor.startswith("gfx9")) else 0
    if processor.startswith("gfx9"):
        if values.get("soffset_en"):
            offset += int(state.scalars[values["soffset"]])
        elif not values.get("imm"):
            offset += int(state.scalars[values["offset"]])
    elif values["soffset"] != null(processor):
        offset += int(state.scalars[values["soffset"]])
    base = RESOURCE if is_buffer else BASE
    mask = 0xFFFF if is_buffer else 0xFFFFFFFF
    start = (int(state.scalars[base]) | (int(state.scalars[base + 1]) & mask) << 32) - int(state.memory.ctypes.data)
    records = int(state.scalars[RESOURCE + 2]) if is_buffer else 1 << 40
    size = min(4, known.bytes)
    for word in range(max(1, known.bytes // 4)):
        inside = offset + 4 * word + size <= records
        value = _read((state.memory, start + offset + 4 * word), size) if inside else 0
        state.scalars[SCALAR_RESULT + word] = _extended(value, known)


def _permute(case: Case, state: MemoryState) -> None:
    """Each lane sends to another one; the last one that does wins."""
    sent: NDArray[np.uint32] = np.zeros(state.lanes, np.uint32)
    offset, address = case.values["offset0"] | case.values["offset1"] << 8, state.vectors[case.values["addr"]]
    for lane in active(state):
        sent[(int(address[lane]) + offset) // 4 % state.lanes] = state.vectors[DATA, lane]
    for lane in active(state):
        state.vectors[RESULT, lane] = sent[lane]


def _bpermute(case: Case, state: MemoryState) -> None:
    """Each lane reads another one, and 0 of one that is not active."""
    _read_lanes(state, DATA, _addressed(case, state))


def _bpermute_of_all(case: Case, state: MemoryState) -> None:
    """Each lane reads another one, active or not."""
    source, others = state.vectors[DATA].copy(), _addressed(case, state)
    for lane in active(state):
        state.vectors[RESULT, lane] = source[others[lane]]


def _addressed(case: Case, state: MemoryState) -> list[int]:
    """Return the lane that each lane's address names."""
    offset, address = case.values["offset0"] | case.values["offset1"] << 8, state.vectors[case.values["addr"]]
    return [(int(one) + offset) // 4 % state.lanes for one in address]


def _swizzle(case: Case, state: MemoryState) -> None:
    offset = case.values["offset0"] | case.values["offset1"] << 8
    _read_lanes(state, case.values["addr"], [_swizzled(lane, offset) for lane in range(state.lanes)])


def _swizzled(lane: int, offset: int) -> int:
    inner, mask = lane & 31, offset & 31
    if offset >= 0xE000:  # the order of a fast Fourier transform
        other = int(f"{inner:05b}"[::-1], 2) >> mask.bit_count() | inner & mask
    elif offset >= 0xC000:  # rotation
        distance = offset >> 5 & 31
        other = inner & mask | (inner + (-distance if offset >> 10 & 1 else distance)) & 31 & ~mask
    elif offset & 0x8000:  # four lanes
        other = inner & ~3 | offset >> 2 * (inner & 3) & 3
    else:
        other = (inner & mask | offset >> 5 & 31) ^ (offset >> 10 & 31)
    return other | lane & 32


def _read_lanes(state: MemoryState, register: int, others: list[int]) -> None:
    source, on = state.vectors[register].copy(), set(active(state))
    for lane in on:
        state.vectors[RESULT, lane] = source[others[lane]] if others[lane] in on else 0


def _count(sign: int) -> Callable[[Case, MemoryState], None]:
    def count(case: Case, state: MemoryState) -> None:
        at = int(state.scalars[M0]) + (case.values["offset0"] | case.values["offset1"] << 8)
        old = _read((state.local, at), 4)
        _write((state.local, at), old + sign * len(active(state)), 4)
        state.vectors[RESULT, active(state)] = old

    return count


def _own_word(case: Case, state: MemoryState) -> None:
    start = int(state.scalars[M0]) + (case.values["offset0"] | case.values["offset1"] << 8)
    for lane in active(state):
        place = state.local, start + 4 * lane
        if "vdst" in case.values:
            state.vectors[RESULT, lane] = _read(place, 4)
        else:
            _write(place, int(state.vectors[DATA, lane]), 4)


_OWN: Mapping[str, Callable[[Case, MemoryState], None]] = {
    "ds_permute_b32": _permute,
    "ds_bpermute_b32": _bpermute,
    "ds_bpermute_fi_b32": _bpermute_of_all,
    "ds_swizzle_b32": _swizzle,
    "ds_append": _count(1),
    "ds_consume": _count(-1),
    **{f"ds_{word}_addtid_b32": _own_word for word in ("read", "write", "load", "store")},
}


def _read(place: Place, size: int) -> int:
    memory, at = place
    if place is _OUTSIDE:
        return 0
    assert 0 <= at <= memory.size - size, (at, memory.size)
    return int.from_bytes(memory[at : at + size].tobytes(), "little")


def _write(place: Place, value: int, size: int) -> None:
    memory, at = place
    if place is not _OUTSIDE:
        assert 0 <= at <= memory.size - size, (at, memory.size)
        memory[at : at + size] = np.frombuffer((value & ((1 << 8 * size) - 1)).to_bytes(size, "little"), np.uint8)


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def _extended(value: int, known: Meaning) -> int:
    return _signed(value, 8 * known.bytes) & 0xFFFFFFFF if known.type.startswith("i") else value


def _register(vectors: NDArray[np.uint32], first: int, lane: int, size: int) -> int:
    return sum(int(vectors[first + word, lane]) << 32 * word for word in range(max(1, size // 4)))


def _set_register(vectors: NDArray[np.uint32], first: int, lane: int, value: int, size: int) -> None:
    for word in range(size // 4):
        vectors[first + word, lane] = value >> 32 * word & 0xFFFFFFFF
