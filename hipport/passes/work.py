"""What a rewriting step is given."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from hipport.context import Context
from hipport.diagnostics import Diagnostic, Severity
from hipport.quote import changes, quote
from hipport.references import References
from hipport.source import Edit, Span
from hipport.syntax.unit import Unit

if TYPE_CHECKING:
    from hipport.dataflow.flow import Flow
    from hipport.dataflow.lanes import Warps


@dataclass(frozen=True)
class Work:
    """One translation unit or header, its references to CUDA names, and what is known beyond it."""

    unit: Unit
    references: References
    context: Context

    # Few files need these: the others do not pay for reading functions, nor for the import.
    @cached_property
    def flow(self) -> Flow:
        """Where the values in the unit's functions come from."""
        from hipport.dataflow.constants import told_constants
        from hipport.dataflow.flow import Flow

        return Flow(self.unit, told_constants(self.context.foreign))

    @property
    def asked(self) -> frozenset[str]:
        """The constants that were wanted so far, and that the file does not define."""
        flow: Flow | None = self.__dict__.get("flow")  # not made for the question's sake
        return frozenset(flow.constants.asked) if flow is not None else frozenset()

    @cached_property
    def warps(self) -> Warps:
        """How many lanes the unit's functions take a warp to have."""
        from hipport.dataflow.lanes import Warps

        return Warps(self.flow)

    def report(
        self, span: Span, code: str, severity: Severity, message: str, advice: str = "", fix: tuple[Edit, ...] = ()
    ) -> Diagnostic:
        """A diagnostic at the start of a range of the source; `fix` are the edits that mend it."""
        source = self.unit.source
        quoted, edits = quote(source, span), tuple(changes(source, fix))
        return Diagnostic(
            source.name, *source.position(span.start), code, severity, message, advice, fix, quoted, edits
        )
