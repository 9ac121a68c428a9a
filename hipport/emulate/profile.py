"""Counts of what emulated kernels executed and moved, and the limits that follow for them on a GPU."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hipport.codeobject.model import Occupancy
from hipport.codeobject.occupancy import Demand, occupancy
from hipport.emulate.arithmetic import arithmetic, is_matrix
from hipport.emulate.fidelity import Inexact, inexact
from hipport.emulate.gpus import Gpu

_WGP_MODE = 1 << 29  # in the first word of a descriptor's resources, since gfx10
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class KernelProfile:
    """All launches of a kernel. Bytes of global memory are those that lanes asked for; `distinct_bytes` are those of
    the cache lines that they touched, each counted once for a launch: what memory has to move at least."""

    kernel: str
    target: str
    launches: int
    groups: int
    wavefront_size: int
    """Lanes of a wavefront."""
    instructions: Mapping[str, int]
    """Executions by wavefronts, by mnemonic."""
    operations: Mapping[str, float]
    """Floating-point operations by unit and type, such as "matrix f16"; of vector units, those of active lanes."""
    lanes_active: float
    """Share of the lanes that were active, over all vector instructions."""
    global_loaded: int
    global_stored: int
    global_atomic: int
    requested_lines: int
    distinct_bytes: int
    line_bytes: int
    shared_loaded: int
    shared_stored: int
    shared_accesses: int
    bank_conflicts: int
    scratch_bytes: int
    scalar_bytes: int
    matrix_share: float
    occupancy: Occupancy | None
    source_lines: Mapping[str, int]
    """Executions by source line, where the code object has line tables."""

    @property
    def executed(self) -> int:
        return sum(self.instructions.values())

    @property
    def all_operations(self) -> float:
        return sum(self.operations.values())

    @property
    def intensity(self) -> float | None:
        """Operations per byte of global memory, None without either."""
        if not self.distinct_bytes or not self.all_operations:
            return None
        return self.all_operations / self.distinct_bytes

    @property
    def main_unit(self) -> str:
        """The unit that does most operations."""
        return max(self.operations, key=lambda unit: self.operations[unit], default="")

    @property
    def inexact(self) -> list[Inexact]:
        return inexact(self.instructions)


@dataclass(frozen=True, slots=True)
class Bound:
    """The least time of a kernel's launches on a GPU, in seconds, and what sets it."""

    seconds: float
    by: str
    rate: float
    """Operations per second that are attainable, 0 without operations."""


def bound(profile: KernelProfile, gpu: Gpu) -> Bound:
    """Return the roofline bound of a kernel."""
    times = {"memory": profile.distinct_bytes / gpu.bandwidth}
    # A bank conflict costs a cycle of its compute unit, which moves 128 bytes in it.
    shared = profile.shared_loaded + profile.shared_stored + 128 * profile.bank_conflicts
    times["shared memory"] = shared / gpu.lds_bandwidth
    for unit, operations in profile.operations.items():
        if unit in gpu.peaks:
            times[unit] = operations / gpu.peaks[unit]
    by = max(times, key=lambda name: times[name])
    seconds = times[by]
    return Bound(seconds, by, profile.all_operations / seconds if seconds else 0.0)


def read(records: Iterable[Mapping[str, Any]]) -> list[KernelProfile]:
    """Return the profiles in a tool's records, the kernel with most instructions first."""
    return sorted((_profile(record) for record in records), key=lambda one: -one.executed)


def _profile(record: Mapping[str, Any]) -> KernelProfile:
    counts: Mapping[str, tuple[int, int]] = record["instructions"]
    lanes, target = int(record["wavefront"]), str(record["target"])
    executed = sum(waves for waves, _ in counts.values())
    vector = [counts[name] for name in counts if name.startswith("v_")]
    slots = lanes * sum(waves for waves, _ in vector)
    demand = Demand(
        int(record["vgprs"]),
        int(record["sgprs"]),
        int(record["lds"]),
        int(record["block"]),
        lanes,
        bool(int(record["resources1"]) & _WGP_MODE) and not target.startswith("gfx9"),
    )
    in_global, shared = record["global"], record["shared"]
    return KernelProfile(
        kernel=str(record["kernel"]),
        target=target,
        launches=int(record["launches"]),
        groups=int(record["groups"]),
        wavefront_size=lanes,
        instructions={name: waves for name, (waves, _) in counts.items()},
        operations=_operations(counts),
        lanes_active=sum(active for _, active in vector) / slots if slots else 1.0,
        global_loaded=int(in_global["loaded"]),
        global_stored=int(in_global["stored"]),
        global_atomic=int(in_global["atomic"]),
        requested_lines=int(in_global["requests"]),
        distinct_bytes=int(in_global["distinct_lines"]) * int(record["line_bytes"]),
        line_bytes=int(record["line_bytes"]),
        shared_loaded=int(shared["loaded"]),
        shared_stored=int(shared["stored"]),
        shared_accesses=int(shared["accesses"]),
        bank_conflicts=int(shared["conflicts"]),
        scratch_bytes=int(record["scratch_bytes"]),
        scalar_bytes=int(record["scalar_bytes"]),
        matrix_share=sum(waves for name, (waves, _) in counts.items() if is_matrix(name)) / executed if executed else 0,
        occupancy=occupancy(target, demand),
        source_lines={str(line): int(count) for line, count in record["lines"].items()},
    )


