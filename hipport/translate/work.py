"""The input of a pass."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from hipport.diagnostics import Diagnostic, Severity
from hipport.quote import changes, quote
from hipport.source import Edit, Span
from hipport.translate.context import Context
from hipport.translate.references import References
from hipport.translate.syntax.sides import Sides
from hipport.translate.syntax.unit import Unit

if TYPE_CHECKING:
    from hipport.translate.dataflow.aggregates import Aggregates
    from hipport.translate.dataflow.conventions import Conventions
    from hipport.translate.dataflow.flow import Flow
    from hipport.translate.dataflow.lanes import Warps


class Work(Struct, frozen=True, dict=True):
    """One translation unit or header, its references to CUDA names, and its context."""

    unit: Unit
    references: References
    context: Context

    @cached_property
    def sides(self) -> Sides:
        """The code that HIP's compilers see, and that nvcc sees."""
        return Sides(self.unit)

    @cached_property
    def needed(self) -> frozenset[str]:
        """The CUDA names and headers that HIP's compilers see in the source and that it gives no meaning itself."""
        from hipport.translate.port_facts import own_needs

        return own_needs(self.unit, self.sides, self.context.tables, self.references.found)

    # Few files need these: the others should pay neither for the import nor for reading functions.
    @cached_property
    def flow(self) -> Flow:
        """Data flow of the unit's functions."""
        from hipport.translate.dataflow.constants import told_constants
        from hipport.translate.dataflow.flow import Flow
        from hipport.translate.dataflow.told import told_shapes

        return Flow(self.unit, told_constants(self.context.foreign), told_shapes(self.context.foreign))

    @property
    def asked(self) -> frozenset[str]:
        """Constants that were looked up so far and that the file does not define."""
        flow: Flow | None = self.__dict__.get("flow")  # do not create it just for this
        return frozenset(flow.constants.asked) if flow is not None else frozenset()

    @cached_property
    def aggregates(self) -> Aggregates:
        """The types that the unit declares."""
        from hipport.translate.dataflow.aggregates import Aggregates

        return Aggregates(self.unit)

    @cached_property
    def warps(self) -> Warps:
        """The warp sizes that the unit's functions assume."""
        from hipport.translate.dataflow.lanes import Warps

        return Warps(self.flow)

    @cached_property
    def conventions(self) -> Conventions:
        """The number of lanes that the unit's functions, and those of files that it includes, take a warp for."""
        from hipport.translate.dataflow.conventions import Conventions

        return Conventions(self.warps, self.context.foreign)

    def report(
        self, span: Span, code: str, severity: Severity, message: str, advice: str = "", fix: tuple[Edit, ...] = ()
    ) -> Diagnostic:
        """Return a diagnostic at the start of a range of the source; `fix` are the edits that fix it."""
        source = self.unit.source
        quoted, edits = quote(source, span), tuple(changes(source, fix))
        return Diagnostic(
            source.name, *source.position(span.start), code, severity, message, advice, fix, quoted, edits
        )
