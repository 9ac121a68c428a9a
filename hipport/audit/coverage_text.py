"""Render coverage as a terminal table, plain text, Markdown and data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hipport.audit.coverage import Coverage, LibraryCoverage, State
from hipport.counts import count_of

if TYPE_CHECKING:
    from rich.console import Console

LABELS = {
    State.MAPPED: "mapped",
    State.CHANGED: "with changes",
    State.NONE: "no counterpart",
    State.UNKNOWN: "unknown",
}
MEANINGS = {
    State.MAPPED: "HIP has it, and only the name changes",
    State.CHANGED: "HIP has it with other arguments, or with caveats",
    State.NONE: "HIP lacks it; the tables give the reason and an alternative",
    State.UNKNOWN: "it is not in the tables",
}
_COLOURS = {State.MAPPED: "green", State.CHANGED: "cyan", State.NONE: "yellow", State.UNKNOWN: "red"}
_HEADS = ("library", "names", *LABELS.values(), "known")


def title(coverage: Coverage) -> str:
    return f"Public names of CUDA {coverage.cuda} and their counterparts in ROCm {coverage.rocm}"


def share(library: LibraryCoverage) -> str:
    """Return the percentage of names that the tables know; 100% only if none is unknown."""
    percent = 100 * library.known / library.total if library.total else 100.0
    return f"{min(percent, 99.9) if library.counts[State.UNKNOWN] else percent:.1f}%"


def remark(coverage: Coverage) -> str:
    """Return a sentence with the number of names that are known only through their header or namespace."""
    return f"The entry of a header or namespace applies to {count_of(coverage.whole.whole, 'name')}."


def rows(coverage: Coverage) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each library, then those of the total."""
    for library in (*coverage.libraries, coverage.whole):
        counts = (f"{library.counts[state]:,}" for state in State)
        yield library.library, f"{library.total:,}", *counts, share(library)


def plain(coverage: Coverage) -> Iterator[str]:
    """Yield lines for output to a pipe."""
    table = [_HEADS, *rows(coverage)]
    widths = [max(len(row[column]) for row in table) for column in range(len(_HEADS))]
    yield title(coverage)
    for row in table:
        _, *rest = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join([row[0].ljust(widths[0]), *rest])
    yield remark(coverage)


def markdown(coverage: Coverage) -> Iterator[str]:
    """Yield the lines of a Markdown table."""
    yield f"| {' | '.join(_HEADS)} |"
    yield f"|---|{'---:|' * (len(_HEADS) - 1)}"
    for row in rows(coverage):
        yield f"| {' | '.join(row)} |"
    yield ""
    yield remark(coverage)


def draw(coverage: Coverage, console: Console) -> None:
    """Print a table to a terminal."""
    from rich.table import Table

    table = Table(title=title(coverage), title_justify="left", box=None, header_style="bold", pad_edge=False)
    styles = ["bold", "", *_COLOURS.values(), ""]
    for head, style in zip(_HEADS, styles, strict=True):
        table.add_column(head, justify="left" if head == _HEADS[0] else "right", style=style or None)
    *libraries, whole = rows(coverage)
    for row in libraries:
        table.add_row(*row)
    table.add_section()
    table.add_row(*whole, style="bold")
    console.print(table)
    console.print(remark(coverage), style="dim")


def data(coverage: Coverage) -> dict[str, Any]:
    """Return the coverage as data for JSON."""
    libraries = [{"library": one.library, **_counts(one), "names": list(one.unknown)} for one in coverage.libraries]
    return {
        "cuda": coverage.cuda,
        "rocm": coverage.rocm,
        "source": coverage.source,
        "libraries": libraries,
        "all": _counts(coverage.whole),
    }


def _counts(library: LibraryCoverage) -> dict[str, int]:
    counts = {state.value: library.counts[state] for state in State}
    return {"total": library.total, **counts, "as_a_whole": library.whole}
