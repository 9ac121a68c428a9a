"""Comparing the GPU output of a port with that of its original."""

from __future__ import annotations

import pytest

from scripts.gpu_corpus import difference


@pytest.mark.parametrize(
    ("original", "port", "outcome"),
    [
        ("sum 3\n", "sum 3\n", "equal"),
        ("took 0.25 ms\n", "took 1e-2 ms\n", "equal but for numbers"),
        ("/a/original/program: cudaMalloc 1\n", "/b/port/program: hipMalloc 2\n", "equal but for numbers"),
        ("thread 1\ndone\n", "done\nthread 2\n", "equal but for numbers"),
        ("sum 3\n", "sum nan\n", "differs"),
        ("sum 3\n", "sum inf\n", "differs"),
        ("PASSED\n", "FAILED\n", "differs"),
        ("sum 3\nPASSED\n", "sum 3\n", "differs"),
    ],
)
def test_outcomes(original: str, port: str, outcome: str) -> None:
    assert difference(original, port).outcome == outcome
