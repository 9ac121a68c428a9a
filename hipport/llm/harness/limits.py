"""Peak rates of a device: memory bandwidth as measured, matrix units as stated by the manufacturer."""

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
"""Half-precision matrix operations per second with 32-bit accumulation, without sparsity (data sheets); for an MI250X,
of one of its two dies."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes per second, and operations per second if known."""

    read: float
    copy: float
    flops: float | None

    def fraction(self, kernel: Kernel, seconds: float, sizes: Mapping[str, int]) -> float | None:
        """Return the fraction of its limiting rate that a kernel reaches, or None if that rate is unknown."""
        work = kernel.work(sizes)
        if kernel.limit == "flops":
            return None if self.flops is None else work.flops / seconds / self.flops
        return work.bytes / seconds / (self.read if kernel.limit == "read" else self.copy)


def stated_peak(device: str) -> float | None:
    """Return the peak operations per second of a device, or None if it is unknown."""
    return next((peak for name, peak in _PEAKS if name in device), None)


def measured(rate: Callable[[Limit], float], device: str) -> Limits:
    """Return the limits of a device; `rate` measures a bandwidth with the kernel of that name."""
    return Limits(rate("read"), rate("copy"), stated_peak(device))
