"""New `#include` lines for hipport's own headers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport import lazy_re as re
from hipport.files.inclusion import IN_CODE
from hipport.source import Edit, Replace, Wrap
from hipport.translate.passes.runtime_include import SUPPORT, missing_runtime
from hipport.translate.syntax.includes import includes
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.prologue import guard_branch, insertion_point, line_after
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work


def include(work: Work, headers: Iterable[str], first_use: int) -> Iterator[Edit]:
    """Include each header once: after the includes that open the file, or where the first one would go.

    `first_use` is the offset before which they must come. A file that others include in their code gets none: they do.
    """
    if work.is_told(IN_CODE):
        return
    newline = work.unit.source.newline
    lines = "".join(f"#include <{header}>{newline}" for header in sorted(set(headers) - _present(work)))
    if not lines:
        return
    opening = list(_opening_includes(work, first_use))
    if not opening:
        at = insertion_point(work.unit)
        blank = newline if at.blank_after else ""
        if missing_runtime(work) is None:
            yield Replace(at.offset, at.offset, lines + blank)
        elif lines.startswith(f"#include <{SUPPORT}"):  # these include the runtime themselves
            yield Replace(at.offset, at.offset, lines)
        else:  # behind the insertion of the runtime at the same place
            yield Wrap(at.offset, at.offset, lines, "")
        return
    end = line_after(work.unit, opening[-1].span.end)
    if end:
        yield Replace(end, end, lines)
    else:
        yield Replace(len(work.unit.source.text), len(work.unit.source.text), newline + lines)


def _present(work: Work) -> set[str]:
    """Return the headers that the translation includes unconditionally, as written or as mapped from CUDA's."""
    guard = guard_branch(work.unit)
    tables = work.context.tables.headers
    operands = {i.operand for i in includes(work.unit) if i.directive.branch == guard}
    found = (tables.get(operand) for operand in operands)
    return operands | {header.hip for header in found if header is not None and header.hip}


def _opening_includes(work: Work, before: int) -> Iterator[Directive]:
    """Yield the unconditional `#include` lines preceded only by comments and other preprocessor lines.

    They end at a macro that could change what a header declares.
    """
    unit, guard = work.unit, guard_branch(work.unit)
    hip = {line.directive.span.start for line in includes(unit) if line.operand in work.context.tables.headers}
    end, runtime_seen = 0, False
    for line in unit.directives:
        if line.span.start >= before or unit.code[end : line.span.start].strip():
            return
        end = line.span.end
        if line.kind is DirectiveKind.INCLUDE and line.branch == guard:
            runtime_seen |= line.span.start in hip
            yield line
        elif line.kind is DirectiveKind.DEFINE and _is_in_reach(unit, line, after_runtime=runtime_seen):
            return


_HARMLESS = re.compile(r"_\w+|[A-Z][A-Z\d_]{3,}")
"""Matches names of macros that no header uses as names of its own."""


def _is_in_reach(unit: Unit, line: Directive, *, after_runtime: bool) -> bool:
    """Return whether a macro may change a header: any, once HIP's are included; before, those called like code."""
    is_guard = not unit.code[line.body.start : line.body.end].strip()
    return not is_guard and (after_runtime or _HARMLESS.fullmatch(line.name) is None)
