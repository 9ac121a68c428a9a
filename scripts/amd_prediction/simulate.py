"""Simulate wavefronts on the SIMDs of one unit: instructions issue in order, loads take time and share bandwidth.

What is modelled: one instruction at a time for each SIMD and kind of unit, results that are late, counters of
outstanding loads, barriers, the bandwidths of memory, first cache and LDS. What is not: instruction fetch, cache hits
(each load has the latency of memory), banks of registers, and the other units, which only take their share of the
memory's bandwidth.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from scripts.amd_prediction.assembly import Instruction
from scripts.amd_prediction.machine import SIMDS, Machine


@dataclass(frozen=True, slots=True)
class Share:
    """A unit's share of what all units use. `memory`: bytes of memory a cycle; `from_memory`: bytes from memory for
    each byte that loads and stores ask for; `conflicts`: cycles of the LDS for each cycle without bank conflicts."""

    memory: float
    from_memory: float = 1.0
    conflicts: float = 1.0


@dataclass(slots=True)
class _Wave:
    simd: int
    block: int
    at: int = 0
    ready: dict[str, float] = field(default_factory=dict)
    loads: deque[float] = field(default_factory=deque)
    locals: deque[float] = field(default_factory=deque)


@dataclass(frozen=True, slots=True)
class Simulated:
    """The cycles until all wavefronts have ended, and those in which each unit of the busiest SIMD worked."""

    cycles: float
    busy: dict[str, float]


class _Unit:
    def __init__(self, machine: Machine, share: Share) -> None:
        self.machine, self.share = machine, share
        self.ports = [dict.fromkeys(("vector", "matrix", "scalar", "lds", "load", "branch"), 0.0) for _ in range(SIMDS)]
        self.busy = [dict.fromkeys(("vector", "matrix", "scalar"), 0.0) for _ in range(SIMDS)]
        self.lds = self.l1 = self.memory = 0.0
        self.lds_busy = self.l1_busy = self.memory_busy = 0.0

    def local(self, start: float, size: float) -> float:
        """Return when the LDS has moved bytes."""
        cycles = size / self.machine.lds_bytes * self.share.conflicts
        self.lds = max(self.lds, start) + cycles
        self.lds_busy += cycles
        return self.lds + self.machine.lds_latency

    def access(self, start: float, size: float) -> float:
        """Return when a load's bytes have arrived."""
        cycles = size / self.machine.l1_bytes
        self.l1 = max(self.l1, start) + cycles
        self.l1_busy += cycles
        from_memory = size * self.share.from_memory / self.share.memory
        self.memory = max(self.memory, start) + from_memory
        self.memory_busy += from_memory
        return max(self.l1, self.memory) + self.machine.latency_cycles


def simulate(traces: Sequence[Sequence[Instruction]], blocks: int, machine: Machine, share: Share) -> Simulated:
    """Run `blocks` work-groups, each with a wavefront for each trace, that start together on an empty unit."""
    unit, finished = _Unit(machine, share), 0.0
    waves = [_Wave(i % SIMDS, i // len(traces)) for i in range(blocks * len(traces))]
    arrived: list[list[int]] = [[] for _ in range(blocks)]
    alive = [len(traces)] * blocks
    queue = [(0.0, i) for i in range(len(waves))]
    while queue:
        now, number = heapq.heappop(queue)
        wave, trace = waves[number], traces[number % len(traces)]
        if wave.at == len(trace):
            finished = (
                max(finished, now, *wave.loads, *wave.locals) if wave.loads or wave.locals else max(finished, now)
            )
            alive[wave.block] -= 1
        elif trace[wave.at].unit == "barrier":
            arrived[wave.block].append(number)
        else:
            after = _issue(unit, wave, trace, now)
            heapq.heappush(queue, (after, number))
            continue
        if len(arrived[wave.block]) == alive[wave.block]:
            for other in arrived[wave.block]:
                waves[other].at += 1
                heapq.heappush(queue, (now + machine.cadence, other))
            arrived[wave.block].clear()
    most = {name: max(busy[name] for busy in unit.busy) for name in unit.busy[0]}
    return Simulated(finished, {**most, "lds": unit.lds_busy, "l1": unit.l1_busy, "memory": unit.memory_busy})


def _issue(unit: _Unit, wave: _Wave, trace: Sequence[Instruction], now: float) -> float:
    """Issue a wavefront's next instruction, unless it has to wait. Return when to come back to the wavefront."""
    machine, op = unit.machine, trace[wave.at]
    if op.unit in ("wait", "none"):
        wave.at += 1
        return _waited(wave, op, now) + max(op.idle, 1 if op.unit == "wait" else 0) * machine.cadence
    ready = wave.ready
    start = now
    for name in op.reads:
        at = ready.get(name, 0.0)
        if at > start:
            start = at
    kind = _PORTS[op.unit]
    ports = unit.ports[wave.simd]
    start = max(start, ports[kind])
    if start > now:
        return start
    cycles, done = _performed(unit, wave, op, now)
    ports[kind] = now + cycles
    if op.unit == "matrix":
        ports["vector"] = now + (machine.vector_cycles if machine.matrix_apart else cycles)
    elif op.unit == "vector" and not machine.matrix_apart:
        ports["matrix"] = now + cycles
    for name in op.writes:
        ready[name] = done
    wave.at += 1
    is_taken = op.unit == "branch" and wave.at < len(trace) and trace[wave.at].address != op.address + 4
    return now + (machine.branch_cycles if is_taken else machine.cadence)


_PORTS = {
    "vector": "vector",
    "matrix": "matrix",
    "scalar": "scalar",
    "scalar load": "scalar",
    "lds": "lds",
    "load": "load",
    "store": "load",
    "branch": "branch",
}


def _performed(unit: _Unit, wave: _Wave, op: Instruction, now: float) -> tuple[float, float]:
    """Return how many cycles an instruction keeps its port busy, and when its result can be used."""
    machine, busy = unit.machine, unit.busy[wave.simd]
    if op.unit == "vector":
        cycles = machine.slow_cycles if op.slow else machine.vector_cycles
        busy["vector"] += cycles
        return cycles, now + (machine.slow_latency if op.slow else machine.vector_latency)
    if op.unit == "matrix":
        matrix = machine.matrix_cycles(op.operations, op.kind)
        busy["matrix"] += matrix
        return matrix, now + matrix + machine.vector_latency
    if op.unit in ("scalar", "branch"):
        busy["scalar"] += machine.cadence
        return machine.cadence, now + machine.scalar_latency
    if op.unit == "scalar load":
        done = now + machine.scalar_load_latency
        wave.locals.append(done)
        return machine.cadence, 0.0  # the compiler waits for it
    if op.unit == "lds":
        wave.locals.append(unit.local(now, op.bytes * machine.lanes))
        return machine.cadence, 0.0
    done = unit.access(now, op.bytes * machine.lanes)
    if op.unit == "load":
        wave.loads.append(done)
    return machine.cadence, 0.0


def _waited(wave: _Wave, op: Instruction, now: float) -> float:
    for counter, left in op.left:
        queue = wave.loads if counter == "vmcnt" else wave.locals
        while len(queue) > left:
            now = max(now, queue.popleft())
    return now


def unlimited() -> Share:
    """Return a share of memory whose bandwidth is without limit."""
    return Share(math.inf)
