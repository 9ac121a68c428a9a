"""Shuffles, votes and match, for the number of lanes the source assumes, on wavefronts of 32 and of 64.

HIP's functions work on a whole wavefront. Where the source assumes 32 lanes (`hipport.translate.dataflow.lanes`),
shuffles get a width of 32, and votes become those of `hipport/compat/lanes.h`, whose masks have one bit for each of 32
lanes. Where it assumes `warpSize` lanes, names are mapped by the tables, and the bits of a mask are counted over all
64.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic
from hipport.files.facts import Kind
from hipport.mappings.life import release
from hipport.source import Edit, Replace, Span, Wrap
from hipport.translate.dataflow import cross_lane as functions
from hipport.translate.dataflow.flow import cast_type
from hipport.translate.dataflow.function import Function, called, text_of
from hipport.translate.passes.insertion import include
from hipport.translate.references import Reference
from hipport.translate.syntax.brackets import skip_blanks, skip_blanks_back
from hipport.translate.syntax.calls import call_of
from hipport.translate.syntax.definitions import definition_at
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

HEADER = "hipport/compat/lanes.h"

_VOTES = {
    "__ballot": "ballot",
    "__any": "any",
    "__all": "all",
    "__ballot_sync": "ballot",
    "__any_sync": "any",
    "__all_sync": "all",
    "__activemask": "activemask",
    "__match_any_sync": "match_any",
    "__match_all_sync": "match_all",
}
_WORDS = functions.CROSS_LANE | functions.COALESCED
_WRAPS = (6,)  # first ROCm release whose `__shfl` takes its lane modulo the width
_WARP = 32
_WIDTH = re.compile(r"(?:::)?(?:[A-Za-z_]\w*(?:::|\.|->))*[A-Za-z_]\w*")
_FIXED = re.compile(r"\s*(?:0[xX]0+|0)[uU]?\s*")
_REDUCED = re.compile(r"(?:[%]\s*[A-Za-z_]\w*|&\s*\(\s*[A-Za-z_]\w*\s*-\s*1\s*\))\s*\)?\s*\Z")
"""Matches a lane that is reduced modulo a name."""
_OPERATORS = {"+", "-", "^", "|"}
_POSITIONS = frozenset({"__ffs", "__ffsll", "__clz", "__clzll", "__fns"})
"""Functions that return the position of a bit."""
"""Operators whose result may be beyond the width if an operand is."""
_MATCH = frozenset({"__match_any_sync", "__match_all_sync"})
JUDGED = frozenset(_VOTES)
"""Names whose lane masks are covered by HP201 to HP203, which say more than a note could."""

WIDE = {"__popc": "__popcll", "__ffs": "__ffsll"}
"""32-bit functions with the same result as their 64-bit counterparts if the upper bits are 0."""
_WIDE_TYPE = "unsigned long long"
WORDS = (_WORDS,)


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Translate cross-lane functions that the tables alone would get wrong."""
    present = work.unit.words & _WORDS
    if is_hip(work):
        return
    first_use = None
    for name, span in _places(work, present & functions.CROSS_LANE):
        if _keeps_mask(work, name, span):
            continue
        if name in functions.SHUFFLES or name in functions.SHUFFLES_SYNC:
            yield from _shuffle(work, name, span)
        elif name in _VOTES and not _by_tables(work, name, span):
            yield Replace(span.start, span.end, f"hipport::{_namespace(work, span)}::{_VOTES[name]}")
            first_use = span.start if first_use is None else first_use
    if first_use is not None:
        yield from include(work, (HEADER,), first_use)
    yield from _wide_counts(work)
    yield from _narrowed_in_braces(work)


def takes_over(work: Work, reference: Reference) -> bool:
    """Return whether this pass translates a reference, so that the tables must not."""
    name = reference.entry.name
    if is_macro_name(work, reference.span):
        return False
    if _keeps_mask(work, name, reference.span):
        return True
    return name in _VOTES and not is_hip(work) and not _by_tables(work, name, reference.span)


def _keeps_mask(work: Work, name: str, span: Span) -> bool:
    """Return whether a call keeps its mask; without it, an NVIDIA GPU would have to query the active lanes."""
    if not work.context.options.lane_masks or not name.endswith("_sync"):
        return False
    return name in functions.SHUFFLES_SYNC or (name in _VOTES and _by_tables(work, name, span))


def is_hip(work: Work) -> bool:
    """Return whether a file is already HIP, so that its `__shfl` and `__ballot` are HIP's."""
    notes = work.unit.notes
    if "is HIP" not in notes:
        notes["is HIP"] = work.unit.source.name.endswith(".hip") or _includes_hip(work.unit)
    found: bool = notes["is HIP"]
    return found


