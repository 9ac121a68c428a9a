"""Compile all kernels of hipport/llm for AMD GPUs, and write docs/data/amd-code.json and docs/amd-code.md.

    python -m scripts.amd_code [--check] [--sources NAME,...] [--folder build/amd-code] [--jobs 2]

`--check` writes nothing, and fails if the code is worse than in the table or breaks a rule. `--sources` compiles only
these, for example engine/engine, and keeps the table's rows of all others.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hipport.toolchain.places import Surroundings
from scripts.amd_code import page, table
from scripts.amd_code.rules import violations
from scripts.amd_code.units import TARGETS, Row, Unit, rows, sources


def found(units: Iterable[Unit], folder: Path, jobs: int) -> table.Table:
    """Compile the units and return their table."""

    def one(unit: Unit) -> tuple[str, list[Row]]:
        print(f"{unit.target} {unit.source}", file=sys.stderr)
        return rows(unit, folder, Surroundings())

    units = list(units)
    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(one, units))
    compilers = {unit.target: compiler for unit, (compiler, _) in zip(units, results, strict=True)}
    return table.Table(compilers, tuple(row for _, each in results for row in each))


def main() -> int:
    """Write the table, or compare with it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--sources", type=lambda names: names.split(","))
    parser.add_argument("--folder", type=Path, default=Path("build/amd-code"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    chosen = options.sources or sources()
    made = found((Unit(target, source) for target in TARGETS for source in chosen), options.folder, options.jobs)
    kept = table.read() if options.check else made
    wrong = list(violations(made.rows, kept.by_key()))
    print("\n".join(wrong) or f"{len(made.rows)} kernels, nothing wrong")
    if not options.check:
        whole = table.read().updated(made, chosen) if options.sources else made
        table.write(whole)
        page.write(whole)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
