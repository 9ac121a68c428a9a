"""Add `HIPPORT_EXPORT(kernel)` after every kernel of a module, which tells a launch the kernel's parameters."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.source import Edit, Replace
from hipport.translate.for_cpu.kernels import kernels
from hipport.translate.syntax.unit import Unit


def run(unit: Unit) -> Iterator[Edit]:
    """Export the non-template kernels defined in a unit."""
    for kernel in kernels(unit):
        if kernel.body is not None and not kernel.template:
            end = kernel.body.end_byte
            yield Replace(end, end, f" HIPPORT_EXPORT({kernel.name})")
