"""CUB's warps: `cub::WarpReduce<int>` is a warp of 32 lanes in CUDA, and of the whole wavefront in hipCUB.

Where the source assumes 32 lanes (`hipport.translate.dataflow.lanes`), the logical warp gets its size in writing, lane
and warp numbers become those of warps of 32, and CUB's constants become numbers. Where it uses `warpSize`, hipCUB's
default is the same, and the tables decide.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span, Wrap
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.references import Reference
from hipport.translate.syntax.brackets import skip_blanks, skip_blanks_back, split_arguments, template_close
from hipport.translate.syntax.calls import call_of
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.work import Work


class WarpTemplate(Struct, frozen=True):
    """A template with the warp's size as an argument: its place, and the arguments that it follows with defaults."""

    at: int
    least: int
    defaults: tuple[str, ...] = ()


# The same in hipCUB from 3.5 on.
TEMPLATES = {
    "WarpReduce": WarpTemplate(1, 1),
    "WarpScan": WarpTemplate(1, 1),
    "WarpExchange": WarpTemplate(2, 2),
    "WarpMergeSort": WarpTemplate(2, 2),
    "WarpLoad": WarpTemplate(3, 2, ("hipcub::WARP_LOAD_DIRECT",)),
    "WarpStore": WarpTemplate(3, 2, ("hipcub::WARP_STORE_DIRECT",)),
}
_LANES_OF_32 = {
    "LaneId": ("(", " & 31u)"),
    "WarpId": ("(", " * (warpSize / 32) + __lane_id() / 32)"),
    **{
        f"LaneMask{which}": ("static_cast<unsigned>(", " >> (__lane_id() & 32u))") for which in ("Lt", "Le", "Gt", "Ge")
    },
    "WARP_BALLOT": ("static_cast<unsigned>(", " >> (__lane_id() & 32u))"),
}
"""Functions of hipCUB that count lanes of the wavefront, and what makes them count lanes of 32."""
OF_LANES = frozenset(_LANES_OF_32)
CONSTANTS = {
    "CUB_PTX_WARP_THREADS": "32",
    "CUB_WARP_THREADS": "32",
    "CUB_PTX_LOG_WARP_THREADS": "5",
    "CUB_LOG_WARP_THREADS": "5",
}
BLOCKS = frozenset({"BlockLoad", "BlockStore"})
TRANSPOSED = "WARP_TRANSPOSE"
_BY_WARPS = re.compile(r"WARP_(?=TRANSPOSE)|_TIMESLICED\b")
_WAVEFRONT = 64
NAMESPACE = "cub"
_WORDS = frozenset({NAMESPACE, *CONSTANTS})
WORDS = (_WORDS,)
_ALIAS = re.compile(r"namespace(?<!\wnamespace)\s+(\w+)\s*=\s*(?:::\s*)?cub\s*;")
_USING_ALL = re.compile(r"using(?<!\wusing)\s+namespace\s+(?:::\s*)?cub\s*;")
_USING = re.compile(r"using(?<!\wusing)\s+(?:::\s*)?cub\s*::\s*(\w+)\s*;")
_OF_CUB = re.compile(r"\bcub\s*::\s*")
_QUALIFIER = re.compile(r"(?:\b(\w+)\s*)?::\s*\Z")


def run(work: Work) -> Iterator[Edit]:
    """Write the size of 32 where CUB's default is meant."""
    if work.context.options.wave_size == 32 or is_hip(work):
        return
    for name, start, span in occurrences(work, frozenset(TEMPLATES) | OF_LANES):
        if not is_32(work, span.start):
            continue
        if name in TEMPLATES:
            yield from _sized(work, TEMPLATES[name], span)
        elif (call := call_of(work.unit, span)) is not None:
            yield Wrap(start, call.inside.end + 1, *_LANES_OF_32[name])
    yield from _transposed(work)
    for reference in work.references.found:
        if takes_over(work, reference):
            yield Replace(reference.span.start, reference.span.end, CONSTANTS[reference.entry.name])


