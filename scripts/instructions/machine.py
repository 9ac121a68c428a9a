"""Executes machine code of AMD GPUs on registers, by the emulator's library."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SCALARS = 132
VECTORS = 512
VCC, M0, EXEC = 106, 125, 126
"""Numbers of scalar registers, as the emulator has them for all processors."""
_END = (0xBFB00000).to_bytes(4, "little")
_END_GFX9 = (0xBF810000).to_bytes(4, "little")


class Vectors(IntEnum):
    """The host's vector instructions for which sequences are translated, each with those before it."""

    NONE = 0
    AVX2 = 1
    AVX512 = 2


class ExecutionError(Exception):
    """An instruction that the emulator does not execute."""


class _State(ctypes.Structure):
    _fields_ = (
        ("scalars", ctypes.c_void_p),
        ("vectors", ctypes.c_void_p),
        ("local", ctypes.c_void_p),
        ("local_bytes", ctypes.c_size_t),
        ("scc", ctypes.c_uint32),
        ("mode", ctypes.c_uint32),
        ("private", ctypes.c_void_p),
        ("private_bytes", ctypes.c_size_t),
    )


@dataclass
class State:
    """The registers of a wavefront, a row of `vectors` for each, and its memory, a row of `private` for each lane.

    All lanes are active at first.
    """

    lanes: int
    scalars: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(SCALARS, np.uint32))
    vectors: NDArray[np.uint32] = field(init=False)
    local: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(1024, np.uint8))
    private: NDArray[np.uint8] = field(init=False)
    scc: int = 0
    mode: int = 0x3F0

    def __post_init__(self) -> None:
        """Set all registers to 0, and exec to all lanes."""
        self.vectors = np.zeros((VECTORS, self.lanes), np.uint32)
        self.private = np.zeros((self.lanes, 0), np.uint8)
        self.scalars[EXEC] = 0xFFFFFFFF
        self.scalars[EXEC + 1] = 0xFFFFFFFF if self.lanes == 64 else 0


_ANY_REGISTERS = 4
"""Added to the number of an instruction set for `Machine.execute`."""


class Machine:
    """The emulator's library."""

    def __init__(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library))

    @property
    def vectors(self) -> Vectors:
        """The most that this processor has."""
        return Vectors(self._library.hipport_vectors())

    def fitness(self, code: str, gpu: str) -> int:
        """Return how well code for a target fits a GPU; 0 if it does not run there."""
        return int(self._library.hipport_fitness(code.encode(), gpu.encode()))

    def best_gpu(self, *images: str) -> str:
        """Return the GPU on which a program with these images runs; each names its targets, separated by commas."""
        room = ctypes.create_string_buffer(40)
        self._library.hipport_best_gpu(";".join(images).encode(), room, ctypes.c_size_t(40))
        return room.value.decode()

    def name(self, processor: str, code: bytes) -> str:
        """Return the name of an instruction, with "!" if it is not executed; "" if the code is none."""
        return self.decoded(processor, code)[0]

    def decoded(self, processor: str, code: bytes) -> tuple[str, int]:
        """Return the name of an instruction, as `name` does, and how many bytes it has; 0 if the code is none."""
        room = ctypes.create_string_buffer(200)
        size = self._library.hipport_decode(
            processor.encode(), code, ctypes.c_size_t(len(code)), room, ctypes.c_size_t(200)
        )
        return (room.value.decode(), size) if size else ("", 0)

    def operands(self, processor: str, code: bytes) -> list[str]:
        """Return the register operands of an instruction, such as "v4:2" for v[4:5]."""
        room = ctypes.create_string_buffer(400)
        self._library.hipport_operands(processor.encode(), code, ctypes.c_size_t(len(code)), room, ctypes.c_size_t(400))
        return room.value.decode().split()

    def execute(
        self,
        processor: str,
        code: bytes,
        state: State,
        vectors: Vectors = Vectors.NONE,
        keeps_registers: bool = True,
    ) -> None:
        """Change the state as the code does. Raises `ExecutionError`.

        With `vectors`, machine code of the host that is made of the sequence is executed, as its processor allows.
        Without `keeps_registers`, registers may hold anything in the end, as in kernels.
        """
        how = int(vectors) + (_ANY_REGISTERS if vectors and not keeps_registers else 0)
        whole = code + (_END if processor >= "gfx11" and not processor.startswith("gfx9") else _END_GFX9)
        native = _State(state.scalars.ctypes.data, state.vectors.ctypes.data, state.local.ctypes.data,
                        state.local.size, state.scc, state.mode, state.private.ctypes.data,
                        state.private.shape[1])  # fmt: skip
        message = ctypes.create_string_buffer(400)
        failed = self._library.hipport_execute(
            processor.encode(), state.lanes, whole, ctypes.c_size_t(len(whole)), ctypes.byref(native), how,
            message, ctypes.c_size_t(400),
        )  # fmt: skip
        if failed:
            raise ExecutionError(message.value.decode())
        state.scc, state.mode = native.scc, native.mode
