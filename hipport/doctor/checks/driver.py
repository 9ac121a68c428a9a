"""Check that the kernel driver is loaded and its devices exist."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.doctor.findings import Area, Finding, error, ok, warning
from hipport.doctor.machine import Machine, text_of
from hipport.doctor.releases import load_releases, release_of

TITLE = "kernel driver"
AREA = Area.MACHINE
_DKMS = re.compile(r"^Package: amdgpu-dkms\n(?:.+\n)*?Version: .*\.(\d)(\d\d)\d\d-", re.MULTILINE)


def run(machine: Machine) -> Iterator[Finding]:
    """Check the amdgpu module, /dev/kfd and the render devices."""
    if machine.path("dev/dxg").exists():
        yield ok("Windows' driver (/dev/dxg)")
        return
    if not machine.path("sys/module/amdgpu").is_dir():
        yield error(
            "the driver amdgpu is not loaded: programs cannot find a GPU",
            "Run `modprobe amdgpu` if this machine has an AMD GPU; if not, use --build-only and run programs elsewhere",
        )
        return
    if not machine.path("dev/kfd").exists():
        yield error(
            "amdgpu is loaded, but /dev/kfd does not exist", "In a container: --device /dev/kfd --device /dev/dri"
        )
    elif not any(machine.path("dev/dri").glob("renderD*")):
        yield error("/dev/dri/renderD* (one per GPU) do not exist", "In a container: --device /dev/dri")
    else:
        yield ok("amdgpu, /dev/kfd, /dev/dri/renderD*")
    yield from _release(machine)


def _release(machine: Machine) -> Iterator[Finding]:
    """Compare the release of AMD's driver package with that of ROCm; the kernel's built-in driver has none."""
    package = _DKMS.search(text_of(machine.path("var/lib/dpkg/status")))
    rocm = release_of(machine.hip.version) if machine.hip else None
    driver = load_releases().get(f"{package[1]}.{int(package[2])}") if package else None
    if driver and rocm and driver.user_space and rocm.name not in driver.user_space:
        tested = ", ".join(driver.user_space)
        yield warning(
            f"the driver of ROCm {driver.name} was tested with ROCm {tested}, not with {rocm.name}",
            f"Install the amdgpu-dkms of ROCm {rocm.name}",
        )
