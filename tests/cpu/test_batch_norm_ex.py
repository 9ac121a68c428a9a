"""Batch normalization with an addition and an activation, on the CPU target."""

from __future__ import annotations

import pytest

from tests.cpu.conftest import PROGRAMS, Builder

NOT_SUPPORTED = 9


@pytest.mark.slow
@pytest.mark.toolchain
def test_batch_normalization_with_addition_and_activation(built: Builder) -> None:
    program = built([PROGRAMS / "batch_norm_ex.cu"], "-O", "1")
    lines = [line.split() for line in program.run().stdout.splitlines()]
    results, refused = lines[::2], [int(line[0]) for line in lines[1::2]]
    assert len(results) == 3 and refused == [0, NOT_SUPPORTED, NOT_SUPPORTED]
    for done, back, *differences in results:
        assert (done, back) == ("0", "0") and all(float(each) < 1e-5 for each in differences)
