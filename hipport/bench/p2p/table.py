"""A result as tables for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from hipport.bench.p2p.measurements import Matrix, Measurements
from hipport.bench.p2p.promises import promise

if TYPE_CHECKING:
    from rich.table import Table

Cell = Callable[[int, int, float], str]


def share(result: Measurements, source: int, target: int, rate: float, directions: int) -> float | None:
    """Return a rate as a share of the theoretical rate in `directions` (1 or 2) directions."""
    promised = promise(result, source, target)
    return rate / (promised * directions) if promised else None


def tables(result: Measurements) -> Iterator[tuple[str, Table]]:
    """Yield headings and tables for each way of copying.

    They are one direction, both at once if there are several GPUs, and the time of a small copy.
    """

    def rate(directions: int) -> Cell:
        def cell(source: int, target: int, value: float) -> str:
            found = share(result, source, target, value, directions)
            return f"{value / 1e9:,.1f}" + (f" {found:4.0%}" if found else "")

        return cell

    def micro(source: int, target: int, value: float) -> str:
        return f"{value * 1e6:.1f}"

    for way in result.ways:
        yield f"{way.name}: GB/s", _table(way.one_way, rate(1))
        if len(result.devices) > 1:
            yield f"{way.name}, both directions at once: GB/s", _table(way.both_ways, rate(2))
        yield f"{way.name}, {result.small_bytes} bytes: µs", _table(way.latency, micro)


def _table(values: Matrix, cell: Cell) -> Table:
    from rich.table import Table

    table = Table()
    table.add_column("from \\ to")
    for target in range(len(values)):
        table.add_column(f"GPU {target}", justify="right")
    for source, row in enumerate(values):
        cells = ("" if value is None else cell(source, target, value) for target, value in enumerate(row))
        table.add_row(f"GPU {source}", *cells)
    return table
