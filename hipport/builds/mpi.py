"""Builds with MPI: add its options to the request, then report what a run with device buffers needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hipport.builds.request import BuildRequest
from hipport.toolchain import mpi as families
from hipport.toolchain.mpi import Mpi
from hipport.toolchain.places import Surroundings
from hipport.toolchain.process import run


@dataclass(frozen=True, slots=True)
class _Vendor:
    """How MPI implementations name a vendor's GPUs: components, configure options, MVAPICH and Cray variables."""

    name: str
    component: str
    configured: str
    mvapich: str
    gtl: str


_VENDORS = {
    "amd": _Vendor("ROCm", "rocm", "--with-hip", "MV2_USE_ROCM=1", "amd_"),
    "nvidia": _Vendor("CUDA", "cuda", "--with-cuda", "MV2_USE_CUDA=1", "nvidia"),
}


def with_mpi(request: BuildRequest, mpi: Mpi, where: Surroundings, gpus: Sequence[str] = ()) -> BuildRequest:
    """Return the request with MPI's compile and link options; `gpus` are Cray's names as `cray_gpus` returns them."""
    settings = replace(
        request.settings,
        defines=(*mpi.compile, *request.settings.defines),
        link=(*request.settings.link, *mpi.link, *_transport(mpi, where, gpus)),
    )
    return replace(request, settings=settings, mpi=mpi)


def _transport(mpi: Mpi, where: Surroundings, gpus: Sequence[str]) -> Iterator[str]:
    """Yield the link options of Cray MPICH's GPU transport library, which its modules name in the environment."""
    if mpi.family != families.CRAY or any(word.startswith("-lmpi_gtl") for word in mpi.link):
        return
    for kind in ("DIR", "LIBS"):
        values = (where.environ.get(f"PE_MPICH_GTL_{kind}_{gpu}", "") for gpu in gpus)
        yield from next((value.split() for value in values if value), [])


def cray_gpus(target: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return architectures as the variables of Cray's modules name them: amd_gfx90a, nvidia80."""
    vendor = _VENDORS.get(target)
    plain = (name.split(":")[0].removeprefix("sm_") for name in names)
    return tuple(f"{vendor.gtl}{name}" for name in plain) if vendor else ()


def run_needs(request: BuildRequest, target: str) -> Iterator[str]:
    """Yield what running the program with device buffers requires, for this MPI and target only."""
    mpi = request.mpi
    if mpi is None:
        return
    vendor = _VENDORS.get(target)
    program = request.output if "/" in request.output else f"./{request.output}"
    if vendor is None:
        yield f"run it with: {launcher(mpi)} -n 2 {program}"
        return
    needs = {
        families.OPEN_MPI: _open_mpi,
        families.CRAY: _cray,
        families.MVAPICH: _mvapich,
        families.MPICH: _mpich,
    }.get(mpi.family, _unknown)
    yield from needs(request, mpi, vendor, program)


def launcher(mpi: Mpi) -> str:
    """Return the program that starts MPI programs: `mpirun` with the wrapper's suffix, or `srun` on Cray systems."""
    if mpi.family == families.CRAY:
        return "srun"
    suffix = mpi.wrapper.suffix
    return f"mpirun{suffix}" if (mpi.wrapper.parent / f"mpirun{suffix}").exists() else "mpirun"


def _open_mpi(request: BuildRequest, mpi: Mpi, vendor: _Vendor, program: str) -> Iterator[str]:
    said = _ask(mpi, "ompi_info", "--parsable", "--all")
    if not said:
        yield f"run it with: {launcher(mpi)} -n 2 {program}"
        yield f"ompi_info failed: cannot tell whether this Open MPI accepts {vendor.name} device buffers"
        return
    ucx = "mca:pml:ucx:" in said
    yield f"run it with: {launcher(mpi)} {'--mca pml ucx ' if ucx else ''}-n 2 {program}"
    built = "opal_built_with_cuda_support:value:true" in said and vendor.component == "cuda"
    if built or f"mca:accelerator:{vendor.component}:" in said:
        yield f"this Open MPI was built with {vendor.name}"
    elif ucx:
        yield from _ucx(mpi, vendor)
    else:
        yield f"this Open MPI was built with neither {vendor.name} nor UCX: it does not accept device buffers"


def _ucx(mpi: Mpi, vendor: _Vendor) -> Iterator[str]:
    """Check UCX: Open MPI without support for a vendor passes device buffers to UCX, which then needs that support."""
    said = _ask(mpi, "ucx_info", "-v")
    if not said:
        yield (
            f"this Open MPI was not built with {vendor.name}, so its UCX must be; check with `ucx_info -d | grep "
            f"{vendor.component}`"
        )
    elif f"--with-{vendor.component}" in said:
        yield f"this Open MPI accepts device buffers through UCX, which was built with {vendor.name}"
    else:
        yield f"neither this Open MPI nor its UCX was built with {vendor.name}: it does not accept device buffers"


def _cray(request: BuildRequest, mpi: Mpi, vendor: _Vendor, program: str) -> Iterator[str]:
    yield f"run it with: MPICH_GPU_SUPPORT_ENABLED=1 {launcher(mpi)} -n 2 {program}"
    if not any(word.startswith("-lmpi_gtl") for word in request.settings.link):
        yield (
            "Cray MPICH's GPU library is not linked, and the program needs it: load the module "
            "craype-accel-{vendor.gtl.replace('_', '-')}..., or link PE_MPICH_GTL_DIR_* and PE_MPICH_GTL_LIBS_*"
        )


def _mvapich(request: BuildRequest, mpi: Mpi, vendor: _Vendor, program: str) -> Iterator[str]:
    yield f"run it with: {vendor.mvapich} {launcher(mpi)} -n 2 {program}"


def _mpich(request: BuildRequest, mpi: Mpi, vendor: _Vendor, program: str) -> Iterator[str]:
    yield f"run it with: {launcher(mpi)} -n 2 {program}"
    said = _ask(mpi, "mpichversion")
    if not said:
        yield f"mpichversion failed: cannot tell whether this MPICH accepts {vendor.name} device buffers"
    elif vendor.configured not in said:
        yield f"this MPICH was built without {vendor.configured}: it does not accept device buffers"


def _unknown(request: BuildRequest, mpi: Mpi, vendor: _Vendor, program: str) -> Iterator[str]:
    yield f"run it with: {launcher(mpi)} -n 2 {program}"
    yield f"hipport does not know whether {mpi.family} accepts {vendor.name} device buffers"


def _ask(mpi: Mpi, name: str, *arguments: str) -> str:
    """Return the output of a program next to the wrapper, or an empty string if it is missing or fails."""
    path: Path = mpi.wrapper.parent / name
    done = run([path, *arguments], timeout=20) if path.exists() else None
    return done.stdout if done and done.status == 0 else ""
