"""CUB's scans of blocks and warps that hipCUB lacks: inclusive with an initial value, exclusive of a block without one.

`hipport/compat/cub_scans.h` has classes with all of CUB's, which files use that may call these. Which ones they call is
seen from the arguments: `scan.InclusiveScan(in, out, 0, Max())` has an initial value, `scan.InclusiveScan(in, out,
Max(), total)` has none.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport.mappings.life import release
from hipport.source import Edit, Replace, Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.cub_warps import NAMESPACE, is_brought_by_header, occurrences
from hipport.translate.passes.insertion import include
from hipport.translate.syntax.brackets import skip_blanks_back
from hipport.translate.syntax.calls import call_of
from hipport.translate.work import Work

_HEADER = "hipport/compat/cub_scans.h"
_BLOCKS, _WARPS = frozenset({"BlockScan"}), frozenset({"WarpScan"})
_INCLUSIVE, _EXCLUSIVE = frozenset({"InclusiveScan"}), frozenset({"ExclusiveScan"})
_SEEDED = release("7.0.0")
"""The release since which `InclusiveScan` takes an initial value."""
WORDS = (frozenset({NAMESPACE}), _BLOCKS | _WARPS, _INCLUSIVE | _EXCLUSIVE)


def run(work: Work) -> Iterator[Edit]:
    """Name the classes that have all scans, where one is called that hipCUB's may lack."""
    names = _lacking(work)
    if not names or is_hip(work):
        return
    places = [place for place in occurrences(work, names) if _is_template(work, place[2])]
    for name, start, span in places:
        is_bare = start == span.start and is_brought_by_header(work, name)
        yield Replace(span.start, span.end, f"{'hipcub::' if is_bare else ''}Cub{name}")
    if places:
        yield from include(work, [_HEADER], places[0][1])


def _lacking(work: Work) -> frozenset[str]:
    """Return the names of the classes whose members may be called as hipCUB's may not."""
    names: frozenset[str] = frozenset()
    if release(work.context.tables.releases.rocm) < _SEEDED and any(
        _may_have_value(arguments) for arguments in _calls(work, _INCLUSIVE)
    ):
        names |= _BLOCKS | _WARPS
    if any(not _must_have_value(arguments) for arguments in _calls(work, _EXCLUSIVE)):
        names |= _BLOCKS
    return names


def _calls(work: Work, names: frozenset[str]) -> Iterator[list[str]]:
    """Yield the arguments of calls of members by these names."""
    code = work.unit.code
    for name, offset in work.unit.occurrences(names):
        if code[skip_blanks_back(code, offset) - 1] in ".>":
            call = call_of(work.unit, Span(offset, offset + len(name)))
            if call is not None:
                yield [code[each.start : each.end].strip() for each in call.arguments]


def _may_have_value(arguments: list[str]) -> bool:
    """Return whether `InclusiveScan` may have an initial value, which comes before the operator."""
    if len(arguments) == 4:
        return _is_made(arguments[3]) or not _is_made(arguments[2])
    return len(arguments) == 5


def _must_have_value(arguments: list[str]) -> bool:
    """Return whether `ExclusiveScan` must have an initial value; its last argument may be a functor that gives one."""
    if len(arguments) == 4:
        return _is_made(arguments[3]) or not (_is_made(arguments[2]) or arguments[2].isidentifier())
    return len(arguments) != 3


def _is_made(argument: str) -> bool:
    """Return whether an argument is an operator that is made in place: `cub::Max()`, `Plus{}`, or a lambda."""
    return argument.startswith("[") or argument.endswith(("()", "{}"))


def _is_template(work: Work, span: Span) -> bool:
    """Return whether a name is followed by template arguments, or brought in by `using cub::BlockScan;`."""
    return work.unit.code[span.end :].lstrip()[:1] in ("<", ";")
