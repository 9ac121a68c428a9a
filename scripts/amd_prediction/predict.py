"""Predict the time of a launch on a machine, and what bounds it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from hipport.llm.harness.kernel import kernels
from scripts.amd_prediction.machine import SIMDS, Machine
from scripts.amd_prediction.observe import Seen
from scripts.amd_prediction.simulate import Share, Simulated, simulate
from scripts.amd_prediction.workload import Launch

_NEAR = 0.85
"""A resource bounds a launch if it works for this share of the time; otherwise waiting does."""
_UNITS = {"vector": "vector units", "matrix": "matrix units", "scalar": "scalar units", "lds": "LDS", "l1": "L1"}


@dataclass(frozen=True, slots=True)
class Prediction:
    """Seconds of one launch. `bounds`: the least seconds by each resource alone, at its peak rate. `waits`: the seconds
    with unlimited bandwidth of memory, that is, of issue and latency."""

    seconds: float
    bounds: Mapping[str, float]
    waits: float
    waves: int
    """Wavefronts on a SIMD."""

    @property
    def bound(self) -> str:
        """The resource that bounds the launch, or "waits" if none works for most of the time."""
        name = max(self.bounds, key=lambda each: self.bounds[each])
        return name if self.bounds[name] >= _NEAR * self.seconds else "waits"

    @property
    def reached(self) -> float:
        """The share of the time in which the busiest resource works."""
        return max(self.bounds.values()) / self.seconds


@dataclass(frozen=True, slots=True)
class _Plan:
    """How a launch's work-groups are spread: those of a unit at a time, how often, and the unit's share of memory."""

    resident: int
    rounds: float
    share: Share


def predict(launch: Launch, seen: Seen, machine: Machine) -> Prediction:
    """Simulate the work-groups that a unit gets, and compare with what each resource needs at its peak."""
    plan, traces = _plan(launch, seen, machine), [seen.trace] * seen.waves
    whole = simulate(traces, plan.resident, machine, plan.share)
    free = simulate(traces, plan.resident, machine, Share(math.inf, 1.0, seen.conflicts))
    scale = plan.rounds / machine.gpu.clock
    memory = kernels()[launch.kernel].work(launch.sizes).bytes / machine.gpu.bandwidth
    return Prediction(
        seconds=whole.cycles * scale,
        bounds={"memory": memory, **_bounds(whole, scale)},
        waits=free.cycles * scale,
        waves=-(-plan.resident * seen.waves // SIMDS),
    )


def seconds(launch: Launch, seen: Seen, machine: Machine) -> float:
    """Return only the seconds of a launch."""
    plan = _plan(launch, seen, machine)
    return (
        simulate([seen.trace] * seen.waves, plan.resident, machine, plan.share).cycles * plan.rounds / machine.gpu.clock
    )


def _plan(launch: Launch, seen: Seen, machine: Machine) -> _Plan:
    phase = launch.parts is None
    groups = machine.units * launch.spread if launch.parts is None else launch.parts * seen.groups
    each = math.ceil(groups / machine.units)
    resident = 1 if phase else max(1, min(each, SIMDS * seen.fits // seen.waves))
    rounds = 1.0 if phase else max(1.0, math.ceil(each / resident))
    busy = groups if phase else min(groups / resident, machine.units)
    requested = sum(op.bytes for op in seen.trace if op.unit in ("load", "store")) * machine.lanes * seen.waves
    own = kernels()[launch.kernel].work(launch.sizes).bytes / groups
    return _Plan(resident, rounds, Share(machine.memory_bytes / max(1.0, busy), own / requested, seen.conflicts))


def _bounds(simulated: Simulated, scale: float) -> dict[str, float]:
    return {shown: simulated.busy[name] * scale for name, shown in _UNITS.items()}


def handovers(layers: int, machine: Machine) -> float:
    """Return the seconds of a step in which vectors travel between units: five times a layer, a store and a load, of
    which the load is part of the phases."""
    return 5 * layers * machine.memory_latency
