"""Inline PTX that is kept in code for NVIDIA GPUs, because the host's launch relies on it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import hipport
from tests.nvidia.conftest import Compile, Toolkit
from tests.shared import EVERYTHING

_KERNEL = """#include <hip/hip_runtime.h>
#include <hipport/ptx/grids.h>
__global__ void kernel() {
  hipport::ptx::launch_dependent_grids();
  hipport::ptx::wait_for_grids();
}
"""


_LACKING = """#include <cuda_fp16.h>
#define LOADS(type) static __device__ inline type __ldcg(const type* from) { return *from; }
LOADS(float4) LOADS(float2) LOADS(float) LOADS(uint4) LOADS(uint2) LOADS(unsigned) LOADS(int)
"""
"""Functions that clang lacks."""


def test_kernels_wait_for_the_ones_ahead(toolkit: Toolkit, compiled: Compile, tmp_path: Path) -> None:
    source, assembly = tmp_path / "kernel.hip", tmp_path / "kernel.s"
    source.write_text(_KERNEL)
    for arch, kept in (("sm_90", ["launch_dependents", "wait"]), ("sm_80", [])):
        # Clang calls PTX for sm_90 by the release that came with it, whatever the toolkit.
        options = (f"--no-cuda-gpu-arch={toolkit.arch}", f"--cuda-gpu-arch={arch}", "--cuda-feature=+ptx80")
        written = ("--cuda-device-only", "-S", "-o", str(assembly))
        assert compiled(source, *options, *written) == ""
        assert re.findall(r"griddepcontrol\.(\w+);", assembly.read_text()) == kept


_NATIVE = ("-DHIPPORT_LLM_NATIVE=1", "-DHIPPORT_LLM_GROUP=0")


@pytest.mark.parametrize(
    ("name", "formats", "products"),
    [
        ("harness/kernels/matmul", (), {"m64n128k16", "m64n256k16"}),
        ("harness/kernels/prefill_attention", (), {"m64n64k16", "m64n128k16"}),
        ("harness/kernels/attention", (), {"m64n64k16", "m64n128k16"}),
        ("harness/kernels/gemm", (), {"m64n64k16", "m64n128k16", "m64n256k16"}),
        ("harness/kernels/grouped_gemm", (), {"m64n64k16", "m64n128k16", "m64n256k16"}),
        ("engine/native_groups", _NATIVE, {"m64n16k16", "m64n32k16", "m64n64k16", "m64n256k16"}),
    ],
)
def test_the_units_of_warp_groups_are_for_hopper(
    toolkit: Toolkit, compiled: Compile, tmp_path: Path, name: str, formats: tuple[str, ...], products: set[str]
) -> None:
    if toolkit.release < (12, 0) and name != "harness/kernels/matmul" and not EVERYTHING:
        pytest.skip("one source shows what is compiled without the units")
    source = Path(hipport.__file__).parent / "llm" / f"{name}.cu"
    assembly, lacking = tmp_path / "kernels.s", tmp_path / "lacking.h"
    lacking.write_text(_LACKING)
    # CUDA 11 has no instructions for the units.
    for arch, defines, wanted in (
        ("sm_90a", ("-DHIPPORT_LLM_HOPPER", "-DHIPPORT_LLM_WGMMA"), products if toolkit.release >= (12, 0) else set()),
        ("sm_90", ("-DHIPPORT_LLM_HOPPER",), set()),
    ):
        options = (
            f"--no-cuda-gpu-arch={toolkit.arch}",
            f"--cuda-gpu-arch={arch}",
            "--cuda-feature=+ptx80",
            "--no-cuda-version-check",
        )
        assert (
            compiled(
                source,
                *options,
                *defines,
                *formats,
                "-include",
                str(lacking),
                "-O1",
                "--cuda-device-only",
                "-S",
                "-o",
                str(assembly),
            )
            == ""
        )
        assert set(re.findall(r"wgmma\.mma_async\.sync\.aligned\.(\w+)\.f32\.f16\.f16", assembly.read_text())) == wanted
