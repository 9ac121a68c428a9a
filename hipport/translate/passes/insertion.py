"""New `#include` lines for hipport's own headers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport.source import Edit, Replace
from hipport.translate.passes.includes import missing_runtime
from hipport.translate.syntax.includes import includes
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.prologue import guard_branch, insertion_point
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work


def include(work: Work, headers: Iterable[str], first_use: int) -> Iterator[Edit]:
    """Include each header once: after the includes that open the file, or where the first one would go.

    `first_use` is the offset before which they must come.
    """
    newline = work.unit.source.newline
    lines = "".join(f"#include <{header}>{newline}" for header in sorted(set(headers) - _present(work)))
    if not lines:
        return
    opening = list(_opening_includes(work.unit, first_use))
    if not opening:
        at = insertion_point(work.unit)
        runtime_follows = missing_runtime(work) is not None
        yield Replace(at.offset, at.offset, lines + (newline if at.blank_after and not runtime_follows else ""))
        return
    end = work.unit.source.text.find(b"\n", opening[-1].span.end) + 1
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


def _opening_includes(unit: Unit, before: int) -> Iterator[Directive]:
    """Yield the unconditional `#include` lines preceded only by comments and other preprocessor lines."""
    guard = guard_branch(unit)
    end = 0
    for line in unit.directives:
        if line.span.start >= before or unit.code[end : line.span.start].strip():
            return
        end = line.span.end
        if line.kind is DirectiveKind.INCLUDE and line.branch == guard:
            yield line
