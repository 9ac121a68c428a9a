"""Seconds of the processor: a conversion against a bare parse of its tree, small commands against an interpreter."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import tree_sitter
import tree_sitter_cpp

from tests.benchmarks.corpus import PROGRAMS, sources

_ROUNDS = 5
_SMALL = {
    "hipport --help": ["--help"],
    "hipport convert --stdout, one file": ["convert", "--stdout", str(PROGRAMS / "stencil2d" / "stencil2d.cu")],
    "hipport mappings query cudaMalloc": ["mappings", "query", "cudaMalloc"],
}


def run(tree: Path) -> str:
    """Measure on a tree."""
    return _conversion(tree) + "\n" + _commands()


def _conversion(tree: Path) -> str:
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder, "empty")
        empty.mkdir()
        nothing = _median(["convert", str(empty), "-o", f"{folder}/none", "-j", "1"])
        seconds = [_seconds(["convert", str(tree), "-o", f"{folder}/{turn}", "-j", "1"]) for turn in range(3)]
        again = _median(["convert", str(tree), "-o", f"{folder}/0", "-j", "1"])
    parse = _parse(tree)
    rows = [
        f"| bare tree-sitter parse | {parse:.2f} | 1.0 |",
        f"| hipport convert -j 1, less that of nothing | {min(seconds) - nothing:.2f} | "
        f"{(min(seconds) - nothing) / parse:.1f} |",
        f"| the same again, nothing changed | {again:.2f} | {again / parse:.1f} |",
        f"| hipport convert of an empty folder | {nothing:.2f} | |",
    ]
    return (
        "\n".join(["## Seconds of the processor", "", "| | s | multiple of a parse |", "|---|---|---|", *rows]) + "\n"
    )


def _commands() -> str:
    interpreter = statistics.median(_used([sys.executable, "-c", "pass"]) for _ in range(_ROUNDS))
    rows = [f"| {name} | {_median(arguments) / interpreter:.1f} |" for name, arguments in _SMALL.items()]
    return "\n".join(["| | multiple of an interpreter that does nothing |", "|---|---|", *rows]) + "\n"


def _parse(tree: Path) -> float:
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))
    texts = sources(tree).values()
    times = []
    for _ in range(3):
        start = time.process_time()
        for text in texts:
            parser.parse(text)
        times.append(time.process_time() - start)
    return min(times)


def _median(arguments: Sequence[str]) -> float:
    return statistics.median(_seconds(arguments) for _ in range(_ROUNDS))


def _seconds(arguments: Sequence[str]) -> float:
    return _used([sys.executable, "-m", "hipport", *arguments])


def _used(command: Sequence[str]) -> float:
    """Return the seconds of the processor that a command takes, with the byte code that Python keeps, as installed."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode in (0, 1), done.stderr
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
