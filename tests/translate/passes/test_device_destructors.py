"""Destructors for the device that do nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.project.request import Mode
from hipport.project.run import run
from hipport.translate.convert import convert_source
from tests.project.fake import build, request

_MACROS = """#ifdef __CUDACC__
#define DEVICE __device__
#define BOTH __host__ __device__
#else
#define DEVICE
#define BOTH
#endif
"""


@pytest.mark.parametrize(
    ("destructor", "expected"),
    [
        ("__device__ ~Base() {}", "__host__ __device__ ~Base() {}"),
        ("__device__ virtual ~Base() { }", "__host__ __device__ virtual ~Base() { }"),
        ("virtual __device__ ~Base() noexcept {}", "virtual __host__ __device__ ~Base() noexcept {}"),
        ("DEVICE virtual ~Base() {}", "__attribute__((host)) DEVICE virtual ~Base() {}"),
        ("BOTH virtual ~Base() {}", ""),
        ("OTHER virtual ~Base() {}", ""),
        ("__host__ __device__ ~Base() {}", ""),
        ("__device__ ~Base() { release(); }", ""),
        ("__device__ ~Base();", ""),
        ("~Base() {}", ""),
    ],
)
def test_an_empty_one_is_for_the_host_too(tmp_path: Path, destructor: str, expected: str) -> None:
    source = f'#include "macros.h"\nstruct Base {{\n  {destructor}\n}};\n'
    source += "struct Holds : Base { std::shared_ptr<int> p; };\n__global__ void k() {}\n"
    build(tmp_path / "tree", {"macros.h": _MACROS, "a.cu": source})
    run(request(Mode.OUTPUT, tmp_path / "tree", folder=str(tmp_path / "out")), lambda done, total: None, convert_source)
    assert f"\n  {expected or destructor}\n" in (tmp_path / "out" / "a.hip").read_text()
