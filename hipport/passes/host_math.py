"""Which calls of mathematical functions may be of the host's, where HIP has them for device code only."""

from __future__ import annotations

from hipport.passes.work import Work
from hipport.references import Reference

HEADER = "hipport/compat/host_math.h"


def may_be_hosts(work: Work, reference: Reference) -> bool:
    """Whether a use is not seen to stand in a function for devices alone."""
    unit = work.unit
    function = unit.enclosing(reference.span, "function_definition")
    body = function.child_by_field_name("body") if function is not None else None
    if function is None or body is None:
        return True
    outer = function
    while outer.parent is not None and outer.parent.type == "template_declaration":
        outer = outer.parent
    floor = outer.prev_sibling.end_byte if outer.prev_sibling is not None else 0
    in_front = (word for word in unit.shadow.device_words if floor <= word.start < body.start_byte)
    words = {unit.code[word.start : word.end] for word in in_front if unit.directive_at(word.start) is None}
    return "__host__" in words or words.isdisjoint({"__global__", "__device__"})
