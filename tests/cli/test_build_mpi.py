"""`hipport build --mpi` with and without a value, and rejected values; tests/mpi builds and runs programs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests import served
from tests.toolchain.fakes import file, program


def hipport(*arguments: str, cwd: Path, path: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": f"{path}:/usr/bin:/bin"}
    return served.hipport("build", "--target", "cpu", *arguments, cwd=cwd, env=environment)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a source, a project that asks for MPI, and a wrapper that leaves a mark when it runs."""
    file(tmp_path / "a.cu", "int main() {}\n")
    file(tmp_path / "p/hipport.toml", '[targets.a]\nsources = ["../a.cu"]\nmpi = true\n')
    file(tmp_path / "mpi/include/mpi.h", '#define MPICH_VERSION "4.2.1"\n')
    program(tmp_path / "mpi/bin/mpicxx", f"#!/bin/sh\necho g++ -O2 -I{tmp_path}/mpi/include -lmpi_of_the_wrapper\n")
    return tmp_path


@pytest.mark.parametrize("option", ["--mpi", "--mpi=mpicxx", "--mpi=mpi/bin/mpicxx"])
def test_the_wrappers_options_are_in_the_commands(option: str, folder: Path) -> None:
    done = hipport(option, "a.cu", "-o", "a", "--dry-run", cwd=folder, path=folder / "mpi/bin")
    assert done.returncode == 0, done.stderr
    compile_line, link_line = done.stdout.splitlines()[:2]
    assert f"-isystem {folder}/mpi/include" in compile_line and "-O2" not in compile_line
    assert link_line.count("-lmpi_of_the_wrapper") == 1
    assert f"MPI: MPICH 4.2.1 ({folder}/mpi/bin/mpicxx)" in done.stderr


def test_behind_dashes_it_is_the_compilers(folder: Path) -> None:
    done = hipport("a.cu", "-o", "a", "--dry-run", "--", "--mpi", cwd=folder, path=folder / "mpi/bin")
    assert done.returncode == 0 and "--mpi" in done.stdout and "MPI:" not in done.stderr


def test_without_the_option_nobody_is_asked(folder: Path) -> None:
    program(folder / "mpi/bin/mpicxx", f"#!/bin/sh\ntouch {folder}/asked\n")
    done = hipport("a.cu", "-o", "a", "--dry-run", cwd=folder, path=folder / "mpi/bin")
    assert done.returncode == 0 and not (folder / "asked").exists()


@pytest.mark.toolchain
@pytest.mark.slow
def test_a_project_can_ask_for_mpi_and_not_for_a_wrapper(folder: Path) -> None:
    """A wrapper in the project's folder is never run, even if PATH contains the working folder."""
    program(folder / "p/mpicxx", f"#!/bin/sh\ntouch {folder}/asked\n")
    where = folder / "p"
    done = hipport(".", "-o", "out", "-O0", cwd=where, path=Path(f".:{folder}/mpi/bin"))
    assert "MPI: MPICH 4.2.1" in done.stderr and not (folder / "asked").exists()
    assert done.returncode == 1 and "mpi_of_the_wrapper" in done.stderr, "there is no such library"
    assert "run it with" not in done.stderr


def test_an_mpi_that_is_not_there(folder: Path) -> None:
    done = hipport("a.cu", "-o", "a", "--mpi=nothere", cwd=folder, path=folder)
    assert done.returncode == 1 and "no MPI wrapper nothere found" in done.stderr
    assert "Traceback" not in done.stderr and not (folder / "a.build").exists()


def test_for_another_host_the_wrapper_has_to_be_named(folder: Path) -> None:
    words = ("a.cu", "-o", "a", "--host-target", "riscv64-linux-gnu")
    done = hipport(*words, "--mpi", cwd=folder, path=folder / "mpi/bin")
    assert done.returncode == 2 and "name a wrapper" in done.stderr
