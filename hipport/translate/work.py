"""The input of a pass."""

from __future__ import annotations

from collections.abc import Set
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import FUNCTION, Fact, Kind, by_kind, read
from hipport.quote import changes, quote
from hipport.source import Edit, Span
from hipport.translate.context import Context
from hipport.translate.references import KINDS, References
from hipport.translate.syntax.sides import Sides
from hipport.translate.syntax.unit import Unit

if TYPE_CHECKING:
    from hipport.translate.dataflow.aggregates import Aggregates
    from hipport.translate.dataflow.conventions import Conventions
    from hipport.translate.dataflow.flow import Flow
    from hipport.translate.dataflow.lanes import Warps


_NOTHING: frozenset[str] = frozenset()
_OF_FLOW = frozenset({Kind.CONSTANT, Kind.SHAPE, Kind.BALLOT, Kind.WAVE_SIZE, *FUNCTION})
"""Facts that what follows values through functions is built with."""


class Work(Struct, frozen=True, dict=True):
    """One translation unit or header, its references to CUDA names, and its context.

    Passes and checks ask here, not in the context, what other files tell: `heard` has the kinds of facts that were
    asked for, since a step whose kinds nobody tells need not run again when others are told.
    """

    unit: Unit
    references: References
    context: Context

    @cached_property
    def heard(self) -> set[Kind]:
        """The kinds of facts of other files that were asked for so far, whether any were told or not."""
        return set()

    @cached_property
    def _foreign(self) -> dict[Kind, frozenset[str]]:
        return by_kind(self.context.foreign)

    @property
    def kinds_told(self) -> Set[Kind]:
        """The kinds of the facts that other files tell."""
        return self._foreign.keys()

    def told(self, kind: Kind) -> frozenset[str]:
        """Return what other files tell of a kind, as texts."""
        self.heard.add(kind)
        return self._foreign.get(kind, _NOTHING)

    def facts(self, kind: Kind) -> list[Fact]:
        """Return what other files tell of a kind."""
        return [read(text) for text in self.told(kind)]

    def is_told(self, text: str) -> bool:
        """Return whether another file tells just this."""
        return text in self.told(read(text).kind)

    @property
    def own_names(self) -> frozenset[str]:
        """The names of CUDA that the project defines itself, in this file or in those that it includes."""
        self.heard.update(KINDS)
        return self.references.exported | self.told(Kind.NAME)

    @property
    def visible_code(self) -> str:
        """The code, and behind it the declarations of included files that give names of CUDA other names."""
        self.heard.add(Kind.SAYS)
        return self._visible[0]

    @property
    def visible_words(self) -> frozenset[str]:
        """The words of the file, and of such declarations."""
        self.heard.add(Kind.SAYS)
        return self._visible[1]

    @cached_property
    def _visible(self) -> tuple[str, frozenset[str]]:
        unit = self.unit
        if Kind.SAYS not in self._foreign:
            return unit.code, unit.words
        from hipport.translate.syntax.visible_names import visible_names, words_of  # most files are told nothing

        text = visible_names(self._foreign[Kind.SAYS], unit.words)
        return (f"{unit.code}\n{text}", unit.words | words_of(text)) if text else (unit.code, unit.words)

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
    @property
    def flow(self) -> Flow:
        """Data flow of the unit's functions."""
        self.heard.update(_OF_FLOW)
        return self._flow

    @cached_property
    def _flow(self) -> Flow:
        from hipport.translate.dataflow.constants import told_constants
        from hipport.translate.dataflow.flow import Flow
        from hipport.translate.dataflow.told import told_shapes

        return Flow(self.unit, told_constants(self._facts_of_flow), told_shapes(self._facts_of_flow))

    @cached_property
    def _facts_of_flow(self) -> frozenset[str]:
        return frozenset(text for kind in _OF_FLOW & self.kinds_told for text in self._foreign[kind])

    @property
    def asked(self) -> frozenset[str]:
        """Constants that were looked up so far and that the file does not define."""
        flow: Flow | None = self.__dict__.get("_flow")  # do not create it just for this
        return frozenset(flow.constants.asked) if flow is not None else frozenset()

    @cached_property
    def aggregates(self) -> Aggregates:
        """The types that the unit declares."""
        from hipport.translate.dataflow.aggregates import Aggregates

        return Aggregates(self.unit)

    @property
    def warps(self) -> Warps:
        """The warp sizes that the unit's functions assume."""
        self.heard.update(_OF_FLOW)
        return self._warps

    @cached_property
    def _warps(self) -> Warps:
        from hipport.translate.dataflow.lanes import Warps

        return Warps(self._flow)

    @property
    def conventions(self) -> Conventions:
        """The number of lanes that the unit's functions, and those of files that it includes, take a warp for."""
        self.heard.update(_OF_FLOW)
        return self._conventions

    @cached_property
    def _conventions(self) -> Conventions:
        from hipport.translate.dataflow.conventions import Conventions

        return Conventions(self._warps, self._facts_of_flow)

    def report(
        self, span: Span, code: str, severity: Severity, message: str, advice: str = "", fix: tuple[Edit, ...] = ()
    ) -> Diagnostic:
        """Return a diagnostic at the start of a range of the source; `fix` are the edits that fix it."""
        source = self.unit.source
        quoted, edits = quote(source, span), tuple(changes(source, fix))
        return Diagnostic(
            source.name, *source.position(span.start), code, severity, message, advice, fix, quoted, edits
        )
