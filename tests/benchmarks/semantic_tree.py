"""`--semantic` on a tree with cached answers, and on one without."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.corpus import PROGRAMS
from tests.benchmarks.measure import ratio_table, side_by_side

_WHAT = "hipport convert --check --semantic"


def run(tree: Path) -> str:
    """Measure on the fixture programs instead of the tree: a large tree takes minutes each time."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copytree(PROGRAMS, f"{folder}/programs"))
        tables, kept = Path(folder, "tables"), Path(folder, "kept")
        _check(copy, tables)
        shutil.copytree(tables, kept)
        _check(copy, kept, "--semantic")
        changing = next(path for path in sorted(copy.rglob("*.cu")))

        def one_changed() -> None:
            changing.write_bytes(changing.read_bytes() + b"\n")
            _check(copy, kept, "--semantic")

        def all_new() -> None:
            with tempfile.TemporaryDirectory() as fresh:
                shutil.copytree(tables, f"{fresh}/cache")
                _check(copy, Path(fresh, "cache"), "--semantic")

        candidates = {
            f"{_WHAT}, all units new": all_new,
            f"{_WHAT}, one unit changed": one_changed,
            f"{_WHAT}, nothing changed": lambda: _check(copy, kept, "--semantic"),
            "hipport convert --check": lambda: _check(copy, tables),
        }
        units = sum(path.suffix in (".cu", ".cpp", ".c") for path in copy.rglob("*"))
        title = f"Asking libclang about the fixture programs, {units} units"
        return ratio_table(title, side_by_side(candidates, 3), next(iter(candidates)))


def _check(tree: Path, cache: Path, *options: str) -> None:
    command = [sys.executable, "-m", "hipport", "convert", str(tree), "--check", "--rocm", "6.2", *options]
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 1 and b" sources read" in done.stderr, done.stderr
