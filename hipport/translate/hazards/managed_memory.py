"""HP502: managed memory, which not every AMD GPU migrates to the device."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.work import Work

WORDS = frozenset({"cudaMallocManaged", "cuMemAllocManaged"})


def run(work: Work) -> Iterator[Diagnostic]:
    """Note the first allocation of a file."""
    first = next((found for found in work.references.found if found.entry.name in WORDS), None)
    if first is not None:
        message = "managed memory migrates to the GPU only if it retries page faults (XNACK); it stays in host memory "
        message += "elsewhere"
        advice = "Set HSA_XNACK=1 on gfx90a and gfx94x. On other targets, hipMalloc and copies are faster."
        yield work.report(first.span, "HP502", Severity.NOTE, message, advice)
