"""HP208: exchange through shared memory within a warp without a barrier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.dataflow.function import Function
from hipport.translate.hazards import wavefront
from hipport.translate.hazards.exchanges import RUNS_IN_STEP, Exchange, Exchanges, waiting_functions
from hipport.translate.hazards.helper_accesses import helpers
from hipport.translate.hazards.shared_arrays import given
from hipport.translate.hazards.warp_barriers import barriers
from hipport.translate.work import Work

WORDS = frozenset({"__shared__", "volatile"})
_ADVICE = f"Put __syncwarp() between them: then the exchange is correct on every GPU. {RUNS_IN_STEP}"
_ACROSS = f"Put __syncthreads() between them, or __syncwarp() if one warp exchanges the values. {RUNS_IN_STEP}"


def run(work: Work) -> Iterator[Diagnostic]:
    """Report the first exchange without a barrier on each array of a function."""
    functions = work.flow.device_functions
    waiting = waiting_functions(work, functions) if functions else frozenset()
    known, helping = given(work.flow, functions), helpers(work.flow, functions, waiting)
    for function in wavefront.device_functions(work, WORDS | frozenset(known.shared)):
        found: dict[str, list[Exchange]] = {}
        for exchange in Exchanges(work, function, waiting, known, helping).all():
            found.setdefault(exchange.written.array.name, []).append(exchange)
        for exchanges in found.values():
            yield _report(work, function, exchanges)


def _report(work: Work, function: Function, exchanges: Sequence[Exchange]) -> Diagnostic:
    first = exchanges[0]
    line, _ = work.unit.source.position(first.read.node.start_byte)
    message = f"'{first.written.array.name}' is written here and read at another thread's index in line {line}"
    message += " without a barrier between, as if threads ran in lockstep"
    severity = Severity.WARNING
    if first.written.array.volatile:
        message += "; volatile keeps accesses in order within a wavefront, but no compiler guarantees more"
        severity = Severity.NOTE
    within = all(exchange.within for exchange in exchanges)
    plain = all(one.shared.plain for exchange in exchanges for one in (exchange.written, exchange.read))
    fix = barriers(work, function, exchanges) if within and plain else ()
    place = wavefront.span(first.written.node)
    return work.report(place, "HP208", severity, message, _ADVICE if within else _ACROSS, fix)
