"""Execute kernels that call clang's builtin functions, with each of the host's instruction sets, and compare."""

from __future__ import annotations

import re
import struct
from enum import Enum
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from scripts.instructions.builtin_code import Builtin, Code, Result, is_pointer
from scripts.instructions.builtin_models import Array, Model, models
from scripts.instructions.machine import ExecutionError, Machine, State, Vectors


class Outcome(Enum):
    """The outcome of a kernel; its result is right if a model says so."""

    RIGHT = "as their models say"
    EXECUTED = "executed, the same in all ways of translation"
    REFUSED = "refused by name"
    LEFT_OUT = "not executed here"
    WRONG = "wrong"


_ROOM = 1 << 16
_PRIVATE = 1024
_KINDS: dict[str, Any] = {
    "bool": np.bool_, "char": np.int8, "signed char": np.int8, "unsigned char": np.uint8, "short": np.int16,
    "unsigned short": np.uint16, "int": np.int32, "unsigned int": np.uint32, "long": np.int64, "long long": np.int64,
    "unsigned long": np.uint64, "unsigned long long": np.uint64, "float": np.float32, "double": np.float64,
    "__fp16": np.float16, "_Float16": np.float16, "__bf16": np.uint16,
}  # fmt: skip
_VECTOR = re.compile(r"__attribute__\(\(__(?:ext_)?vector_\w+\((\d+)(?: \* sizeof\([^)]*\))?\)\)\) (.*)")
# What depends on other wavefronts, on registers that only a launch sets, or on where the code is; images, whose
# descriptors would be random.
_LEFT_OUT = re.compile(
    r"__builtin_amdgcn_(image_\w+|s?_?ds_gws_\w+|ds_gws_\w+|interp_\w+|(dispatch|queue|implicitarg|kernarg_segment)_(ptr|id)"
    r"|(workgroup|grid)_(id|size)_\w|workgroup_id\w*|init_exec\w*|set_fpenv|s_setreg\w*|s_get_barrier_state|s_barrier\w*"
    r"|s_wakeup_barrier|endpgm|make_buffer_rsrc|s_memtime|s_memrealtime|s_getpc|s_getreg\w*|get_fpenv)"
)
_NAMED = re.compile(r"[sv]_\w+|ds_\w+|global_\w+|flat_\w+|buffer_\w+|scratch_\w+|image_\w+")


def run_all(machine: Machine, target: str, wave: int, result: Result) -> dict[Outcome, dict[str, str]]:
    """Run all kernels that have other arguments in each lane. Return messages by outcome and builtin."""
    known = models(target)
    found: dict[Outcome, dict[str, str]] = {}
    for builtin, code in result.kernels:
        outcome, why = _outcome(machine, target, wave, builtin, code, known.get(builtin.name.partition("amdgcn_")[2]))
        found.setdefault(outcome, {})[builtin.name] = why
    return found


def _outcome(
    machine: Machine, target: str, wave: int, builtin: Builtin, code: Code, model: Model | None
) -> tuple[Outcome, str]:
    if not code.of_lanes or _LEFT_OUT.fullmatch(builtin.name):
        return Outcome.LEFT_OUT, "it depends on a launch" if code.of_lanes else "it has no lanes"
    sets = [Vectors.NONE, *(one for one in (Vectors.AVX2, Vectors.AVX512) if one <= machine.vectors)]
    call = _Call(builtin, wave, is_small=model is not None and model.tolerance > 0)
    left: list[bytes] = []
    for vectors in sets:
        try:
            left.append(call.run(machine, target, code, vectors))
        except ExecutionError as error:
            return (Outcome.REFUSED if _NAMED.search(str(error)) else Outcome.WRONG), str(error)
    if any(one != left[0] for one in left):
        return Outcome.WRONG, "translated code does something else"
    if model is None:
        return Outcome.EXECUTED, ""
    problem = _problem(call.out, model.compute(call.values), model.tolerance)
    return (Outcome.WRONG, problem) if problem else (Outcome.RIGHT, "")


def _problem(out: NDArray[np.uint8], expected: Array, tolerance: float) -> str:
    found = out[: expected.nbytes].view(expected.dtype).reshape(expected.shape)
    if expected.dtype.kind == "f":
        a, b = found.astype(np.float64), expected.astype(np.float64)
        with np.errstate(invalid="ignore"):
            same = (a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= tolerance * np.abs(b))
    else:
        same = found == expected
    if same.all():
        return ""
    lane = int(np.argwhere(~same)[0][0])
    return f"lane {lane} has {found[lane]}, not {expected[lane]}"


