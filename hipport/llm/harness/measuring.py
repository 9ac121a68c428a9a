"""Checks all versions of kernels and measures their speed."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from hipport.llm.harness.binding import Arguments, Device, Memory, Version
from hipport.llm.harness.checking import Outcome, check
from hipport.llm.harness.kernel import Call, Kernel, Output, Sizes
from hipport.llm.harness.limits import Limits, measured
from hipport.llm.weights.tensors import Array

_DRAWN = 3
_ENOUGH_SECONDS = 0.02
_SLOW_SECONDS = 0.1
_MOST_LAUNCHES = 200
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Launched:
    """A version of a kernel and its threads per block."""

    version: Version
    block: int


@dataclass(frozen=True, slots=True)
class Checked:
    """Check result for a version and block size: the largest error, or the problem and the sizes where it occurs."""

    launched: Launched
    error: float
    problem: str = ""
    sizes: Sizes | None = None


@dataclass(frozen=True, slots=True)
class Timed:
    """The median time of a launch. `fraction`: of the kernel's limit, if that is known."""

    launched: Launched
    seconds: float
    bytes_per_second: float
    flops_per_second: float
    fraction: float | None


def launches(device: Device, kernel: Kernel) -> list[Launched]:
    """Return all versions of a kernel with all their block sizes."""
    versions = (version for version in device.versions if version.kernel == kernel.name)
    return [Launched(version, block) for version in versions for block in version.blocks]


def check_kernel(device: Device, kernel: Kernel, more: Mapping[str, int] | None, seed: int) -> list[Checked]:
    """Check all versions at the kernel's sizes and at random ones; at `more` with the largest blocks only."""
    random = np.random.default_rng(seed)
    found = {launched: Checked(launched, 0.0) for launched in launches(device, kernel)}
    for sizes in [*kernel.checks, *(kernel.draw(random) for _ in range(_DRAWN))]:
        _check_at(device, kernel, sizes, kernel.make(random, sizes), found)
    if more:
        largest = {launched.version: launched for launched in found}
        some = {launched: found[launched] for launched in largest.values()}
        _check_at(device, kernel, more, kernel.make(random, more), some)
        found.update(some)
    return list(found.values())


def _check_at(device: Device, kernel: Kernel, sizes: Sizes, call: Call, found: dict[Launched, Checked]) -> None:
    """Check at these sizes the versions that have passed so far."""
    expected = call.expected()
    for launched, before in found.items():
        if not before.problem:
            outcome = check(device, launched.version, launched.block, call, expected, kernel.tolerance)
            found[launched] = _worse(before, outcome, sizes)


def _worse(before: Checked, outcome: Outcome, sizes: Sizes) -> Checked:
    if outcome.problem:
        return Checked(before.launched, outcome.error, outcome.problem, sizes)
    return Checked(before.launched, max(before.error, outcome.error))


def time_kernel(device: Device, kernel: Kernel, sizes: Sizes, limits: Limits) -> Iterator[Timed]:
    """Measure all versions of a kernel with all their block sizes."""
    with_memory = Prepared(device, kernel.make(np.random.default_rng(0), sizes))
    work = kernel.work(sizes)
    for launched in launches(device, kernel):
        seconds = with_memory.seconds(launched)
        fraction = limits.fraction(kernel, seconds, sizes)
        yield Timed(launched, seconds, work.bytes / seconds, work.flops / seconds, fraction)


def measure_limits(device: Device, kernels: Mapping[str, Kernel]) -> Limits:
    """Return the best bandwidths that the kernels `read` and `copy` reach, and the stated peak."""

    def rate(name: str) -> float:
        kernel = kernels[name]
        prepared = Prepared(device, kernel.make(np.random.default_rng(0), kernel.timed))
        best = min(prepared.seconds(launched) for launched in launches(device, kernel))
        return kernel.work(kernel.timed).bytes / best

    return measured(rate, device.name)


class Prepared:
    """A call with its buffers on the device."""

    def __init__(self, device: Device, call: Call) -> None:
        self._device = device
        self._memories = [self._placed(buffer) for buffer in call.buffers]
        addresses = [None if memory is None else memory.address for memory in self._memories]
        self._arguments = Arguments(call.sizes, addresses, call.numbers)

    def _placed(self, buffer: Array | Output | None) -> Memory | None:
        if buffer is None:
            return None
        content = buffer.poisoned() if isinstance(buffer, Output) else buffer
        memory = Memory(self._device, content.nbytes)
        memory.write(content)
        return memory

    def seconds(self, launched: Launched) -> float:
        """Return the median of several rounds, each long enough for the clock; for slow kernels, of one launch."""
        once = self._device.seconds(launched.version, launched.block, self._arguments, 1)
        if once > _SLOW_SECONDS:
            return once
        once = self._device.seconds(launched.version, launched.block, self._arguments, 1)
        repeat = max(1, min(_MOST_LAUNCHES, int(_ENOUGH_SECONDS / max(once, 1e-6))))
        rounds = (
            self._device.seconds(launched.version, launched.block, self._arguments, repeat) for _ in range(_ROUNDS)
        )
        return statistics.median(rounds)
