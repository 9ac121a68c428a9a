"""Collect facts about the places of `#include` lines for the files on both ends."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator

from hipport.files.inclusion import EXPANDS, IN_CODE, NEEDS, ONCE, WITHOUT_CUDA, fact
from hipport.mappings.loader import Tables
from hipport.source import Edit, Replace, Span
from hipport.translate.syntax.compiled import is_compiled, test_of
from hipport.translate.syntax.includes import Include, includes
from hipport.translate.syntax.lexer import Branch, DirectiveKind
from hipport.translate.syntax.prologue import guard_branch, is_guarded
from hipport.translate.syntax.unit import Unit

_INSIDE = frozenset(",=(|&+<?[")
"""Characters after which an expression or a list goes on."""
_INCLUDED = re.compile(r"#include <([^>\n]+)>")


def facts(unit: Unit, tables: Tables, edits: Iterable[Edit] = ()) -> Iterator[str]:
    """Yield the facts of `hipport.files.inclusion` about a file, whose translation makes these edits."""
    lines = list(includes(unit))
    yield from (fact(IN_CODE, each) for each in {line.operand for line in lines if _is_in_code(unit, line)})
    yield from (fact(EXPANDS, each) for each in {line.operand for line in lines if _is_expanded(unit, line)})
    if is_guarded(unit):
        yield ONCE
    regular = {line.operand for line in lines if not _is_without_cuda(unit, tables, lines, line)}
    yield from (fact(WITHOUT_CUDA, each) for each in {line.operand for line in lines} - regular)
    for edit in edits:
        if isinstance(edit, Replace) and edit.start == edit.end:
            yield from (fact(NEEDS, header) for header in _INCLUDED.findall(edit.text))


_BEFORE = 4000
"""Characters in front of an `#include` among which the last one of the code is looked for."""


def is_in_code(unit: Unit, line: Include) -> bool:
    """Return whether an `#include` is in braces, in a list or expression, or makes code of a list by a macro."""
    return _is_in_code(unit, line) or _is_expanded(unit, line)


def _is_in_code(unit: Unit, line: Include) -> bool:
    start = line.directive.span.start
    if unit.code.find("{", 0, start) >= 0 and unit.braces.has(Span(start, line.directive.span.end)):
        return True
    before = unit.shadow.main[max(0, start - _BEFORE) : start].rstrip()
    return before[-1:] in _INSIDE


def _is_expanded(unit: Unit, line: Include) -> bool:
    """Return whether a macro with parameters is defined just before the `#include`: it expands the list in the file."""
    index = bisect_left(unit.directives, line.directive.span.start, key=lambda each: each.span.start)
    previous = unit.directives[index - 1] if index else None
    if previous is None or previous.kind is not DirectiveKind.DEFINE:
        return False
    head = unit.code[previous.span.start : previous.body.start].rstrip()
    return head.endswith(")") and not unit.code[previous.span.end : line.directive.span.start].strip()


def _is_without_cuda(unit: Unit, tables: Tables, lines: list[Include], line: Include) -> bool:
    """Return whether an `#include` is in a branch beside one that includes CUDA, or in one that nvcc never compiles."""
    branch = _inside(unit, line.directive.branch)
    if not branch:
        return False
    compiled = is_compiled(unit, line.directive.branch)
    if compiled is not None:
        return not compiled
    of_cuda = [
        _inside(unit, other.directive.branch)
        for other in lines
        if other.operand in tables.headers or other.operand.startswith("hip/")
    ]
    return any(_excludes(unit, branch, other) for other in of_cuda) and branch not in of_cuda


def _inside(unit: Unit, branch: Branch) -> Branch:
    guard = guard_branch(unit) if branch else ()
    return branch[len(guard) :] if branch[: len(guard)] == guard else branch


def _excludes(unit: Unit, one: Branch, other: Branch) -> bool:
    """Return whether two branches are alternatives: of one condition, or of `#ifdef X` and `#ifndef X`."""
    for (number, index), (other_number, other_index) in ((a, b) for a in one for b in other):
        if number == other_number and index != other_index:
            return True
        mine, its = test_of(unit, number, index), test_of(unit, other_number, other_index)
        if mine and its and mine != its and mine.lstrip("!") == its.lstrip("!"):
            return True
    return False