def _transposed(work: Work) -> Iterator[Edit]:
    """Let blocks that may be no multiple of a wavefront transpose items as a block, which has the same result.

    hipCUB rejects such blocks if warps transpose. Arguments of templates decide, so the compiler has to choose.
    """
    for _, _, span in occurrences(work, BLOCKS):
        given = arguments_of(work, span)
        if given is None or len(given[0]) != len(("type", "threads", "items", "algorithm")):
            continue
        threads, algorithm = (work.unit.code[each.start : each.end].strip() for each in given[0][1::2])
        if TRANSPOSED in algorithm and work.flow.constants.text(given[0][1]) is None:
            other = _OF_CUB.sub("hipcub::", _BY_WARPS.sub("", algorithm))
            at = skip_blanks(work.unit.code, given[0][3].start)
            yield Replace(at, at, f"({threads}) % {_WAVEFRONT} ? {other} : ")


def takes_over(work: Work, reference: Reference) -> bool:
    """Return whether a constant of CUB becomes a number here."""
    if reference.entry.name not in CONSTANTS or work.context.options.wave_size == 32 or is_hip(work):
        return False
    line = work.unit.directive_at(reference.span.start)
    named = line is not None and (line.kind is not DirectiveKind.DEFINE or reference.span.start < line.body.start)
    return not named and is_32(work, reference.span.start)


def is_32(work: Work, offset: int) -> bool:
    """Return whether the code around an offset assumes warps of 32 lanes."""
    from hipport.translate.dataflow.lanes import Lanes

    return work.warps.at(None, offset) is Lanes.LOGICAL_32


def occurrences(work: Work, names: frozenset[str]) -> Iterator[tuple[str, int, Span]]:
    """Yield where CUB's entities of these names are named: the name, the start of its qualifier, and its range."""
    code = work.unit.code
    visible = work.visible_code
    spaces = {NAMESPACE, *(match[1] for match in _ALIAS.finditer(visible))}
    everything = _USING_ALL.search(visible) is not None
    used = names if everything else frozenset(match[1] for match in _USING.finditer(visible))
    for name, offset in work.unit.occurrences(names & work.unit.words):
        end = skip_blanks_back(code, offset)
        is_qualified = code[end - 2 : end] == "::"
        qualifier = _QUALIFIER.search(code, max(0, offset - 80), offset) if is_qualified else None
        span = Span(offset, offset + len(name))
        if qualifier is not None and qualifier[1] in spaces:
            yield name, qualifier.start(1), span
        elif qualifier is None and name in used and code[skip_blanks_back(code, offset) - 1] not in ".>":
            yield name, offset, span


def is_brought_by_header(work: Work, name: str) -> bool:
    """Return whether `using cub::NAME;` is in a header alone, where another name of its counterpart is not brought."""
    is_own = _USING_ALL.search(work.visible_code) is not None or name in _USING.findall(work.unit.code)
    return not is_own and name in _USING.findall(work.visible_code)


def arguments_of(work: Work, span: Span) -> tuple[tuple[Span, ...], int] | None:
    """Return the template arguments behind a name and the offset of their `>`; None if there are none."""
    code = work.unit.code
    opening = skip_blanks(code, span.end)
    close = template_close(code, opening, len(code)) if code[opening : opening + 1] == "<" else None
    return (split_arguments(code, opening + 1, close), close) if close is not None else None


def lacks_size(work: Work, template: WarpTemplate, span: Span) -> bool:
    """Return whether the template arguments leave the warp's size to its default."""
    given = arguments_of(work, span)
    return given is not None and template.least <= len(given[0]) <= template.at


def _sized(work: Work, template: WarpTemplate, span: Span) -> Iterator[Edit]:
    given = arguments_of(work, span)
    if given is None or not lacks_size(work, template, span):
        return
    arguments, _ = given
    missing = template.defaults[len(arguments) - template.least :]
    text = "".join(f", {default}" for default in (*missing, "32"))
    yield Replace(arguments[-1].end, arguments[-1].end, text)
