"""Every kernel of a module is followed by `HIPPORT_EXPORT(kernel)`, by which a launch knows its parameters."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.build.cpu.kernels import kernels
from hipport.source import Edit, Replace
from hipport.syntax.unit import Unit


def run(unit: Unit) -> Iterator[Edit]:
    """Export the kernels that are defined in a unit and are no templates."""
    for kernel in kernels(unit):
        if kernel.body is not None and not kernel.template:
            end = kernel.body.end_byte
            yield Replace(end, end, f" HIPPORT_EXPORT({kernel.name})")
