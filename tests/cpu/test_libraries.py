"""Every library that the tables know works on the CPU target, or stops the build with one line."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from hipport.mappings.loader import load_libraries as load_tables
from hipport.support import include_dir
from hipport.toolchain.libraries import load_libraries
from tests.cpu.conftest import COMPILERS, PROGRAMS, Builder
from tests.shared import EVERYTHING

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

CPU = include_dir() / "cpu"
TRANSLATED = {"hipcub", "rocprim", "thrust"}
"""Headers in HIP: see test_device_libraries.py."""
REFUSED = {
    *("rocblas", "hipblaslt", "rocfft", "rocrand", "rocsolver", "rocsparse", "hipsparselt", "hiptensor"),
    *("rocwmma", "amd_smi", "rocm_smi"),
}
SUPPORTED = sorted(load_libraries().keys() - TRANSLATED - REFUSED)


def compiled(header: str) -> subprocess.CompletedProcess[str]:
    """Compile a use of a header as C++17 with g++."""
    command = ["g++", "-x", "c++", "-std=c++17", "-fsyntax-only", "-w", "-isystem", str(CPU), "-"]
    text = f"#include <{header}>\nundeclared name;\n"
    return subprocess.run(command, input=text, capture_output=True, text=True)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_other_libraries_stop_with_one_line(name: str) -> None:
    assert shutil.which("g++"), "g++ is missing"
    done = compiled(load_libraries()[name].header)
    errors = [line for line in done.stderr.splitlines() if "error: " in line]
    assert len(errors) == 1
    assert "the CPU target does not support" in errors[0]


def translated_headers() -> set[str]:
    """Return the headers that CUDA's are translated to, without those of PyTorch and of the translated libraries."""
    rows = [row for library in load_tables() for row in library.headers]
    names = {target.name for row in rows for target in (*row.hip, *row.roc)}
    return {name for name in names if name.partition("/")[0] not in {*TRANSLATED, "ATen", "c10", "torch"}}


def test_every_header_that_programs_are_translated_to_is_supported_or_stops_with_one_line() -> None:
    for name in sorted(translated_headers()):
        assert (CPU / name).is_file() or (include_dir() / name).is_file(), name
        if "does not support" in (CPU / name).read_text():
            errors = [line for line in compiled(name).stderr.splitlines() if "error: " in line]
            assert len(errors) == 1 and "the CPU target does not support" in errors[0]


@pytest.mark.parametrize("name", SUPPORTED)
def test_the_headers_of_the_others_compile(name: str) -> None:
    done = compiled(load_libraries()[name].header)
    errors = [line for line in done.stderr.splitlines() if "error: " in line]
    assert len(errors) == 1
    assert "undeclared" in errors[0]


@pytest.mark.parametrize("compiler", COMPILERS if EVERYTHING else ["clang++"])
def test_fourier_transforms_are_the_sums_that_define_them(compiler: str, built: Builder) -> None:
    done = built([PROGRAMS / "fft.hip"], "--compiler", compiler, "-O", "0").run()
    assert (done.stdout, done.returncode) == ("PASS\n", 0), done.stdout + done.stderr


@pytest.mark.parametrize("compiler", COMPILERS if EVERYTHING else ["g++"])
def test_collective_operations(compiler: str, built: Builder) -> None:
    done = built([PROGRAMS / "ccl.cu"], "--compiler", compiler, "-O", "0").run(HIPPORT_DEVICES="4")
    assert (done.stdout, done.returncode) == ("PASS\n", 0), done.stdout + done.stderr
    assert done.stderr == "hipport: RCCL: the ranks do not call the same collective operation (number 56)\n"
