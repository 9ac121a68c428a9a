"""The top of a file: license comment, include guard, `#pragma once`; and the place after it."""

from __future__ import annotations

import bisect

from msgspec import Struct

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.syntax.lexer import Branch, Directive, DirectiveKind, encloses
from hipport.translate.syntax.unit import Unit

_NOT_BLANK = re.compile(r"\S")
_GUARDS = re.compile(r"\s*(?:([A-Za-z_$][\w$]*)|\(?\s*!\s*defined\s*\(?\s*([A-Za-z_$][\w$]*))")
"""Matches the condition of `#ifndef X` and of `#if !defined(X)`."""


class InsertionPoint(Struct, frozen=True):
    """The start of a line where an `#include` can go, and whether blank lines should set it apart."""

    offset: int
    blank_before: bool
    blank_after: bool


def guard_branch(unit: Unit) -> Branch:
    """Return the branch path of code inside the include guard and no other condition; () without a guard."""
    define = _guard_define(unit)
    return define.branch if define is not None else ()


def inside_guard(unit: Unit, branch: Branch) -> Branch:
    """Return the part of a branch path inside the include guard."""
    guard = guard_branch(unit) if branch else ()
    return branch[len(guard) :] if encloses(guard, branch) else branch


def is_guarded(unit: Unit) -> bool:
    """Return whether a file is compiled once however often it is included."""
    once = (unit.code[line.body.start : line.body.end].strip() for line in unit.directives if line.word == "pragma")
    return _guard_define(unit) is not None or "once" in once


def guard_name(unit: Unit) -> str:
    """Return the macro of the include guard; empty without a guard."""
    define = _guard_define(unit)
    return define.name if define is not None else ""


def _guard_define(unit: Unit) -> Directive | None:
    """Return the `#define` of an include guard: `#ifndef X`, `#define X`, ..., `#endif` around everything."""
    if "guard" not in unit.notes:
        unit.notes["guard"] = _find_guard(unit)
    found: Directive | None = unit.notes["guard"]
    return found


def _find_guard(unit: Unit) -> Directive | None:
    lines = [line for line in unit.directives if line.word != "pragma"]
    if (
        len(lines) < 3
        or lines[0].word not in ("ifndef", "if")
        or lines[1].word != "define"
        or lines[-1].word != "endif"
    ):
        return None
    named = _GUARDS.match(unit.code, lines[0].body.start, lines[0].body.end)
    encloses_all = all(line.branch[:1] == lines[1].branch for line in lines[1:-1])
    main = unit.shadow.main
    alone = not main[: lines[0].span.start].strip() and not main[lines[-1].span.end :].strip()
    is_guard = named is not None and lines[1].name in named.groups() and encloses_all and not lines[-1].branch
    return lines[1] if is_guard and alone and lines[0].word == ("ifndef" if named and named[1] else "if") else None


def insertion_point(unit: Unit) -> InsertionPoint:
    """Return the place after the license comment, include guard or `#pragma once`, before any `#include`."""
    start = _behind_opening_lines(unit)
    first = _NOT_BLANK.search(unit.code, start)
    if first is None or unit.directive_at(first.start()) is not None:
        offset = _start_of_line(unit, first.start()) if first else len(unit.code)
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


def _start_of_line(unit: Unit, offset: int) -> int:
    """Return the start of the line of a directive, or the directive's own if a comment ends on its line."""
    start = unit.source.text.rfind(b"\n", 0, offset) + 1
    return offset if _comment_around(unit, start) else start


def _next_line(unit: Unit, offset: int) -> int:
    return line_after(unit, offset) or len(unit.code)


def line_after(unit: Unit, offset: int) -> int:
    """Return the start of the next line that is not inside a comment; 0 if there is none."""
    end = unit.source.text.find(b"\n", offset) + 1
    while end and (comment := _comment_around(unit, end)):
        end = unit.source.text.find(b"\n", comment.end) + 1
    return end


def _comment_around(unit: Unit, offset: int) -> Span | None:
    comments = unit.lexed.comments
    index = bisect.bisect_left(comments, offset, key=lambda comment: comment.start) - 1
    return comments[index] if index >= 0 and offset < comments[index].end else None
