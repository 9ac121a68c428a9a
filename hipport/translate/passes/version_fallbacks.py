"""Find tests for newer GPUs without code for older ones."""

from __future__ import annotations

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.syntax.branches import Branches, branches_of
from hipport.translate.syntax.lexer import Directive
from hipport.translate.work import Work


def has_no_alternative(work: Work, line: Directive, *, asks_for_new: bool) -> bool:
    """Return whether a device function would have no code: a test for newer GPUs without an alternative."""
    branches = branches_of(work.unit, line)
    if not asks_for_new or branches is None or _says_anything(work, branches):
        return False
    return (
        _in_function(work, line)
        or _DEVICE_CODE.search(work.unit.code, branches.own.start, branches.own.end) is not None
    )


_DEVICE_CODE = re.compile(r"\b(?:__device__|__global__)\b[^;{}]*\{")
"""Matches a device function with its body, which other code under the same test will call."""


def _in_function(work: Work, line: Directive) -> bool:
    return work.unit.enclosing(Span(line.span.start, line.span.start), "function_definition") is not None


_IDLE = re.compile(r"\b(?:assert|printf|trap|__trap|return)\b[^;]*;|[;{}\s]")


def _says_anything(work: Work, branches: Branches) -> bool:
    """Return whether the later branches do anything but report an error or return."""
    return any(_IDLE.sub("", work.unit.code[span.start : span.end]) for span in branches.others)