def _operations(counts: Mapping[str, tuple[int, int]]) -> dict[str, float]:
    found: Counter[str] = Counter()
    for name, (waves, lanes) in counts.items():
        what = arithmetic(name)
        if what is not None:
            found[what.kind] += what.operations * (lanes if what.per_lane else waves)
    return dict(found)


def to_json(profiles: Iterable[KernelProfile], gpu: Gpu | None) -> dict[str, Any]:
    """Return profiles as a JSON document, with bounds on a GPU if there is one."""
    return {
        "version": 1,
        "gpu": None if gpu is None else {"name": gpu.name, "bandwidth": gpu.bandwidth, "peaks": dict(gpu.peaks)},
        "kernels": [_kernel_json(profile, gpu) for profile in profiles],
    }


def _kernel_json(profile: KernelProfile, gpu: Gpu | None) -> dict[str, Any]:
    waves = profile.occupancy
    limit = None if gpu is None else bound(profile, gpu)
    return {
        "kernel": profile.kernel,
        "target": profile.target,
        "launches": profile.launches,
        "groups": profile.groups,
        "wavefront_size": profile.wavefront_size,
        "instructions": dict(profile.instructions),
        "operations": dict(profile.operations),
        "active_lanes": profile.lanes_active,
        "matrix_share": profile.matrix_share,
        "global_memory": {
            "loaded_bytes": profile.global_loaded,
            "stored_bytes": profile.global_stored,
            "atomic_bytes": profile.global_atomic,
            "requested_lines": profile.requested_lines,
            "line_bytes": profile.line_bytes,
            "distinct_bytes": profile.distinct_bytes,
        },
        "shared_memory": {
            "loaded_bytes": profile.shared_loaded,
            "stored_bytes": profile.shared_stored,
            "accesses": profile.shared_accesses,
            "bank_conflict_cycles": profile.bank_conflicts,
        },
        "scratch_bytes": profile.scratch_bytes,
        "scalar_bytes": profile.scalar_bytes,
        "occupancy": None
        if waves is None
        else {"waves": waves.waves, "max_waves": waves.max_waves, "limited_by": waves.limited_by},
        "inexact": [
            {"instruction": one.instruction, "executed": one.executed, "reason": one.reason} for one in profile.inexact
        ],
        "intensity": profile.intensity,
        "bound": None
        if limit is None
        else {"seconds": limit.seconds, "by": limit.by, "operations_per_second": limit.rate},
        "lines": dict(profile.source_lines),
    }


def lines(profile: KernelProfile, gpu: Gpu | None) -> Iterator[str]:
    """Yield a profile as text."""
    yield f"{profile.kernel} on {profile.target}: {_times(profile.launches)}, {profile.groups} work-groups"
    yield (
        f"  {profile.executed} instructions of wavefronts, {profile.lanes_active:.0%} of lanes active, "
        f"{profile.matrix_share:.1%} matrix instructions"
    )
    frequent = sorted(profile.instructions.items(), key=lambda item: (-item[1], item[0]))[:_SHOWN]
    yield "  " + ", ".join(f"{name} {count}" for name, count in frequent)
    yield (
        f"  global memory: {_bytes(profile.global_loaded)} loaded, {_bytes(profile.global_stored)} stored, "
        f"{_bytes(profile.distinct_bytes)} in distinct cache lines of {profile.line_bytes} bytes"
    )
    if profile.shared_accesses:
        yield (
            f"  shared memory: {_bytes(profile.shared_loaded)} loaded, {_bytes(profile.shared_stored)} stored, "
            f"{profile.bank_conflicts} cycles of bank conflicts in {profile.shared_accesses} accesses"
        )
    if profile.scratch_bytes:
        yield f"  scratch memory: {_bytes(profile.scratch_bytes)}"
    waves = profile.occupancy
    if waves is not None:
        limited = f", limited by {waves.limited_by}" if waves.limited_by else ""
        yield f"  occupancy: {waves.waves} of {waves.max_waves} waves per SIMD{limited}"
    if gpu is not None:
        limit = bound(profile, gpu)
        yield f"  on an {gpu.name}: at least {limit.seconds * 1e6:.3g} us, bound by {limit.by}"


def fidelity_lines(profiles: Iterable[KernelProfile]) -> Iterator[str]:
    """Yield which executed instructions are inexact, by kernel."""
    for profile in profiles:
        found = profile.inexact
        count = sum(one.executed for one in found)
        share = count / profile.executed if profile.executed else 0.0
        yield f"{profile.kernel} on {profile.target}: {count} of {profile.executed} instructions inexact ({share:.2%})"
        for one in found:
            yield f"  {one.instruction}, {_times(one.executed)}: {one.reason}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _bytes(count: float) -> str:
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB"
