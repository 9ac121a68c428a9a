"""The human-readable result: a table of differences for each port, for a terminal or a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hipport.counts import count_of
from hipport.report.displayable import shown
from hipport.verify.model import Comparison, TraceFinding, Verdict, Verification

if TYPE_CHECKING:
    from rich.console import Console

COLUMNS = ("output", "where", "original", "port", "difference")


@dataclass(frozen=True, slots=True)
class Block:
    """The report on one port: a heading, rows of `COLUMNS`, and lines below them."""

    heading: str
    equal: bool
    rows: tuple[tuple[str, ...], ...]
    remarks: tuple[str, ...]


def blocks(result: Verification) -> Iterator[Block]:
    """Yield the report on each port."""
    for verdict in result.verdicts:
        verb = "matches" if verdict.equal else "differs from"
        heading = f"{verdict.port.title} {verb} the {result.original.title}"
        rows = [_row(*cells) for item in verdict.comparisons for cells in _cells(item)]
        yield Block(heading, verdict.equal, tuple(rows), tuple(map(shown, _remarks(verdict))))


def _row(*cells: str) -> tuple[str, ...]:
    return tuple(shown(cell) for cell in cells)


def _cells(item: Comparison) -> Iterator[tuple[str, ...]]:
    for difference in item.differences:
        yield item.name, difference.where, difference.original, difference.port, difference.detail


def _remarks(verdict: Verdict) -> Iterator[str]:
    for item in verdict.comparisons:
        if more := item.count - len(item.differences):
            yield f"{item.name}: {more:,} more"
        if item.count and item.note:
            yield f"{item.name}: {item.note}"
    if equal := [_described(item) for item in verdict.comparisons if item.count == 0]:
        yield f"equal: {', '.join(equal)}"
    if verdict.finding is not None:
        yield from _traced(verdict.finding)


def _described(item: Comparison) -> str:
    error = f", largest error {item.worst:.3g}" if item.worst else ""
    return f"{item.name} ({item.how}{error})"


def _traced(finding: TraceFinding) -> Iterator[str]:
    if finding.launch is None or finding.comparison is None:
        yield f"trace: no buffer differs in {count_of(finding.launches, 'launch', 'launches')}"
    else:
        what = finding.comparison
        first = what.differences[0]
        cause = "" if finding.when == "after" else ": the host or a copy wrote different data"
        yield f"trace: the first difference is {finding.when} {finding.launch}{cause}"
        where = f" {first.where}" if first.where else ""
        detail = f" ({first.detail})" if first.detail else ""
        yield f"  {what.name} ({what.how}){where}: original {first.original}, port {first.port}{detail}"
        if what.count > 1:
            yield f"  {what.count:,} differences in this buffer"
        if what.note:
            yield f"  {what.note}"
    for note in finding.notes:
        yield f"  {note}"


def plain_lines(result: Verification) -> Iterator[str]:
    """Yield the result for pipes: a line for each difference."""
    for block in blocks(result):
        yield block.heading
        for what, where, original, port, detail in block.rows:
            place = f"{what}, {where}" if where else what
            yield f"  {place}: original {original}, port {port}" + (f" ({detail})" if detail else "")
        yield from (f"  {remark}" for remark in block.remarks)


def draw(result: Verification, console: Console) -> None:
    """Print the result on a terminal."""
    from rich.table import Table
    from rich.text import Text

    for block in blocks(result):
        console.print(Text(block.heading, style="bold green" if block.equal else "bold red"))
        if block.rows:
            table = Table(*COLUMNS)
            for row in block.rows:
                table.add_row(*(Text(cell) for cell in row))
            console.print(table)
        _print_lines(block.remarks, console)


def _print_lines(lines: Iterable[str], console: Console) -> None:
    from rich.text import Text

    for line in lines:
        console.print(Text(f"  {line}"))
