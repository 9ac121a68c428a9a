"""Detecting MPI by its wrapper's output: Open MPI, MPICH, MVAPICH and Cray."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from hipport.errors import HipportError
from hipport.toolchain.mpi import Mpi, find_mpi
from hipport.toolchain.places import Surroundings
from tests.toolchain.fakes import file, program

OPEN_MPI = "#define OMPI_MAJOR_VERSION 5\n#define OMPI_MINOR_VERSION 0\n#define OMPI_RELEASE_VERSION 6\n"
MPICH = '#define MPICH_VERSION "4.2.1"\n'
MVAPICH = '#define MPICH_VERSION "3.2"\n#define MVAPICH2_VERSION "2.3.7"\n'
CRAY = '#define MPICH_VERSION "3.4a2"\n#define CRAY_MPICH_VERSION 8.1.28\n'
SKIP = ("-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX")


def wrapper(path: Path, *answers: str) -> Path:
    """Write a wrapper that gives its answers in turn to the questions that it knows, and fails for others."""
    cases = "".join(
        f"{question}) echo '{answer}' ;;\n"
        for question, answer in zip(
            ("--cray-print-opts=cflags", "--cray-print-opts=libs") if len(answers) == 2 else ("-show",),
            answers,
            strict=True,
        )
    )
    return program(path, f'#!/bin/sh\ncase "$*" in\n{cases}*) echo unknown option >&2; exit 1 ;;\nesac\n')


def machine(*folders: Path, **environ: str) -> Surroundings:
    return Surroundings({"PATH": ":".join(map(str, folders)), **environ}, folders[0])


def test_open_mpi(tmp_path: Path) -> None:
    file(tmp_path / "include/mpi.h", OPEN_MPI)
    answer = f"g++ -O2 -Wall -I{tmp_path}/include -pthread -Wl,-rpath -Wl,{tmp_path}/lib -L{tmp_path}/lib -lmpi"
    path = wrapper(tmp_path / "bin/mpicxx", answer)
    assert find_mpi(machine(tmp_path / "bin")) == Mpi(
        "Open MPI",
        "5.0.6",
        path,
        ("-isystem", f"{tmp_path}/include", *SKIP),
        ("-pthread", "-Wl,-rpath", f"-Wl,{tmp_path}/lib", f"-L{tmp_path}/lib", "-lmpi"),
    )


@pytest.mark.parametrize(
    ("header", "family", "version"),
    [(MPICH, "MPICH", "4.2.1"), (MVAPICH, "MVAPICH", "2.3.7"), (CRAY, "Cray MPICH", "8.1.28"), ("", "MPI", "")],
)
def test_those_that_derive_from_mpich(header: str, family: str, version: str, tmp_path: Path) -> None:
    file(tmp_path / "inc lude/mpi.h", header)
    wrapper(
        tmp_path / "bin/mpicxx", f'g++ -DX="a b" -I "{tmp_path}/inc lude" -L /lib -Xlinker -z -lmpicxx -lmpi /a/b.so'
    )
    found = find_mpi(machine(tmp_path / "bin"))
    assert (found.family, found.version) == (family, version)
    # With the library of the C++ bindings their header stays.
    assert found.compile == ("-isystem", f"{tmp_path}/inc lude", "-DX=a b")
    assert found.link == ("-L/lib", "-Wl,-z", "-lmpicxx", "-lmpi", "/a/b.so")


def test_crays_wrapper_where_its_environment_is_loaded(tmp_path: Path) -> None:
    file(tmp_path / "include/mpi.h", CRAY)
    path = wrapper(tmp_path / "bin/CC", f"-I{tmp_path}/include", "-L/cray/lib -lmpi_cray -lmpi_gtl_hsa -Wl,--as-needed")
    where = machine(tmp_path / "bin", CRAYPE_VERSION="2.7.30")
    found = find_mpi(where)
    assert (found.wrapper, found.family) == (path, "Cray MPICH")
    assert found.link == ("-L/cray/lib", "-lmpi_cray", "-lmpi_gtl_hsa", "-Wl,--as-needed")
    with pytest.raises(HipportError, match="no MPI found"):
        find_mpi(machine(tmp_path / "bin"))


def test_a_header_in_a_systems_folder_is_not_named_again(tmp_path: Path) -> None:
    file(tmp_path / "usr/include/mpi.h", MPICH)
    wrapper(tmp_path / "bin/mpicxx", "g++ -lmpi")
    found = find_mpi(Surroundings({"PATH": str(tmp_path / "bin")}, tmp_path))
    assert (found.family, found.compile) == ("MPICH", SKIP)


def test_two_side_by_side(tmp_path: Path) -> None:
    file(tmp_path / "include/mpi.h", OPEN_MPI)
    for name in ("mpicxx.mpich", "mpicxx.openmpi"):
        wrapper(tmp_path / f"bin/{name}", f"g++ -I{tmp_path}/include -lmpi")
    with pytest.raises(HipportError, match=r"several MPIs are installed: mpicxx\.mpich, mpicxx\.openmpi") as caught:
        find_mpi(machine(tmp_path / "bin"))
    assert caught.value.hint == "Choose one: --mpi=mpicxx.mpich."
    assert find_mpi(machine(tmp_path / "bin"), "mpicxx.openmpi").wrapper.name == "mpicxx.openmpi"
    (tmp_path / "bin/mpicxx").symlink_to("mpicxx.openmpi")
    found = find_mpi(machine(tmp_path / "bin"))
    assert (found.wrapper.name, [path.name for path in found.others]) == ("mpicxx", ["mpicxx.mpich"])


def test_a_wrapper_for_c_where_there_is_none_for_cxx(tmp_path: Path) -> None:
    file(tmp_path / "include/mpi.h", MPICH)
    wrapper(tmp_path / "bin/mpicc", f"gcc -I{tmp_path}/include -lmpi")
    assert find_mpi(machine(tmp_path / "bin")).wrapper.name == "mpicc"


def test_what_depends_on_the_working_folder_is_not_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file(tmp_path / "include/mpi.h", MPICH)
    wrapper(tmp_path / "mpicxx", f"g++ -I{tmp_path}/include -lmpi")
    monkeypatch.chdir(tmp_path)
    for path in ("", ".", ":."):
        for wanted in ("", "mpicxx"):
            with pytest.raises(HipportError, match=r"no MPI .*found"):
                find_mpi(Surroundings({"PATH": path}, tmp_path), wanted)
    assert find_mpi(Surroundings({"PATH": ""}, tmp_path), "./mpicxx").family == "MPICH"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 0", "It printed: nothing"),
        ("echo g++: error: unrecognized option >&2; exit 1", "It printed: g++: error: unrecognized option"),
        ("echo 'no quote \"'", 'It printed: no quote "'),
        ("echo g++ -I/nowhere -lmpi", "It printed: g++ -I/nowhere -lmpi"),
        ("echo g++ -I{folder}", "It printed: g++ -I"),
        ("printf '\\377\\000\\001'", "It printed: "),
    ],
)
def test_a_wrapper_that_prints_nonsense(script: str, said: str, tmp_path: Path) -> None:
    file(tmp_path / "include/mpi.h", MPICH)
    path = program(tmp_path / "bin/mpicxx", f"#!/bin/sh\n{script.replace('{folder}', str(tmp_path / 'include'))}\n")
    with pytest.raises(HipportError, match="is not a compiler wrapper") as caught:
        find_mpi(machine(tmp_path / "bin"))
    assert str(path) in str(caught.value) and said in (caught.value.hint or "")


def test_a_wrapper_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hipport.toolchain.mpi._SECONDS", 0.2)
    program(tmp_path / "bin/mpicxx", f"#!/bin/sh\nexec {shutil.which('sleep')} 30\n")
    started = time.monotonic()
    with pytest.raises(HipportError, match="cannot be run or does not support -show"):
        find_mpi(machine(tmp_path / "bin"))
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("name", ["mpicxx", "./mpicxx", "/bin", "bin/"])
def test_a_wrapper_that_is_not_there(name: str, tmp_path: Path) -> None:
    with pytest.raises(HipportError, match="no MPI wrapper") as caught:
        find_mpi(machine(tmp_path), name)
    assert "apt-get install" in (caught.value.hint or "")
