"""Find tests for newer GPUs without code for older ones, and functions for older ones that HIP has, too."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.syntax.brackets import skip_blanks_back
from hipport.translate.syntax.branches import Branches, branches_of
from hipport.translate.syntax.lexer import Directive
from hipport.translate.syntax.side_words import sides_in
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work


def has_no_alternative(work: Work, line: Directive, *, asks_for_new: bool) -> bool:
    """Return whether a device function would have no code: a test for newer GPUs without an alternative."""
    branches = branches_of(work.unit, line)
    if not asks_for_new or branches is None or _says_anything(work, branches):
        return False
    return _in_function(work, line) or _has_device_function(work.unit, branches.own)


_KERNEL = re.compile(r"\b__global__\b[^;{}]*\{")
_UP_TO_BODY = re.compile(r"[^;{}]*\{")


def _has_device_function(unit: Unit, span: Span) -> bool:
    """Return whether a branch has a device function with its body, which other code under the same test will call."""
    if _KERNEL.search(unit.code, span.start, span.end) is not None:
        return True
    places = (place for place, sides in sides_in(unit, span) if "__device__" in sides)
    return any(_UP_TO_BODY.match(unit.code, place, span.end) is not None for place in places)


def _in_function(work: Work, line: Directive) -> bool:
    return work.unit.enclosing(Span(line.span.start, line.span.start), "function_definition") is not None


_IDLE = re.compile(r"\b(?:assert|printf|trap|__trap|return)\b[^;]*;|[;{}\s]")


def _says_anything(work: Work, branches: Branches) -> bool:
    """Return whether the later branches do anything but report an error or return."""
    return any(_IDLE.sub("", work.unit.code[span.start : span.end]) for span in branches.others)


REDEFINES = "redefines "
_SMALL = r"(?:__)?(?:half|nv_bfloat16|hip_bfloat16)2?(?:_raw)?"
_PARAMETER = rf"\s*(?:const\s+)?{_SMALL}(?:\s+const)?(?:\s*&\s*|\s+)\w+\s*"
_DEFINED = re.compile(rf"\s*\((?=({_PARAMETER}(?:,{_PARAMETER})*))\1\)\s*(?:noexcept\s*)?\{{")
"""Matches the parameters and the brace of a function of half-precision values, which a project has no classes for."""
_DECLARES = re.compile(r"[\w>*&]\Z")
_RETURNS = re.compile(r"\breturn\Z")


def redefinitions(work: Work) -> Iterator[tuple[int, str]]:
    """Yield where functions of half-precision values have names that HIP has, too, and what is wrong with them."""
    unit, names = work.unit, work.context.tables.names
    intrinsics = frozenset(name for name in unit.words if name.startswith("__h") and name in names)
    for name, offset in unit.occurrences(intrinsics):
        counterpart = names[name].hip
        if counterpart is None or counterpart.name != name or not _DEFINED.match(unit.code, offset + len(name)):
            continue
        end = skip_blanks_back(unit.code, offset)
        before = unit.code[max(0, end - 80) : end]
        if _DECLARES.search(before) and not _RETURNS.search(before):
            yield offset, f"{REDEFINES}{name}"
