"""Which differences between the outputs of originals and those of translated programs count."""

from __future__ import annotations

import pytest

from scripts.corpus_outputs import compared


@pytest.mark.parametrize(
    ("first", "again", "found", "differs"),
    [
        ("sum 3\n", "sum 3\n", "sum 3\n", False),
        ("sum 3\n", "sum 3\n", "sum 4\n", True),
        ("sum 3.000001\n", "sum 3.000001\n", "sum 3.000002\n", False),
        ("sum 3\n", "sum 3\n", "sum nan\n", True),
        ("sum 3\n", "sum 3\n", "sum inf\n", True),
        ("value nan\n", "value nan\n", "value nan\n", False),
        ("took 0.25 ms\n", "took 0.26 ms\n", "took 91 ms\n", False),
        ("count 17\n", "count 23\n", "count 4\n", False),
        ("count 17\n", "count 23\n", "count nan\n", True),
        ("took 0.25 ms\n", "took 0.26 ms\n", "took inf ms\n", True),
        ("GPU sum: 3\n", "GPU sum: 3\n", "GPU sum: 4\n", True),
        ("sometimes 3\n", "sometimes 3\n", "sometimes 4\n", True),
        ("timer: 3.1s\n", "timer: 3.2s\n", "timer: 9.9s\n", False),
        ("at 0x7f00a1b2\n", "at 0x7f00a1b2\n", "at 0x55d0a1b2\n", False),
        ("/a/b/program starting\n", "/a/b/program starting\n", "/c/d/program ending\n", True),
        ("/a/b/program starting\n", "/a/b/program starting\n", "/c/d/gfx90a starting\n", False),
        ("on NVIDIA H200: 1\n", "on NVIDIA H200: 1\n", "on gfx90a emulated by hipport: 1\n", False),
        ("on NVIDIA H200: 1\n", "on NVIDIA H200: 1\n", "on gfx90a emulated by hipport: 2\n", True),
        ("1/2 GB/s\n", "1/2 GB/s\n", "1/3 GB/s\n", False),
        ("3/4 done\n", "3/4 done\n", "1/4 done\n", True),
        ("/a/original/x: cudaFree 1\n", "/a/original/x: cudaFree 1\n", "/a/port/x: hipFree 1\n", False),
        ("thread 1\nthread 2\n", "thread 2\nthread 1\n", "thread 2\nthread 1\n", False),
        ("a 1\na 2\nb 3\n", "a 2\na 1\nb 3\n", "b 3\na 1\na 2\n", False),
        ("sum 3\ndone\n", "sum 3\ndone\n", "sum 3\n", True),
        ("sum 3\n", "sum 3\n", "sum 3\nerror\n", True),
        ("PASSED\n", "PASSED\n", "FAILED\n", True),
    ],
)
def test_compared(first: str, again: str, found: str, differs: bool) -> None:
    result = compared("program", first, again, found)
    assert result.outcome == ("differs" if differs else "equal")
    assert bool(result.reason) == differs
