"""HP216: floating-point atomics, which compile to a compare-and-swap loop unless an option is given."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.dataflow.function import Function, Variable, text_of, walk
from hipport.translate.hazards import wavefront
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = frozenset({"atomicAdd", "atomicAdd_block", "atomicAdd_system"})
_FLOATING = re.compile(r"(?:float|double)\Z")


def run(work: Work) -> Iterator[Diagnostic]:
    """Note the first call of each function."""
    for function in wavefront.device_functions(work, WORDS):
        for call in work.warps.calls(function, WORDS):
            kind = _type(function, call)
            if kind is not None:
                message = (
                    f"atomicAdd on {kind} is a compare-and-swap loop on AMD GPUs unless -munsafe-fp-atomics is given"
                )
                advice = "Use the option if the memory is coarse-grained (not from cudaMallocManaged, not host memory)."
                yield work.report(wavefront.span(call), "HP216", Severity.NOTE, message, advice)
                break


def _type(function: Function, call: Node) -> str | None:
    """Return the floating-point type in global memory that an atomic works on; None for other types or if unknown."""
    node = wavefront.addressed(call)
    variable = function.variable(text_of(node), node.start_byte) if node is not None else None
    if variable is None or _in_shared(function, variable):  # LDS has its own floating-point atomics
        return None
    return variable.type if _FLOATING.match(variable.type) else None


def _in_shared(function: Function, variable: Variable) -> bool:
    """Return whether a variable is in shared memory, or is assigned the address of one that is."""
    if variable.shared:
        return True
    given = (part for value in variable.values for part in walk(value) if part.type == "identifier")
    sources = (function.variable(text_of(part), part.start_byte) for part in given)
    return any(source is not None and source.shared for source in sources)