def _includes_hip(unit: Unit) -> bool:
    from hipport.translate.syntax.includes import includes

    return any(
        include.operand.startswith(("hip/", "hipport/")) and platform_at(unit, include.span.start) is not Platform.AMD
        for include in includes(unit)
    )


def _places(work: Work, present: frozenset[str]) -> Iterator[tuple[str, Span]]:
    """Yield where these functions are CUDA's: from the references, or by the code around names that HIP shares."""
    referred = {reference.span.start for reference in work.references.found}
    active = work.context.tables.active
    for name, offset in work.unit.occurrences(present):
        span = Span(offset, offset + len(name))
        is_cuda = offset in referred or (name not in active and _is_called(work, name, span))
        if is_cuda and not is_macro_name(work, span) and platform_at(work.unit, offset) is Platform.ANY:
            yield name, span


def is_macro_name(work: Work, span: Span) -> bool:
    """Return whether a preprocessor line defines or tests a name as a macro's."""
    line = work.unit.directive_at(span.start)
    return line is not None and (line.kind is not DirectiveKind.DEFINE or span.start < line.body.start)


def _is_called(work: Work, name: str, span: Span) -> bool:
    code = work.unit.code
    before = code[max(0, skip_blanks_back(code, span.start) - 2) : skip_blanks_back(code, span.start)]
    opening = skip_blanks(code, span.end)
    if code[opening : opening + 1] != "(" or before in ("::", "->", "##") or before.endswith("."):
        return False
    return name not in work.told(Kind.NAME) and not any(
        definition_at(work.unit, name, offset, work.context.tables.known.__contains__)
        for _, offset in work.unit.occurrences(frozenset({name}))
    )


def _by_tables(work: Work, name: str, span: Span) -> bool:
    """Return whether the tables' translation of a vote is correct."""
    from hipport.translate.dataflow.lanes import Lanes

    if work.warps.at(_call_node(work, span), span.start) is Lanes.WAVEFRONT:
        return name not in _MATCH or release(work.context.tables.releases.rocm) >= (7,)
    return _only_32(work) and name not in _MATCH and _has_full_mask(work, name, span)


def _has_full_mask(work: Work, name: str, span: Span) -> bool:
    call = call_of(work.unit, span)
    if call is None or not name.endswith("_sync") or not call.arguments:
        return call is not None
    return work.flow.constants.text(call.arguments[0]) in (0xFFFFFFFF, -1)


def _namespace(work: Work, span: Span) -> str:
    from hipport.translate.dataflow.lanes import Lanes

    whole = work.warps.at(_call_node(work, span), span.start) is Lanes.WAVEFRONT
    return "wavefront" if whole else "warp32"


def _shuffle(work: Work, name: str, span: Span) -> Iterator[Edit]:
    """Add the width or wrap the lane: without a width, CUDA means 32 lanes and HIP the whole wavefront."""
    from hipport.translate.dataflow.lanes import Lanes

    call = call_of(work.unit, span)
    given = len(call.arguments) - (2 if name in functions.SHUFFLES_SYNC else 1) if call is not None else 0
    if call is None or given not in (1, 2):
        return
    logical = work.warps.at(_call_node(work, span), span.start) is Lanes.LOGICAL_32
    width = work.flow.constants.text(call.arguments[-1]) if given == 2 else 32 if logical else None
    if name in ("__shfl", "__shfl_sync") and width is not None:
        yield from _wrapped_lane(work, call.arguments[-given], width)
    elif name in ("__shfl", "__shfl_sync") and given == 2:
        yield from _wrapped_by_name(work, call.arguments[-2], call.arguments[-1])
    if given == 1 and logical and not _only_32(work):
        end = call.arguments[-1].end
        yield Replace(end, end, ", 32")


def _wrapped_lane(work: Work, lane: Span, width: int) -> Iterator[Edit]:
    """Mask the lane: CUDA takes it modulo the width; HIP before 6.0 reads from the next group if it is beyond."""
    if release(work.context.tables.releases.rocm) >= _WRAPS or width not in (2, 4, 8, 16, 32):
        return
    node, function = work.unit.node_at(lane), work.flow.function_at(lane.start)
    if node is not None and function is not None and _may_leave(work, node, function, width):
        yield Wrap(lane.start, lane.end, "(", f") & {width - 1}")


