"""The programs in fixtures/libraries, converted, compiled and linked with the ROCm libraries of this machine."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from pathlib import Path

import pytest

from hipport.errors import HipportError
from hipport.toolchain.hip import find_hip
from hipport.toolchain.libraries import load_libraries
from hipport.toolchain.places import Surroundings
from tests.cli.test_build import hipport

PROGRAMS = Path(__file__).parents[2] / "fixtures" / "libraries"
NEEDS = {
    "cublas": ("hipblas",),
    "cub": ("hipcub",),
    "cub_device": ("hipcub",),
    "cub_scans": ("hipcub",),
    "thrust": ("thrust",),
    "thrust_scan": ("thrust",),
    "cufft": ("hipfft",),
    "cusparse": ("hipsparse",),
    "cusolver": ("hipsolver",),
    "curand": ("hiprand", "rocrand"),
}
"""The libraries that each program needs, as `mappings/doctor/libraries.yaml` names them."""
LINKED = {"cublas": "hipblas", "cufft": "hipfft", "cusparse": "hipsparse", "cusolver": "hipsolver", "curand": "hiprand"}
ON_THE_CPU = ("cublas", "curand")
pytestmark = [pytest.mark.slow, pytest.mark.toolchain]


def need(program: str) -> None:
    """Skip if a library is not installed; in CI, only if the system has no package of it."""
    where = Surroundings()
    try:
        include = find_hip(where).include
    except HipportError as missing:
        pytest.fail(f"{missing}") if os.environ.get("CI") else pytest.skip(f"{missing}")
    for name in NEEDS[program]:
        library = load_libraries()[name]
        if (include / library.header).is_file():
            continue
        message = f"{library.header} is not there: apt-get install {library.debian}"
        if os.environ.get("CI") and _packaged(library.since):
            pytest.fail(message)
        pytest.skip(message)


def _packaged(since: str) -> bool:
    """Return whether this release of Debian has a package that was added in release `since`."""
    release = platform.freedesktop_os_release()
    number = release.get("VERSION_ID", "")
    if release.get("ID") != "debian":
        return False
    return not number.isdigit() or (since.isdigit() and int(number) >= int(since))


def test_each_program_is_built() -> None:
    assert {path.stem for path in PROGRAMS.glob("*.cu")} == set(NEEDS)


@pytest.mark.parametrize("program", NEEDS)
def test_it_is_built_and_linked_for_amd_gpus(program: str, tmp_path: Path) -> None:
    need(program)
    libraries = (
        ["-lcublas"] if program == "cusolver" and (find_hip(Surroundings()).include / "hipblas").exists() else []
    )
    libraries += [f"-l{program}"] if program in LINKED else []
    source = str(PROGRAMS / f"{program}.cu")
    done = hipport(source, "-o", program, "--offload-arch", "gfx90a,gfx1100", *libraries, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.search(r": [\d,]+ bytes, (gfx90a, gfx1100|no GPU code), ", done.stdout)
    needed = subprocess.run(["readelf", "-d", tmp_path / program], capture_output=True, text=True, check=True).stdout
    assert f"lib{LINKED.get(program, 'amdhip64')}.so" in needed
    ran = subprocess.run([tmp_path / program], capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == (0 if ran.stdout.startswith("PASS: ") else 3), ran


@pytest.mark.parametrize("program", ON_THE_CPU)
def test_it_passes_on_the_cpu(program: str, tmp_path: Path) -> None:
    source = str(PROGRAMS / f"{program}.cu")
    done = hipport(source, "-o", program, "--target", "cpu", f"-l{program}", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    ran = subprocess.run([tmp_path / program], capture_output=True, text=True, check=False, timeout=120)
    assert ran.stdout.startswith(f"PASS: {program}: "), ran
