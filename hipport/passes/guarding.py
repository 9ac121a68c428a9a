"""Definitions left out of the compilation for AMD, or for HIP: whole lines between a condition and `#endif`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport.source import Edit, Replace, Span
from hipport.syntax.unit import Node, Unit

FOR_AMD = "#ifndef __HIP_PLATFORM_AMD__"
FOR_HIP = "#if !defined(__HIP_PLATFORM_AMD__) && !defined(__HIP_PLATFORM_NVIDIA__)"


def guard(unit: Unit, definitions: Iterable[Node], why: str, condition: str = FOR_AMD) -> Iterator[Edit]:
    """Guard definitions, given in the order of the file; those that follow each other get one guard.

    `condition` leaves them out for AMD GPUs, or for HIP on any.
    """
    group: list[Span] = []
    for node in definitions:
        span = _lines(unit, node)
        if group and not unit.code[group[-1].end : span.start].strip():
            group.append(span)
            continue
        yield from _guard(unit, group, why, condition)
        group = [span]
    yield from _guard(unit, group, why, condition)


def _lines(unit: Unit, node: Node) -> Span:
    """A definition with the words in front of it that the parser did not see; whole lines where it has them alone."""
    outer = node
    while outer.parent is not None and outer.parent.type == "template_declaration":
        outer = outer.parent
    text, previous = unit.source.text, outer.prev_sibling
    floor = previous.end_byte if previous is not None else 0
    words = [word.start for word in unit.shadow.device_words if floor <= word.start < outer.start_byte]
    start = min([outer.start_byte, *(word for word in words if unit.directive_at(word) is None)])
    line_start = text.rfind(b"\n", 0, start) + 1
    line_end = text.find(b"\n", outer.end_byte)
    line_end = len(text) if line_end < 0 else line_end + 1
    return Span(
        start if unit.code[line_start:start].strip() else line_start,
        outer.end_byte if unit.code[outer.end_byte : line_end].strip() else line_end,
    )


def _guard(unit: Unit, group: list[Span], why: str, condition: str) -> Iterator[Edit]:
    if not group:
        return
    newline, text = unit.source.newline, unit.source.text
    start, end = group[0].start, group[-1].end
    first = newline if start and text[start - 1 : start] != b"\n" else ""
    last = newline if text[end - 1 : end] != b"\n" else ""
    yield Replace(start, start, f"{first}{condition}  // {why}{newline}")
    yield Replace(end, end, f"{last}#endif{newline}")