def _wrapped_by_name(work: Work, lane: Span, width: Span) -> Iterator[Edit]:
    """Mask the lane by a width that is no constant here, such as a parameter of a template."""
    if release(work.context.tables.releases.rocm) >= _WRAPS:
        return
    name, written = work.unit.original(width).strip(), work.unit.original(lane)
    if _WIDTH.fullmatch(name) and name != "warpSize" and not _FIXED.fullmatch(written) and not _REDUCED.search(written):
        yield Wrap(lane.start, lane.end, "int(", f") & (int({name}) - 1)")


def _may_leave(work: Work, lane: Node, function: Function, width: int) -> bool:
    """Return whether a lane may exceed the width: a thread's index, an expression of one, a sum, or such a constant.

    A sum with a bit position in it (`__ffs(mask) - 1`) is in range, and so are calls for a width of 32, and variables
    that are set to no sum.
    """
    from hipport.translate.dataflow.origins import is_thread_index

    constant = work.flow.constant(lane, function)
    if constant is not None:
        return not 0 <= constant < width
    if is_thread_index(work.flow, lane, function):
        return True
    if _is_reduced(work, lane, function, width):
        return False
    operator = lane.child_by_field_name("operator") if lane.type == "binary_expression" else None
    if width < _WARP:
        return True
    if operator is None or operator.type not in _OPERATORS:
        return _is_set_to_sum(work, lane, function, width)
    parts = [*work.flow.leaves(lane, function, _OPERATORS)]
    if operator.type in ("+", "-"):
        return not any(part.type == "call_expression" and called(part) in _POSITIONS for part in parts)
    return any(is_thread_index(work.flow, part, function) for part in parts)


def _is_set_to_sum(work: Work, lane: Node, function: Function, width: int) -> bool:
    """Return whether a lane is a variable that is set to a sum which may exceed the width."""
    variable = function.variable(text_of(lane), lane.start_byte) if lane.type == "identifier" else None
    values = variable.values if variable is not None else ()
    return any(value.type == "binary_expression" and _may_leave(work, value, function, width) for value in values)


def _is_reduced(work: Work, lane: Node, function: Function, width: int) -> bool:
    """Return whether a lane is a remainder or a bitwise and with a constant that keeps it below the width."""
    while lane.type == "parenthesized_expression" and lane.named_child_count == 1:
        lane = lane.named_children[0]
    operator, right = lane.child_by_field_name("operator"), lane.child_by_field_name("right")
    if lane.type != "binary_expression" or operator is None or right is None or operator.type not in ("&", "%"):
        return False
    constant = work.flow.constant(right, function)
    return constant is not None and 0 <= constant < width + (operator.type == "%")


def _wide_counts(work: Work) -> Iterator[Edit]:
    """Count 64 bits in `__popc(__ballot_sync(m, p))` where the ballot becomes HIP's, which always has 64 bits."""
    if not work.unit.words & WIDE.keys():
        return
    from hipport.translate.dataflow.masks import counted_ballots

    for counted in counted_ballots(work.flow, frozenset(WIDE)):
        if counted.safe and (_is_whole(work, counted.ballots[0]) or (counted.direct and _only_32(work))):
            yield Replace(counted.name.start, counted.name.end, WIDE[counted.function])
            if counted.function == "__ffs" and not counted.wide:  # HIP has overloads for two types of 64 bits only
                argument = counted.argument
                yield Wrap(argument.start_byte, argument.end_byte, f"static_cast<{_WIDE_TYPE}>(", ")")


def _narrowed_in_braces(work: Work) -> Iterator[Edit]:
    """Cast ballots of 64 bits in braces to the 32 bits of what they initialize: it is reported, but has to compile."""
    if work.unit.words.isdisjoint(functions.BALLOTS | functions.COALESCED):
        return
    from hipport.translate.dataflow.narrow import kept_ballots

    for function in work.flow.functions(functions.BALLOTS | functions.COALESCED):
        for kept in kept_ballots(work.flow, function):
            wide = any(_is_whole(work, ballot) for ballot in kept.ballots) or _only_32(work)
            if kept.braced and wide and not cast_type(kept.value):
                yield Wrap(kept.value.start_byte, kept.value.end_byte, "static_cast<unsigned>(", ")")


def _is_whole(work: Work, call: Node) -> bool:
    from hipport.translate.dataflow.lanes import Lanes

    return work.warps.at(call, call.start_byte) is Lanes.WAVEFRONT


def _only_32(work: Work) -> bool:
    return work.context.options.wave_size == 32


def _call_node(work: Work, span: Span) -> Node | None:
    """Return the innermost call around a range, if no block is between them."""
    call, block = (work.unit.enclosing(span, kind) for kind in ("call_expression", "compound_statement"))
    return call if call is None or block is None or block.start_byte < call.start_byte else None
