"""Inputs found by fuzzing, prefixes of real files, and a few seconds of fuzzing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.targets import ROOT, TARGETS

FOUND = {
    "convert": [
        b"k<<<k<<<1,(r<>)>>>();",  # two launches with one end
        b"#include <cuda.h>\n__shared__ alignas(16, register int x) int s[2];",  # an edit within text that moves
        # a function within a function
        b"d t{o o{coalesced_group active=__popc(active.ballot())+l}//\n__popc}",
        b'__device__ void k(int f) { asm("mov.u32 %0, %%laneid;" : "=n"(f)); }',  # an output that is a constant
    ],
    "check": [b"__activemask(register"],  # the end of the file where a name is expected
    "asm": [rb"{\o .rmp\n \9(x{)", rb"\x", b"\\xg\0: : "],  # escapes that are none
    "database": [rb'[{"directory": "HERE", "file": "\ud800.cu", "command": "nvcc -DA=\ud800 a.cu"}]'],  # no path has it
    "draft": [
        b"add_subdirectory(.)\nadd_subdirectory(.)\n",  # twice as much at each level
        b"set(S a.cu)\nfile(GLOB T *.cpp)\nadd_library(c ${S} *${T})\n",  # `**` beside other characters
        b"set(A a)\n" + b"set(A ${A}${A})\n" * 60 + b"add_library(l ${A}.cu)\n",
    ],
    "tokenizer": [b'{"version": "1.0", "model": {"type": "BPE", "vocab": {"a": 0, "b": 2}, "merges": ["a b"]}}'],
    "markdown": [b"[a]()", b"![a]()"],  # links to nowhere lead to the page itself
    "transcript": [b'{"messages": [{"role": {"": []}, "content": "a"}]}'],  # a role without a hash
}
REAL = [
    "programs/launch_forms/places.cu",
    "programs/transformer_block/main.cu",
    "pairs/ptx/instructions.cu",
    "programs/cli_case/kernel.cu",
]


@pytest.mark.parametrize(("name", "data"), [(name, data) for name, found in FOUND.items() for data in found])
def test_what_was_found(name: str, data: bytes) -> None:
    TARGETS[name].run(data)


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_pass(name: str) -> None:
    """Otherwise fuzzing would not get beyond the seeds."""
    seeds = list(TARGETS[name].seeds())
    assert len(seeds) > 1
    for seed in seeds[:: max(1, len(seeds) // 20)]:
        TARGETS[name].run(seed)


@pytest.mark.parametrize("name", REAL)
def test_any_beginning_of_a_real_file(name: str) -> None:
    path = ROOT / "fixtures" / name
    data = (path if path.exists() else next(path.parent.glob("*.cu"))).read_bytes()[:6000]
    for end in range(0, len(data), 101):
        TARGETS["convert"].run(data[:end])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["check", "asm", "make"])
def test_some_seconds_of_fuzzing(name: str, tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="it has no wheel for this Python")
    command = [sys.executable, "-m", "tests.fuzz", name, "--seconds", "3", "--found", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "stat::number_of_executed_units" in done.stderr
