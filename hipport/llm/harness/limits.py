"""What a device can do at most: its memory as measured, its matrix units as their maker states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hipport.llm.harness.kernel import Kernel, Limit

_PEAKS = (
    ("H200", 989e12),
    ("H100 PCIe", 756e12),
    ("H100", 989e12),
    ("A100", 312e12),
    ("L40S", 362e12),
    ("RTX 4090", 165e12),
    ("MI300X", 1307e12),
    ("MI250X", 191.5e12),
    ("MI210", 181e12),
    ("RX 7900 XTX", 122.8e12),
)
"""Products of half precision with sums of 32 bits, no sparsity, operations a second (data sheets); of an MI250X, one of
its two dies."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes a second, and operations a second if they are known."""

    read: float
    copy: float
    flops: float | None

    def fraction(self, kernel: Kernel, seconds: float, sizes: Mapping[str, int]) -> float | None:
        """Of what limits a kernel: how much it reaches."""
        work = kernel.work(sizes)
        if kernel.limit == "flops":
            return None if self.flops is None else work.flops / seconds / self.flops
        return work.bytes / seconds / (self.read if kernel.limit == "read" else self.copy)


def stated_peak(device: str) -> float | None:
    """Of the device with that name."""
    return next((peak for name, peak in _PEAKS if name in device), None)


def measured(rate: Callable[[Limit], float], device: str) -> Limits:
    """`rate` measures a bandwidth by the kernel of that name."""
    return Limits(rate("read"), rate("copy"), stated_peak(device))
