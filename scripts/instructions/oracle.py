"""Executes single instructions by tinygrad's emulator, whose functions come from AMD's instruction set documents.

It is in `test/mockgpu/amd` of tinygrad's repository (https://github.com/tinygrad/tinygrad), which must be on the path;
scripts/instructions/speed.py ran with commit a9069c17.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from scripts.instructions.machine import EXEC, M0, VCC, State

ARCHITECTURES = {"gfx942": "cdna", "gfx1100": "rdna3", "gfx1201": "rdna4"}
"""The oracle's names of the processors that it knows."""
_SCC = 253


class Oracle:
    """tinygrad's emulator for one processor."""

    def __init__(self, processor: str) -> None:
        from test.mockgpu.amd import emu  # type: ignore[import-not-found]

        self._emulator: Any = emu
        self._architecture = ARCHITECTURES[processor]
        self._m0 = 124 if processor.startswith("gfx9") else M0
        self._memory = emu.Buffer("CPU", 1 << 40, emu.dtypes.uint32, options=emu.BufferSpec(external_ptr=0))
        self._memory.ensure_allocated()

    def execute(self, code: bytes, state: State) -> None:
        """Change registers and memory as the instruction does. Raises what tinygrad raises if it does not know it."""
        emulator = self._emulator
        program, runtime = emulator._get_runner(code + bytes(8), self._architecture)
        wave = emulator.WaveState(state.lanes, state.lanes)
        memory = ctypes.create_string_buffer(code + bytes(8))  # fields are read from where the instruction is
        wave.pc = ctypes.addressof(memory)
        vectors = np.frombuffer(wave._vgpr_mv, np.uint32)
        scalars = np.frombuffer(wave._sgpr_mv, np.uint32)
        vectors[:] = state.vectors[:256].reshape(-1)
        scalars[:108] = state.scalars[:108]
        scalars[EXEC : EXEC + 2] = state.scalars[EXEC : EXEC + 2]
        scalars[self._m0] = state.scalars[M0]
        scalars[_SCC] = state.scc
        scalars[emulator.SCRATCH_STRIDE_IDX] = state.private.shape[1]
        pointers = [wave.sgpr_buf, wave.vgpr_buf, self._memory]
        addresses = [one._buf.va_addr for one in pointers]
        addresses += [state.local.ctypes.data, state.private.ctypes.data, wave.accvgpr_buf._buf.va_addr]
        runtime.fxn(*[ctypes.c_uint64(addresses[number]) for number in program.arg.globals])
        state.vectors[:256] = vectors.reshape(256, state.lanes)
        state.scalars[:108] = scalars[:108]
        state.scalars[EXEC : EXEC + 2] = scalars[EXEC : EXEC + 2]
        state.scc = int(scalars[_SCC])
        state.scalars[VCC + 1] = state.scalars[VCC + 1] if state.lanes == 64 else 0
