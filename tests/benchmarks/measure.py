"""Measure times side by side."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Measurement:
    """The median and the spread of the seconds that one candidate took."""

    seconds: float
    low: float
    high: float


def side_by_side(candidates: Mapping[str, Callable[[], object]], rounds: int = 5) -> dict[str, Measurement]:
    """Run the candidates in turn, `rounds` times each after one round that does not count."""
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for round_number in range(rounds + 1):
        for name, run in candidates.items():
            start = time.perf_counter()
            run()
            if round_number:
                times[name].append(time.perf_counter() - start)
    return {name: Measurement(statistics.median(taken), min(taken), max(taken)) for name, taken in times.items()}


def ratio_table(title: str, measurements: Mapping[str, Measurement], baseline: str) -> str:
    """A Markdown table of the times as ratios to the baseline's."""
    unit = measurements[baseline].seconds
    rows = [f"## {title}", "", f"| | time, as a multiple of: {baseline} | spread |", "|---|---|---|"]
    for name, taken in measurements.items():
        rows.append(f"| {name} | {taken.seconds / unit:.2f} | {taken.low / unit:.2f} to {taken.high / unit:.2f} |")
    return "\n".join(rows) + "\n"
