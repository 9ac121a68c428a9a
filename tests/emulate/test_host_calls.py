"""Functions of the host as programs of this machine's HIP release call them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_build import built
from tests.emulate.conftest import emulated


@pytest.mark.toolchain
@pytest.mark.slow
def test_memory_types_copy_directions_and_arrays_of_one_slice(cache: Path, tmp_path: Path) -> None:
    source = str(Path(__file__).parent / "host_calls.hip")
    built("--offload-arch", "gfx90a", "-DIMAGES", "-o", "host_calls", source, cwd=tmp_path)
    done = emulated("--emulate", "gfx90a", "./host_calls", cwd=tmp_path, cache=cache)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")
