"""The table of results for docs/corpora.md."""

from __future__ import annotations

from collections.abc import Sequence

from scripts.measure_corpora.results import Measured


def table(runs: Sequence[Sequence[Measured]]) -> list[str]:
    """Return the rows of the table: of one run, or of one before and one after."""
    last = {tree.tree: tree for tree in runs[-1]}
    names = ["before", "after"] if len(runs) > 1 else ["now"]
    heads = ["tree", ".cu files", "drawn", "not counted", *(f"compile {name}" for name in names)]
    heads += [f"{what} {name}" for what in ("reported", "unreported") for name in names]
    heads += [f"errors {what} {name}" for what in ("reported", "unreported") for name in names]
    heads += ["conversion, s", "multiple of a parse"]
    rows = [heads, ["---"] * len(heads)]
    for tree in runs[0]:
        after = last.get(tree.tree, tree)
        both = [tree, after][: len(runs)]
        compiled_units = [str(one.count("compiles")) for one in both]
        failures = [str(one.count(f"fails {what}")) for what in ("reported", "unreported") for one in both]
        failures += [str(one.errors(reported=reported)) for reported in (True, False) for one in both]
        counts = [tree.tree, str(tree.units), str(len(tree.results)), str(_not_counted(after))]
        times = [f"{after.conversion:.1f}", f"{after.conversion / after.parse:.1f}" if after.parse else ""]
        rows.append([*counts, *compiled_units, *failures, *times])
    rows.append(_sums(rows[2:]))
    return [f"| {' | '.join(row)} |" for row in rows]


def _not_counted(tree: Measured) -> int:
    return sum(
        tree.count(outcome) for outcome in ("needs a library", "needs a macro", "part of a unit", "fails in CUDA too")
    )


def _sums(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the last row of the table: the sums of what can be added."""
    sums = [sum(float(row[column]) for row in rows) for column in range(1, len(rows[0]) - 1)]
    return ["all", *(f"{value:.0f}" for value in sums), ""]
