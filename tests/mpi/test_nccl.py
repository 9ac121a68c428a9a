"""The NCCL program becomes an RCCL program, compiled for an AMD GPU and run on the CPU."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hipport.mappings.loader import load_libraries
from tests.mpi.conftest import FIXTURES, OPEN_MPI, hipport, need, run
from tests.shared import made_once

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

STANDIN = Path(__file__).parent / "standin"
SOURCE = (FIXTURES / "nccl/allreduce.cu", "-I", FIXTURES / "include", "--mpi=mpicxx.openmpi")


def test_the_stand_in_has_names_that_the_tables_have() -> None:
    declared = set(re.findall(r"\bnccl[A-Z]\w*", (STANDIN / "rccl/rccl.h").read_text()))
    nccl = next(library for library in load_libraries() if library.name == "nccl")
    known = {target.name for row in nccl.names for target in row.hip}
    assert len(declared) > 12 and declared <= known


def test_it_compiles_for_an_amd_gpu(tmp_path: Path) -> None:
    need("mpicxx.openmpi")
    done = hipport(*SOURCE, "-I", STANDIN, "--offload-arch", "gfx90a", "-o", tmp_path / "nccl")
    assert done.returncode == 0, done.stderr
    assert "gfx90a" in done.stdout
    translated = next((tmp_path / "nccl.build").rglob("allreduce.cu")).read_text()
    assert "#include <rccl/rccl.h>" in translated and "nccl.h" not in translated.replace("rccl/rccl.h", "")


@pytest.fixture(scope="module")
def on_the_cpu(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, built once for the CPU."""
    need("mpicxx.openmpi", "mpirun.openmpi")

    def build(folder: Path) -> None:
        done = hipport(*SOURCE, "--target", "cpu", "-O0", "-o", folder / "nccl")
        assert done.returncode == 0, done.stderr

    return made_once(tmp_path_factory, "nccl", build) / "nccl"


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_it_runs_on_the_cpu(ranks: int, on_the_cpu: Path) -> None:
    ran = run(OPEN_MPI, ranks, on_the_cpu, "-m", "65536")
    assert (ran.returncode, ran.stdout) == (0, "PASS: nccl: 0 wrong\n"), ran.stderr
