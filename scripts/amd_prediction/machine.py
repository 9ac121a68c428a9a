"""The machines of the prediction (machines.toml)."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hipport.emulate.gpus import Gpu, find_gpu

FILE = Path(__file__).with_name("machines.toml")
SIMDS = 4
"""Of a compute unit of CDNA, or of a workgroup processor of RDNA."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A GPU. `units`: those that hold a work-group, which are compute units or workgroup processors. `code`: the target
    whose machine code is used. `matrix_apart`: vector operations can run during matrix operations.
    Latencies and costs are in cycles, except `memory_latency`, in seconds."""

    gpu: Gpu
    shown: str
    code: str
    lanes: int
    units_together: int
    cadence: int
    vector_cycles: int
    slow_cycles: int
    vector_latency: int
    slow_latency: int
    scalar_latency: int
    branch_cycles: int
    lds_latency: int
    scalar_load_latency: int
    load_bytes: int
    matrix_apart: bool
    memory_latency: float

    @property
    def units(self) -> int:
        return self.gpu.units // self.units_together

    @property
    def latency_cycles(self) -> float:
        return self.memory_latency * self.gpu.clock

    @property
    def memory_bytes(self) -> float:
        """Bytes a cycle of the whole GPU's memory."""
        return self.gpu.bandwidth / self.gpu.clock

    @property
    def lds_bytes(self) -> int:
        """Bytes a cycle of a unit's LDS."""
        return 128 * self.units_together

    @property
    def l1_bytes(self) -> int:
        """Bytes a cycle of a unit's first caches."""
        return self.load_bytes * self.units_together

    def matrix_cycles(self, operations: int, kind: str) -> float:
        """Return the cycles that a SIMD needs for an instruction of its matrix unit."""
        per_cycle = self.gpu.peaks[kind] / (self.gpu.units / self.units_together * SIMDS * self.gpu.clock)
        return operations / per_cycle

    def with_latency(self, factor: float) -> Machine:
        """Return the machine with another latency of memory."""
        return replace(self, memory_latency=self.memory_latency * factor)


def machines(path: Path = FILE) -> tuple[Machine, ...]:
    """Return the machines of the table."""
    tomllib = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(
        Machine(
            gpu=find_gpu(row["gpu"]),
            shown=row.get("shown", row["gpu"]),
            code=row["code"],
            memory_latency=row["memory_latency"],
            **data[row["family"]],
        )
        for row in data["machines"]
    )
