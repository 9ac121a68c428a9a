"""What a rewriting step is given."""

from __future__ import annotations

from dataclasses import dataclass

from hipport.context import Context
from hipport.diagnostics import Diagnostic, Severity
from hipport.references import References
from hipport.source import Span
from hipport.syntax.unit import Unit


@dataclass(frozen=True, slots=True)
class Work:
    """One translation unit or header, its references to CUDA names, and what is known beyond it."""

    unit: Unit
    references: References
    context: Context

    def report(self, span: Span, code: str, severity: Severity, message: str, advice: str = "") -> Diagnostic:
        """A diagnostic at the start of a range of the source."""
        line, column = self.unit.source.position(span.start)
        return Diagnostic(self.unit.source.name, line, column, code, severity, message, advice)
