"""Host compilers read all of hipport's headers, for sources that host and device share."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hipport.support import include_dir

HEADERS = sorted(path.relative_to(include_dir()) for path in Path(include_dir(), "hipport").glob("*/*.h"))
LIBRARIES = (
    *("hipblas/", "hipcub/", "hipsolver/", "miopen/", "roctracer/", "hipfft/", "rccl/", "hiprand/", "hipsparse/"),
    "thrust/",
)
OF_HIP = "surfaces.h"
"""GCC does not read HIP's own header of surfaces."""


def errors(compiler: str, header: Path) -> str:
    command = [
        compiler,
        "-x",
        "c++",
        "-std=c++17",
        "-D__HIP_PLATFORM_AMD__",
        f"-I{include_dir()}",
        "-fsyntax-only",
        "-w",
    ]
    done = subprocess.run([*command, "-"], input=f"#include <{header}>\n", capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def test_there_are_headers() -> None:
    assert len(HEADERS) > 80


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.parametrize("header", HEADERS, ids=str)
def test_a_host_compiler_reads_the_header(header: Path) -> None:
    if header.name == OF_HIP:
        pytest.skip(OF_HIP)
    said = errors("g++", header)
    missing = said.find("No such file or directory") >= 0 and any(f"{library}" in said for library in LIBRARIES)
    assert not said or missing, said[:2000]
