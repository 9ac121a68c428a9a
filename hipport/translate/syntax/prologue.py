"""The top of a file: license comment, include guard, `#pragma once`; and the place after it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hipport.translate.syntax.lexer import Branch, Directive, DirectiveKind
from hipport.translate.syntax.unit import Unit

_NOT_BLANK = re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class InsertionPoint:
    """The start of a line where an `#include` can go, and whether blank lines should set it apart."""

    offset: int
    blank_before: bool
    blank_after: bool


def guard_branch(unit: Unit) -> Branch:
    """Return the branch path of code inside the include guard and no other condition; () without a guard."""
    define = _guard_define(unit)
    return define.branch if define is not None else ()


def guard_name(unit: Unit) -> str:
    """Return the macro of the include guard; empty without a guard."""
    define = _guard_define(unit)
    return define.name if define is not None else ""


def _guard_define(unit: Unit) -> Directive | None:
    """Return the `#define` of an include guard: `#ifndef X`, `#define X`, ..., `#endif` around everything."""
    lines = [line for line in unit.directives if line.word != "pragma"]
    if (
        len(lines) < 3
        or lines[0].word not in ("ifndef", "if")
        or lines[1].word != "define"
        or lines[-1].word != "endif"
    ):
        return None
    named = lines[1].name in unit.code[lines[0].body.start : lines[0].body.end]
    encloses_all = all(line.branch[:1] == lines[1].branch for line in lines[1:-1])
    return lines[1] if named and encloses_all and not lines[-1].branch else None


def insertion_point(unit: Unit) -> InsertionPoint:
    """Return the place after the license comment, include guard or `#pragma once`, before any `#include`."""
    start = _behind_opening_lines(unit)
    first = _NOT_BLANK.search(unit.code, start)
    if first is None or unit.directive_at(first.start()) is not None:
        offset = _line_start(unit, first.start()) if first else len(unit.code)
        line = unit.directive_at(first.start()) if first else None
        return InsertionPoint(offset, False, line is None or line.kind is not DirectiveKind.INCLUDE)
    offset = _behind_comment(unit, start)
    return InsertionPoint(offset, offset > start, True)


def _behind_opening_lines(unit: Unit) -> int:
    """Return the offset after the guard's `#define` and `#pragma once`; 0 if code precedes them."""
    define = _guard_define(unit)
    end = 0
    for line in unit.directives:
        once = line.word == "pragma" and unit.code[line.body.start : line.body.end].strip() == "once"
        in_guard = define is not None and line.span.start <= define.span.start
        if unit.code[end : line.span.start].strip() or not (once or in_guard):
            break
        end = line.span.end
    return _next_line(unit, end) if end else 0


def _behind_comment(unit: Unit, start: int) -> int:
    """Return the start of the line after the comments that begin the file, up to the first blank line or code."""
    end = start
    for comment in unit.lexed.comments:
        gap = unit.source.text[end : comment.start]
        if comment.start < start:
            continue
        if gap.strip() or (end > start and gap.count(b"\n") > 1):
            break
        end = comment.end
    behind = _next_line(unit, end)
    return behind if end > start and not unit.code[end:behind].strip() else start


def _line_start(unit: Unit, offset: int) -> int:
    return unit.source.text.rfind(b"\n", 0, offset) + 1


def _next_line(unit: Unit, offset: int) -> int:
    newline = unit.source.text.find(b"\n", offset)
    return len(unit.code) if newline < 0 else newline + 1
