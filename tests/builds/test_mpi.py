"""Options that a build adds for MPI, and advice on running: only what applies is printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.builds.mpi import cray_gpus, run_needs, with_mpi
from hipport.builds.request import BuildRequest, CompileSettings
from hipport.toolchain.mpi import Mpi
from hipport.toolchain.places import Surroundings
from tests.toolchain.fakes import program

REQUEST = BuildRequest(("a.cu",), "out/a", (), settings=CompileSettings(defines=("-DX",), link=("-lm",)))
NOWHERE = Surroundings({})


def mpi(family: str, folder: Path, *link: str) -> Mpi:
    return Mpi(family, "1.0", folder / "mpicxx", ("-isystem", "/mpi/include"), link or ("-lmpi",))


def said(found: Mpi, target: str, where: Surroundings = NOWHERE, *gpus: str) -> list[str]:
    return list(run_needs(with_mpi(REQUEST, found, where, cray_gpus(target, gpus)), target))


def test_options_of_mpi_come_before_those_of_the_user_and_its_libraries_behind(tmp_path: Path) -> None:
    settings = with_mpi(REQUEST, mpi("MPICH", tmp_path), NOWHERE).settings
    assert settings.defines == ("-isystem", "/mpi/include", "-DX")
    assert settings.link == ("-lm", "-lmpi")


def test_on_the_cpu_nothing_is_needed(tmp_path: Path) -> None:
    assert said(mpi("Cray MPICH", tmp_path), "cpu") == ["run it with: srun -n 2 out/a"]
    assert said(mpi("Open MPI", tmp_path), "cpu") == ["run it with: mpirun -n 2 out/a"]


def test_without_mpi_nothing_is_said() -> None:
    assert list(run_needs(REQUEST, "amd")) == []


@pytest.mark.parametrize(
    ("target", "info", "ucx", "expected"),
    [
        ("amd", "mca:pml:ob1:x", "", ["mpirun -n 2", "neither ROCm nor UCX: it does not accept"]),
        (
            "amd",
            "mca:pml:ucx:x",
            "",
            ["mpirun --mca pml ucx -n 2", "so its UCX must be; check with `ucx_info -d | grep rocm`"],
        ),
        ("amd", "mca:pml:ucx:x", "--with-rocm=/opt/rocm", ["--mca pml ucx", "through UCX, which was built with ROCm"]),
        ("amd", "mca:pml:ucx:x", "--with-cuda=/cuda", ["--mca pml ucx", "neither this Open MPI nor its UCX"]),
        ("amd", "mca:pml:ucx:x\nmca:accelerator:rocm:version", "", ["--mca pml ucx", "was built with ROCm"]),
        ("amd", "mca:x:opal_built_with_cuda_support:value:true", "", ["mpirun -n 2", "with neither ROCm"]),
        ("nvidia", "mca:x:opal_built_with_cuda_support:value:true", "", ["mpirun -n 2", "was built with CUDA"]),
        ("nvidia", "mca:pml:ucx:x", "--with-cuda=/cuda", ["--mca pml ucx", "which was built with CUDA"]),
        ("nvidia", "", "", ["mpirun -n 2", "ompi_info failed"]),
    ],
)
def test_open_mpi(target: str, info: str, ucx: str, expected: list[str], tmp_path: Path) -> None:
    for name, answer in (("ompi_info", info), ("ucx_info", ucx)):
        if answer:
            program(tmp_path / name, f"#!/bin/sh\ncat <<'END'\n{answer}\nEND\n")
    lines = said(mpi("Open MPI", tmp_path), target)
    assert len(lines) == len(expected)
    assert all(part in line for part, line in zip(expected, lines, strict=True)), lines


@pytest.mark.parametrize(("target", "option"), [("amd", "--with-hip"), ("nvidia", "--with-cuda")])
def test_mpich_says_how_it_was_configured(target: str, option: str, tmp_path: Path) -> None:
    found = mpi("MPICH", tmp_path)
    assert "mpichversion failed" in said(found, target)[1]
    program(tmp_path / "mpichversion", "#!/bin/sh\necho MPICH configure: --without-yaksa\n")
    assert said(found, target)[1] == f"this MPICH was built without {option}: it does not accept device buffers"
    program(tmp_path / "mpichversion", f"#!/bin/sh\necho MPICH configure: {option}=/opt/gpu\n")
    assert said(found, target) == ["run it with: mpirun -n 2 out/a"]


def test_mvapich_is_told_of_gpus_by_the_environment(tmp_path: Path) -> None:
    assert said(mpi("MVAPICH", tmp_path), "amd") == ["run it with: MV2_USE_ROCM=1 mpirun -n 2 out/a"]
    assert said(mpi("MVAPICH", tmp_path), "nvidia") == ["run it with: MV2_USE_CUDA=1 mpirun -n 2 out/a"]


@pytest.mark.parametrize(
    ("target", "gpu", "name", "library"),
    [("amd", "gfx90a:xnack+", "amd_gfx90a", "-lmpi_gtl_hsa"), ("nvidia", "sm_80", "nvidia80", "-lmpi_gtl_cuda")],
)
def test_cray_mpich_needs_its_library_for_gpus(target: str, gpu: str, name: str, library: str, tmp_path: Path) -> None:
    run = "run it with: MPICH_GPU_SUPPORT_ENABLED=1 srun -n 2 out/a"
    bare = said(mpi("Cray MPICH", tmp_path), target, NOWHERE, gpu)
    assert bare[0] == run and "GPU library is not linked" in bare[1]
    where = Surroundings({f"PE_MPICH_GTL_DIR_{name}": "-L/gtl", f"PE_MPICH_GTL_LIBS_{name}": library})
    assert said(mpi("Cray MPICH", tmp_path), target, where, gpu) == [run]
    request = with_mpi(REQUEST, mpi("Cray MPICH", tmp_path), where, cray_gpus(target, [gpu]))
    assert request.settings.link == ("-lm", "-lmpi", "-L/gtl", library)
    # The wrapper has linked it already where the module for the GPU is loaded.
    assert said(mpi("Cray MPICH", tmp_path, "-lmpi", library), target, where, gpu) == [run]


def test_another_mpi(tmp_path: Path) -> None:
    assert "does not know whether" in said(mpi("Intel MPI", tmp_path), "nvidia")[1]


def test_a_launcher_with_the_suffix_of_the_wrapper(tmp_path: Path) -> None:
    found = Mpi("MPICH", "4.0.2", tmp_path / "mpicxx.mpich", (), ("-lmpich",))
    assert said(found, "cpu") == ["run it with: mpirun -n 2 out/a"]
    program(tmp_path / "mpirun.mpich")
    assert said(found, "cpu") == ["run it with: mpirun.mpich -n 2 out/a"]
