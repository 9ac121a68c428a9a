"""The MPI programs, built once for the CPU with the system's MPI libraries, and a way to run them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import served
from tests.shared import made_once

FIXTURES = Path(__file__).parents[2] / "fixtures/mpi"
OPEN_MPI = ("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe")
MPICH = ("mpirun.mpich",)

Runner = Callable[..., "subprocess.CompletedProcess[str]"]


def hipport(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return served.hipport("build", *arguments)


def run(
    start: tuple[str, ...], ranks: int, program: Path, *words: str, **environ: str
) -> subprocess.CompletedProcess[str]:
    command = [*start, "-n", str(ranks), str(program), *words]
    # On machines without /sys MPICH's UCX says so on standard output, among the results.
    environment = {**os.environ, "HIPPORT_CPU_THREADS": "1", "UCX_LOG_LEVEL": "fatal", **environ}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)


def need(*names: str) -> None:
    for name in names:
        if shutil.which(name) is None:
            pytest.fail(f"{name} is missing") if os.environ.get("CI") else pytest.skip(f"{name} is missing")


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all programs of fixtures/mpi, with Open MPI."""
    need("mpicxx.openmpi", "mpirun.openmpi")

    def build(folder: Path) -> None:
        done = hipport(FIXTURES, "--target", "cpu", "-o", folder, "-O0", "--mpi=mpicxx.openmpi")
        assert done.returncode == 0, done.stderr

    return made_once(tmp_path_factory, "mpi", build)
