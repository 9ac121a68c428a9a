"""A type `texture` of the project's own, at file scope: HIP's headers have a template of that name.

CUDA 12 has no texture references, so that the name is free there.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.declarations import at_file_scope
from hipport.translate.work import Work

WORDS = ("texture",)
_OWN_TYPE = re.compile(
    r"\b(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+(?:alignas\([^()]*\)\s*)?(texture)\s*(?:final\s*)?[{:;]"
    r"|\}\s*(texture)\s*;|\busing\s+(texture)\s*="
)
_ABOUT = "HIP's headers have a template texture, with which a type of this name is in conflict"
_ADVICE = "Rename the type, or put it in a namespace that no using directive opens."


def run(work: Work) -> Iterator[Diagnostic]:
    """Report types at file scope that HIP has as templates."""
    unit = work.unit
    if is_hip(work):
        return
    for match in _OWN_TYPE.finditer(unit.code):
        span = Span(*match.span(match.lastindex or 0))
        if unit.directive_at(span.start) is None and at_file_scope(unit, span.start):
            yield work.report(span, "HP133", Severity.ERROR, _ABOUT, _ADVICE)
