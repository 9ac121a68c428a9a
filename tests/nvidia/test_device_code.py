"""Inline PTX that is kept in code for NVIDIA GPUs, because the host's launch relies on it."""

from __future__ import annotations

import re
from pathlib import Path

from tests.nvidia.conftest import Compile, Toolkit

_KERNEL = """#include <hip/hip_runtime.h>
#include <hipport/ptx/grids.h>
__global__ void kernel() {
  hipport::ptx::launch_dependent_grids();
  hipport::ptx::wait_for_grids();
}
"""


def test_kernels_wait_for_the_ones_ahead(toolkit: Toolkit, compiled: Compile, tmp_path: Path) -> None:
    source, assembly = tmp_path / "kernel.hip", tmp_path / "kernel.s"
    source.write_text(_KERNEL)
    for arch, kept in (("sm_90", ["launch_dependents", "wait"]), ("sm_80", [])):
        # Clang calls PTX for sm_90 by the release that came with it, whatever the toolkit.
        options = (f"--no-cuda-gpu-arch={toolkit.arch}", f"--cuda-gpu-arch={arch}", "--cuda-feature=+ptx80")
        written = ("--cuda-device-only", "-S", "-o", str(assembly))
        assert compiled(source, *options, *written) == ""
        assert re.findall(r"griddepcontrol\.(\w+);", assembly.read_text()) == kept
