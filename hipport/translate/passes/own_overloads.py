"""CUDA's device functions that a file overloads for types of its own: `Pair __ldcs(const Pair* address)`.

A call may mean either function, so that all keep their names. Where HIP's headers lack CUDA's under its name, a header
of hipport's supplies it beside the overload; what no header has under that name is reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.mappings.entry import Entry, Kind
from hipport.source import Edit, Span
from hipport.translate.dataflow.cross_lane import REDUCTIONS, SHUFFLES_SYNC, VOTES_SYNC
from hipport.translate.passes import host_math, mixed_types, vector_types
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.insertion import include
from hipport.translate.syntax.brackets import matching_close, skip_blanks
from hipport.translate.syntax.definitions import definition_at
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

_LANES = "hipport/compat/lane_overloads.h"
_BLOCKS = "hipport/compat/block_overloads.h"
_IN_LANES = REDUCTIONS | VOTES_SYNC - {"__activemask"}
_BY_OTHERS = SHUFFLES_SYNC | mixed_types.NAMES | vector_types.NAMES - {"atomicAdd_block"}
"""Names of which another pass decides whether CUDA's are needed."""
_NUMBERS = re.compile(
    r"\b(?:void|int|long|unsigned|signed|float|double|short|char|bool|size_t|u?int\d+_t|u(?:int|long|short|char)"
    r"|__half2?|half2?|__nv_bfloat162?)\b"
)
"""Matches a type for which CUDA has the function, or had it in another release."""
_TYPE = re.compile(r"\s*(?:(?:const|volatile|struct|class|typename)\s+)*(?P<type>::?[A-Za-z_][\w:]*|[A-Za-z_][\w:]*)")
_GENERIC = re.compile(r"\btemplate\s*<(?P<parameters>[^{};()]*?)>[^{};()]*\Z")
WORDS = ()


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Supply or report what calls beside an overload may mean."""
    tables = work.context.tables.names
    names = {name for name in work.own_names & work.unit.words if name in tables and name not in _BY_OTHERS}
    if not names or is_hip(work):
        return
    headers: dict[str, int] = {}
    for name, offset in work.unit.occurrences(names):
        entry = tables[name]
        if not _may_be_lost(entry) or not _is_overload(work, name, offset):
            continue
        if header := _supplied_by(work, entry):
            headers.setdefault(header, offset)
        else:
            yield _report(work, entry, Span(offset, offset + len(name)))
    if headers:
        yield from include(work, headers, min(headers.values()))


def _may_be_lost(entry: Entry) -> bool:
    """Return whether CUDA's function is not HIP's of this name."""
    is_function = entry.kind is Kind.FUNCTION and entry.library == "device" and not entry.ordinary
    is_same = entry.hip is not None and entry.hip.name == entry.name and not entry.support
    return is_function and not is_same and not entry.overloads and entry.support not in host_math.HEADERS


def _supplied_by(work: Work, entry: Entry) -> str:
    """Return the header that declares CUDA's function under its own name; empty if none does."""
    if entry.name in _IN_LANES:
        return _LANES if not work.context.options.lane_masks else ""
    if entry.name.startswith("atomic") and entry.name.endswith("_block"):
        return _BLOCKS
    return entry.support if entry.hip is not None and entry.hip.name == entry.name else ""


def _is_overload(work: Work, name: str, offset: int) -> bool:
    """Return whether a name is defined for a type of the project's own as a function that other files see."""
    unit, opening = work.unit, skip_blanks(work.unit.code, offset + len(name))
    close = matching_close(unit.code, opening) if unit.code[opening : opening + 1] == "(" else None
    if close is None or platform_at(unit, offset) is Platform.NVIDIA:
        return False
    found = definition_at(unit, name, offset, work.context.tables.known.__contains__)
    if found is None or not found.exported:
        return False
    generic = _GENERIC.search(unit.code, max(0, offset - 500), offset)
    taken = frozenset(re.findall(r"\w+", generic["parameters"])) if generic is not None else frozenset()
    types = (_TYPE.match(part) for part in unit.code[opening + 1 : close].split(","))
    return any(each and not _NUMBERS.match(each["type"]) and each["type"] not in taken for each in types)


def _report(work: Work, entry: Entry, span: Span) -> Diagnostic:
    has = f"has it as {entry.hip.name}" if entry.hip is not None else "has no such function"
    message = f"calls of {entry.name} beside this overload keep the name, but HIP {has}"
    advice = "Give the overload another name, and call it by that."
    return work.report(span, "HP101", Severity.ERROR, message, advice)
