"""Converting an output tree again that is up to date, and the peak memory of a whole run."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.corpus import sources
from tests.benchmarks.measure import ratio_table, side_by_side


def run(tree: Path) -> str:
    """Measure on a tree."""
    with tempfile.TemporaryDirectory() as folder:
        kept = f"{folder}/kept"
        _convert(tree, kept)
        time.sleep(2.5)  # what was written just now is read once more before its times are trusted
        _convert(tree, kept)

        def whole() -> None:
            with tempfile.TemporaryDirectory() as fresh:
                _convert(tree, f"{fresh}/out")

        candidates = {
            "hipport convert -o, everything new": whole,
            "hipport convert -o, nothing changed": lambda: _convert(tree, kept),
            "hipport update --check, nothing changed": lambda: _hipport("update", str(tree), kept, "--check"),
        }
        table = ratio_table("An output tree that is up to date", side_by_side(candidates, 5), next(iter(candidates)))
        return table + _memory(tree, f"{folder}/memory")


def _convert(tree: Path, out: str) -> None:
    _hipport("convert", str(tree), "-o", out)


def _hipport(*arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", "hipport", *arguments], capture_output=True, check=False)
    # Findings make the status 1, and so does a run that failed: only the first has converted.
    assert done.returncode in (0, 1) and b" sources read" in done.stderr, done.stderr


def _memory(tree: Path, out: str) -> str:
    """Return a table of the peak memory of one process, with everything to convert and with nothing."""
    size = sum(map(len, sources(tree).values())) / 2**20
    rows = [f"{name} | {_peak(tree, out):.0f} MiB" for name in ("everything new", "nothing changed")]
    lines = [
        f"\nThe most memory that one process takes (`-j 1`), with {size:.0f} MiB of sources:",
        "",
        "| | |",
        "|---|---|",
    ]
    return "\n".join([*lines, *(f"| {row} |" for row in rows)]) + "\n"


def _peak(tree: Path, out: str) -> float:
    command = [sys.executable, "-m", "hipport", "convert", str(tree), "-o", out, "-j", "1"]
    with Path(os.devnull).open("w") as nothing:
        process = subprocess.Popen(command, stdout=nothing, stderr=nothing)
        _, _, usage = os.wait4(process.pid, 0)
    return usage.ru_maxrss / 1024
