"""HP120: definitions of CUDA names for builds that lack them, which the translation does not use."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.own_names import is_adapted
from hipport.translate.syntax.compiled import is_compiled
from hipport.translate.work import Work


def run(work: Work) -> Iterator[Diagnostic]:
    """Report definitions that may be compiled, but that uses of the name no longer reach."""
    for place in work.references.substitutes:
        entry = place.entry
        unknown = is_compiled(work.unit, work.unit.branch_at(place.span.start)) is None
        if unknown and is_adapted(entry) and entry.hip is not None:
            # An intrinsic is defined for lack of it; other functions may be replaced on purpose.
            severity = Severity.NOTE if entry.name.startswith("__") else Severity.WARNING
            message = f"this definition of {entry.name} is not used: its uses call HIP's {entry.hip.name}"
            advice = "If it does not do what CUDA's does, give it a name of its own."
            yield work.report(place.span, "HP120", severity, message, advice)
