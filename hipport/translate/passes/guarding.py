"""Guards that exclude declarations from compilation for AMD or HIP: whole lines between a condition and `#endif`."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator, Sequence

from hipport.source import Edit, Replace, Span
from hipport.translate.syntax.unit import Unit

FOR_AMD = "#ifndef __HIP_PLATFORM_AMD__"
FOR_HIP = "#if !defined(__HIP_PLATFORM_AMD__) && !defined(__HIP_PLATFORM_NVIDIA__)"


def guard(unit: Unit, declarations: Iterable[Span], why: str, condition: str = FOR_AMD) -> Iterator[Edit]:
    """Guard declarations, given in file order; adjacent ones share one guard.

    `condition` excludes them for AMD GPUs, or for HIP on any GPU.
    """
    group: list[Span] = []
    for declaration in declarations:
        if group and not unit.code[group[-1].end : declaration.start].strip():
            group.append(declaration)
            continue
        yield from _guard(unit, group, why, condition)
        group = [declaration]
    yield from _guard(unit, group, why, condition)


def _lines(unit: Unit, span: Span) -> Span:
    """Extend a range to whole lines, unless other code or part of a comment is on them."""
    text = unit.source.text
    line_start = _line_start(text, span.start)
    line_end = text.find(b"\n", span.end)
    line_end = len(text) if line_end < 0 else line_end + 1
    before, behind = unit.code[line_start : span.start], unit.code[span.end : line_end]
    return Span(
        span.start if before.strip() or _in_comment(unit.lexed.comments, line_start) else line_start,
        span.end if behind.strip() or _in_comment(unit.lexed.comments, line_end) else line_end,
    )


def _line_start(text: bytes, offset: int) -> int:
    return text.rfind(b"\n", 0, offset) + 1


def _is_joined(text: bytes, offset: int) -> bool:
    """Return whether the line before ends with a backslash that continues it."""
    line = text[_line_start(text, max(offset - 1, 0)) : offset]
    return line.endswith((b"\\\n", b"\\\r\n"))


def _in_comment(comments: Sequence[Span], offset: int) -> bool:
    before = bisect.bisect_left(comments, offset, key=lambda comment: comment.start) - 1
    return before >= 0 and offset < comments[before].end


def _guard(unit: Unit, group: list[Span], why: str, condition: str) -> Iterator[Edit]:
    if not group:
        return
    newline, text = unit.source.newline, unit.source.text
    whole = _lines(unit, Span(group[0].start, group[-1].end))
    start, end = whole.start, whole.end
    first = newline if start and (text[start - 1 : start] != b"\n" or _is_joined(text, start)) else ""
    last = newline if text[end - 1 : end] != b"\n" else ""
    line = f"{condition}  // {why}{newline}"
    if text.endswith(line.encode(), 0, start):  # of an earlier translation, in code whose conditions have no end
        return
    yield Replace(start, start, first + line)
    yield Replace(end, end, f"{last}#endif{newline}")
