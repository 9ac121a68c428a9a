"""Work-groups that run as a whole, since their kernels are one sequence of operations."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_build import built
from tests.emulate.conftest import GENERATIONS, emulated
from tests.shared import made_once

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

_SOURCE = Path(__file__).with_name("streams.hip")
_LAUNCHES = 868


@pytest.fixture(scope="module")
def streams(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        built("--offload-arch", ",".join(GENERATIONS), "-o", str(folder / "streams"), str(_SOURCE), cwd=folder)

    return made_once(tmp_path_factory, "emulated-streams", make) / "streams"


@pytest.mark.parametrize("vectors", ["avx512", "avx2", "none"])
@pytest.mark.parametrize("target", GENERATIONS)
def test_blocks_of_any_size_compute_the_same(streams: Path, cache: Path, target: str, vectors: str) -> None:
    done = emulated("--emulate", target, str(streams), cwd=streams.parent, cache=cache, HIPPORT_VECTORS=vectors)
    assert done.stdout == f"{_LAUNCHES} launches are right\n"
    assert (done.returncode, done.stderr) == (0, "")
