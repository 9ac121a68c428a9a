"""Check that the Python frameworks were built for ROCm, and for the installed release."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.doctor.findings import Area, Finding, error, ok, warning
from hipport.doctor.machine import Machine, major_minor
from hipport.doctor.packages import Framework, frameworks
from hipport.doctor.releases import load_releases

TITLE = "Python packages"
AREA = Area.LIBRARIES
_WHEELS = "https://download.pytorch.org/whl/rocm"


def run(machine: Machine) -> Iterator[Finding]:
    """Compare each framework with the installed ROCm."""
    rocm = major_minor(machine.hip.version) if machine.hip else ""
    for found in frameworks(machine.packages):
        if found.platform != "ROCm":
            built = f"built for {found.platform} {found.release}".strip() if found.platform else "built for CPUs only"
            yield warning(f"{found.name} {found.version} is {built} and cannot use AMD GPUs", _advice(found, rocm))
        else:
            yield _against(found, rocm)


def _against(found: Framework, rocm: str) -> Finding:
    what = f"{found.name} {found.version} was built for ROCm {found.release}"
    if not rocm or found.release == rocm or (not found.brings and _major(found.release) == _major(rocm)):
        return ok(what)
    if found.brings:
        return warning(
            f"{what} and ships its own libraries; extensions that are built here use those of ROCm {rocm}",
            _advice(found, rocm),
        )
    return error(f"{what} and cannot load the installed libraries of ROCm {rocm}", _advice(found, rocm))


def _major(release: str) -> str:
    return release.split(".")[0]


def _advice(found: Framework, rocm: str) -> str:
    row = load_releases().get(rocm)
    tested = row.frameworks.get(found.key, ()) if row else ()
    known = f" (tested: {', '.join(tested)})" if tested else ""
    wheels = f": pip install torch --index-url {_WHEELS}{rocm}" if found.name == "PyTorch" and rocm else ""
    return f"Install {found.name} for ROCm {rocm}{known}{wheels}" if rocm else f"Install {found.name} for ROCm"
