"""CUDA's device functions that a file overloads for types of its own: `Pair __ldcs(const Pair* address)`.

A call may mean either function, so that all keep their names. Where HIP's headers lack CUDA's under its name, a header
of hipport's supplies it beside the overload; what no header has under that name is reported.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.mappings.entry import Entry, Kind
from hipport.source import Edit, Span
from hipport.translate.dataflow.cross_lane import REDUCTIONS, SHUFFLES_SYNC, VOTES_SYNC
from hipport.translate.own_names import HOST_MATH
from hipport.translate.passes import mixed_types, vector_types
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.insertion import include
from hipport.translate.syntax.brackets import matching_close, skip_blanks
from hipport.translate.syntax.definitions import definition_at
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

_SUPPLIED = {
    **dict.fromkeys(SHUFFLES_SYNC, "hipport/compat/shuffle_overloads.h"),
    **dict.fromkeys(REDUCTIONS | VOTES_SYNC - {"__activemask"}, "hipport/compat/lane_overloads.h"),
}
_BLOCKS = "hipport/compat/block_overloads.h"
_BY_OTHERS = mixed_types.NAMES | vector_types.NAMES - {"atomicAdd_block"}
"""Names of which another pass decides whether CUDA's are needed."""
_NUMBERS = re.compile(
    r"\b(?:void|int|long|unsigned|signed|float|double|short|char|bool|size_t|u?int\d+_t|u(?:int|long|short|char)"
    r"|__half2?|half2?|__nv_bfloat162?)\b"
)
"""Matches a type for which CUDA has the function, or had it in another release."""
_TYPE = re.compile(r"\s*(?:(?:const|volatile|struct|class|typename)\s+)*(?P<type>::?[A-Za-z_][\w:]*|[A-Za-z_][\w:]*)")
_GENERIC = re.compile(r"\btemplate\s*<(?P<parameters>[^{};()]*?)>[^{};()]*\Z")
_LOOK_BACK = 500
WORDS = ()


class _Type(enum.Enum):
    """A parameter of a project's function is of a type of CUDA's, of a type of its own, or of any type."""

    NUMBER = enum.auto()
    OWN = enum.auto()
    ANY = enum.auto()


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Supply or report what calls beside an overload may mean; CUDA's compilers for NVIDIA GPUs have all functions.

    An overload for any type takes numbers, too: beside it a call of a supplied function would be ambiguous.
    """
    tables = work.context.tables.names
    names = {name for name in work.own_names & work.unit.words if name in tables and name not in _BY_OTHERS}
    if not names or is_hip(work) or work.context.options.lane_masks:
        return
    headers: dict[str, int] = {}
    generic = set[str]()
    for name, offset in work.unit.occurrences(names):
        entry = tables[name]
        types = _types(work, name, offset) if _may_be_lost(entry) else []
        header = _supplied_by(entry)
        if _Type.OWN not in types:
            generic |= {header} if _Type.ANY in types else set()
        elif header:
            headers.setdefault(header, offset)
        else:
            yield _report(work, entry, Span(offset, offset + len(name)))
    if needed := headers.keys() - generic:
        yield from include(work, needed, min(headers[header] for header in needed))


def _may_be_lost(entry: Entry) -> bool:
    """Return whether CUDA's function is not HIP's of this name."""
    if entry.name in _SUPPLIED:
        return True
    is_function = entry.kind is Kind.FUNCTION and entry.library == "device" and not entry.ordinary
    is_same = entry.hip is not None and entry.hip.name == entry.name and not entry.support
    return is_function and not is_same and not entry.overloads and entry.support not in HOST_MATH


def _supplied_by(entry: Entry) -> str:
    """Return the header that declares CUDA's function under its own name; empty if none does."""
    if entry.name in _SUPPLIED:
        return _SUPPLIED[entry.name]
    if entry.name.startswith("atomic") and entry.name.endswith("_block"):
        return _BLOCKS
    return entry.support if entry.hip is not None and entry.hip.name == entry.name else ""


def _types(work: Work, name: str, offset: int) -> list[_Type]:
    """Return the types of the parameters where a name is defined as a function that other files see."""
    unit, opening = work.unit, skip_blanks(work.unit.code, offset + len(name))
    close = matching_close(unit.code, opening) if unit.code[opening : opening + 1] == "(" else None
    if close is None or platform_at(unit, offset) is Platform.NVIDIA:
        return []
    found = definition_at(unit, name, offset, work.context.tables.known.__contains__)
    if found is None or not found.exported:
        return []
    generic = _GENERIC.search(unit.code, max(0, offset - _LOOK_BACK), offset)
    taken = frozenset(re.findall(r"\w+", generic["parameters"])) if generic is not None else frozenset()
    types = (_TYPE.match(part) for part in unit.code[opening + 1 : close].split(","))
    return [_type(each["type"], taken) for each in types if each is not None]


def _type(name: str, taken: frozenset[str]) -> _Type:
    """Tell what a type is; `taken` are the template parameters of its function."""
    if _NUMBERS.match(name):
        return _Type.NUMBER
    return _Type.ANY if name in taken else _Type.OWN


def _report(work: Work, entry: Entry, span: Span) -> Diagnostic:
    has = f"has it as {entry.hip.name}" if entry.hip is not None else "has no such function"
    message = f"calls of {entry.name} beside this overload keep the name, but HIP {has}"
    advice = "Give the overload another name, and call it by that."
    return work.report(span, "HP101", Severity.ERROR, message, advice)
