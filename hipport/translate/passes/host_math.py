"""Detection of calls of mathematical functions from host code, where HIP has them for device code only."""

from __future__ import annotations

from hipport.translate.references import Reference
from hipport.translate.syntax.declarations import specifiers
from hipport.translate.work import Work


def may_be_hosts(work: Work, reference: Reference) -> bool:
    """Return whether a use may need the header: False if the function around it is clearly device-only."""
    unit = work.unit
    function = unit.enclosing(reference.span, "function_definition")
    body = function.child_by_field_name("body") if function is not None else None
    if function is None or body is None:
        return True
    words = specifiers(unit, function.start_byte, body.start_byte)
    return "__host__" in words or words.isdisjoint({"__global__", "__device__"})
