"""Seconds of the processor: a conversion against a bare parse of its tree, small commands against an interpreter.

So are a tree of many small files that is up to date, and the memory that a source full of device code needs.
"""

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
    "hipport convert --stdout, cross-lane code": [
        "convert",
        "--stdout",
        str(PROGRAMS / "warp_votes" / "warp_votes.cu"),
    ],
    "hipport mappings query cudaMalloc": ["mappings", "query", "cudaMalloc"],
}


_UNCHANGED = 3600
"""Files of the tree that is converted again."""
_FILE = """#include <cuda_runtime.h>
#include "common.cuh"
__global__ void k%(n)d(float* p) { p[threadIdx.x] = %(n)d; }
void run%(n)d(float* p) { k%(n)d<<<1, 64>>>(p); cudaDeviceSynchronize(); }
"""


def run(tree: Path) -> str:
    """Measure on a tree."""
    return (
        "## Seconds of the processor\n\n"
        + conversion(tree)
        + "\n"
        + _commands()
        + "\n"
        + _unchanged()
        + "\n"
        + _memory()
    )


def _unchanged() -> str:
    """Measure the conversion of many small files, the first time and again."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(_UNCHANGED):
            place = Path(folder, "tree", f"part{number // 60}")
            place.mkdir(parents=True, exist_ok=True)
            (place / "common.cuh").write_text("#pragma once\n")
            (place / f"file{number}.cu").write_text(_FILE % {"n": number})
        command = ["convert", f"{folder}/tree", "-o", f"{folder}/out", "-j", "1"]
        first = _seconds(command)
        time.sleep(2.5)  # what was written just now is read once more before its times are trusted
        _seconds(command)
        again = _median(command)
    return (
        f"Of {_UNCHANGED} small files: {first:.2f} s the first time, {again:.2f} s when nothing has changed, "
        f"which is {again / first:.2f} times as long.\n"
    )


def _memory() -> str:
    """Measure the peak memory of converting one source full of kernels, without that of converting an empty one."""
    with tempfile.TemporaryDirectory() as folder:
        sources_ = {"empty": "", "dense": "".join(_FILE % {"n": number} for number in range(4000))}
        for name, text in sources_.items():
            Path(folder, f"{name}.cu").write_text(text)
        empty, dense = (_peak(["convert", "--stdout", f"{folder}/{name}.cu"]) for name in sources_)
    return f"Memory for each byte of a source full of kernels: {(dense - empty) / len(sources_['dense']):.0f} bytes.\n"


def _peak(arguments: Sequence[str]) -> int:
    with Path(os.devnull).open("w") as nothing:
        process = subprocess.Popen([sys.executable, "-m", "hipport", *arguments], stdout=nothing, stderr=nothing)
        _, _, usage = os.wait4(process.pid, 0)
    return usage.ru_maxrss * 1024


def conversion(tree: Path) -> str:
    """Return a table of a tree's conversion against a bare parse of its sources."""
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
    return "\n".join(["| | s | multiple of a parse |", "|---|---|---|", *rows]) + "\n"


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
