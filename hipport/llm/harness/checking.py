"""Checks a version of a kernel: correct values, no NaN, no writes outside its outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hipport.errors import HipportError
from hipport.llm.harness.binding import Arguments, Device, Memory, Version
from hipport.llm.harness.kernel import Call, Output
from hipport.llm.weights.tensors import Array

_GUARD_BYTES = 256
_GUARD = 0xA5


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of checking a call: the largest difference relative to the largest value, and the problem, if any."""

    error: float
    problem: str = ""


class _Guarded:
    """A buffer between two guard regions, which must not be written."""

    def __init__(self, device: Device, content: Array) -> None:
        self._content = content
        guard: Array = np.full(_GUARD_BYTES, _GUARD, np.uint8)
        data = np.concatenate((guard, np.ascontiguousarray(content).view(np.uint8).reshape(-1), guard))
        self._memory = Memory(device, data.nbytes)
        self._memory.write(data)
        self._bytes = data.nbytes
        self.address = self._memory.address + _GUARD_BYTES

    def after(self) -> tuple[Array, str]:
        """Return the buffer's contents, and which guard was overwritten, if any."""
        data = self._memory.read((self._bytes,), np.uint8)
        inner = data[_GUARD_BYTES:-_GUARD_BYTES]
        problem = ""
        if (data[:_GUARD_BYTES] != _GUARD).any():
            problem = "writes before the start of"
        elif (data[-_GUARD_BYTES:] != _GUARD).any():
            problem = "writes past the end of"
        return inner.copy().view(self._content.dtype).reshape(self._content.shape), problem


def check(
    device: Device, version: Version, block: int, call: Call, expected: Mapping[int, Array], tolerance: float
) -> Outcome:
    """Launch once and compare the buffers with the expected ones."""
    before = [buffer.poisoned() if isinstance(buffer, Output) else buffer for buffer in call.buffers]
    buffers = [None if content is None else _Guarded(device, content) for content in before]
    addresses = [None if buffer is None else buffer.address for buffer in buffers]
    try:
        device.launch(version, block, Arguments(call.sizes, addresses, call.numbers))
        after = [None if buffer is None else buffer.after() for buffer in buffers]
    except HipportError as error:
        return Outcome(float("inf"), str(error))
    return _judge(before, after, expected, call.scratch, tolerance)


def _judge(
    before: Sequence[Array | None],
    after: Sequence[tuple[Array, str] | None],
    expected: Mapping[int, Array],
    scratch: frozenset[int],
    tolerance: float,
) -> Outcome:
    worst = 0.0
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        if old is None or new is None:
            continue
        values, problem = new
        if problem:
            return Outcome(float("inf"), f"{problem} buffer {number}")
        if number in expected:
            outcome = compare(values, expected[number], tolerance)
            if outcome.problem:
                return Outcome(outcome.error, f"buffer {number} {outcome.problem}")
            worst = max(worst, outcome.error)
        elif number not in scratch and values.tobytes() != old.tobytes():
            return Outcome(float("inf"), f"buffer {number} is an input and was changed")
    return Outcome(worst)


def compare(values: Array, expected: Array, tolerance: float) -> Outcome:
    """Compare values with their reference. Integers must be equal; NaN and infinity are errors."""
    if values.shape != expected.shape:
        raise ValueError(f"the reference has the shape {expected.shape}, not {values.shape}")
    if values.dtype.kind != "f":
        wrong = int((values != expected).sum())
        return Outcome(float(wrong > 0), f"has {wrong} of {values.size} wrong" if wrong else "")
    bad = int((~np.isfinite(values)).sum())
    if bad:
        return Outcome(float("nan"), f"has {bad} of {values.size} that are not finite")
    error = float(np.abs(values.astype(np.float64) - expected).max() / max(float(np.abs(expected).max()), 1e-30))
    if not error <= tolerance:
        return Outcome(error, f"differs by {error:.1e} of its largest value")
    return Outcome(error)