class _Call:
    """The arguments of a kernel, at the same addresses in all runs, and its result."""

    def __init__(self, builtin: Builtin, wave: int, is_small: bool) -> None:
        fixed = dict(builtin.constants)
        kinds = [kind for i, kind in enumerate(builtin.parameters) if i not in fixed]
        rng = np.random.default_rng(crc32(builtin.name.encode()))
        self.wave = wave
        self.values = [
            rng.integers(0, 256, _ROOM, np.uint8) if self._is_memory(kind) else _values(rng, kind, wave, is_small)
            for kind in kinds
        ]
        for one in self.values:  # offsets from a scalar register are not compared with the buffer's end
            if "_buffer_" in builtin.name and one.dtype.kind in "iu":
                one &= one.dtype.type(0x7F)
        self._narrow = ["address_space(3)" in kind or "address_space(5)" in kind for kind in kinds]
        self._first = [one.copy() for one in self.values]
        self.out: NDArray[np.uint8] = np.zeros(_ROOM, np.uint8)

    @staticmethod
    def _is_memory(kind: str) -> bool:
        return is_pointer(kind) or kind == "__amdgpu_buffer_rsrc_t"

    def run(self, machine: Machine, target: str, code: Code, vectors: Vectors) -> bytes:
        """Return all memory that the kernel leaves. Raises `ExecutionError`."""
        for value, first in zip(self.values, self._first, strict=True):
            value[...] = first
        self.out[:] = 0
        addresses = [0 if narrow else one.ctypes.data for one, narrow in zip(self.values, self._narrow, strict=True)]
        kernarg = np.array([self.out.ctypes.data, *addresses, *[0] * 64], np.uint64)
        state = _state(target, self.wave, code.descriptor, kernarg.ctypes.data)
        machine.execute(target, code.text, state, vectors, keeps_registers=False)
        left = b"".join(one.tobytes() for one in (self.out, *self.values, state.local))
        for value, first in zip(self.values, self._first, strict=True):
            value[...] = first
        return left


def _state(target: str, wave: int, descriptor: bytes, kernarg: int) -> State:
    """Return the registers that a kernel begins with."""
    state = State(wave)
    state.vectors[0] = np.arange(wave)
    state.local = np.random.default_rng(1).integers(0, 256, 4096, np.uint8)
    state.private = np.zeros((wave, _PRIVATE), np.uint8)
    resources, properties = struct.unpack_from("<I", descriptor, 48)[0], struct.unpack_from("<H", descriptor, 56)[0]
    state.mode = resources >> 12 & 0xFF
    if not target.startswith("gfx12"):
        state.mode |= (resources >> 21 & 1) << 8 | (resources >> 23 & 1) << 9
    place = 0
    for bit, count in ((1, 4), (2, 2), (4, 2), (8, 2)):
        if properties & bit:
            if bit == 8:
                state.scalars[place], state.scalars[place + 1] = kernarg & 0xFFFFFFFF, kernarg >> 32
            place += count
    return state


def _values(rng: np.random.Generator, kind: str, wave: int, is_small: bool) -> Array:
    """Return values of a type, one for each lane; a row for each if it is a vector."""
    match = _VECTOR.fullmatch(kind)
    count, base = (int(match[1]), match[2]) if match else (1, kind)
    dtype = np.dtype(_KINDS[base.removeprefix("const ").strip()])
    shape = (wave, 4 if count == 3 else count)
    if dtype.kind == "f":
        numbers = (
            rng.uniform(0.1, 4, shape) if is_small else rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4, shape)
        )
        found = numbers.astype(dtype)
        if not is_small:
            edges = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.finfo(dtype).tiny], dtype)
            found = np.where(rng.integers(0, 4, shape) == 0, rng.choice(edges, shape), found)
    elif dtype.kind == "b":
        found = rng.integers(0, 2, shape).astype(bool)
    else:
        bits = rng.integers(0, 256, (*shape, dtype.itemsize), np.uint8).view(dtype)[..., 0]
        found = np.where(rng.integers(0, 3, shape) == 0, (bits & 0x3F).astype(dtype), bits)
    return np.ascontiguousarray(found if match else found[:, 0])
