from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from hipport import codeobject
from hipport.builds.amd.compression import compressed, compressing_bundler
from hipport.builds.plan import StepKind
from hipport.errors import HipportError
from hipport.toolchain.places import Surroundings
from tests.builds.fakes import CLANG, device_libraries, planner, unit
from tests.llvm_releases import NEWER
from tests.small_hip import built, hipport

KERNEL = "#include <hip/hip_runtime.h>\n__global__ void k(float *p) { p[threadIdx.x] *= 2; }\n"


def bundler(folder: Path, *options: str) -> Path:
    """A fake bundler that supports these options."""
    folder.mkdir(parents=True)
    path = folder / "clang-offload-bundler"
    path.write_text(f"#!/bin/sh\necho '  --type=<string> - Type'\necho '  {' '.join(options)} - x'\n")
    path.chmod(0o755)
    return path


def test_the_first_bundler_that_can_compress_is_taken(tmp_path: Path) -> None:
    where = Surroundings({}, tmp_path)
    old = bundler(tmp_path / "opt/rocm/llvm/bin", "--list")
    with pytest.raises(HipportError, match="no bundler on this machine can compress: ") as found:
        compressing_bundler(where, CLANG)
    assert str(old) in str(found.value) and "LLVM 18 or newer" in str(found.value.hint)
    new = bundler(tmp_path / "usr/lib/llvm-19/bin", "--compress ")
    assert compressing_bundler(where, CLANG) == new


def test_bundles_are_compressed_or_the_link_of_device_code(tmp_path: Path) -> None:
    plan = planner(device_libraries(tmp_path, "90a", "1100")).plan([unit()])
    with_bundles = compressed(plan, CLANG, rdc=False)
    assert [step.kind for step in with_bundles.steps if "-compress" in step.command] == [StepKind.BUNDLE]
    with_link = compressed(plan, CLANG, rdc=True)
    assert [step.kind for step in with_link.steps if "--offload-compress" in step.command] == [StepKind.LINK]
    with pytest.raises(HipportError, match="--compress with -fgpu-rdc needs clang 18 or newer"):
        compressed(plan, replace(CLANG, clang="17.0.6"), rdc=True)


@pytest.mark.toolchain
@pytest.mark.slow
def test_what_is_compressed_is_what_the_bundler_takes_out_again(tmp_path: Path) -> None:
    (tmp_path / "k.hip").write_text(KERNEL)
    command = ("k.hip", "--genco", "--offload-arch", "gfx90a,gfx1030", "-o")
    built(*command, "small", "--compress", cwd=tmp_path)
    (bundle,) = codeobject.read(tmp_path / "small").bundles
    assert (bundle.format, bundle.compression) == ("compressed", "zstd")
    assert (bundle.uncompressed_size or 0) > (tmp_path / "small").stat().st_size
    program = f"/usr/lib/llvm-{NEWER}/bin/clang-offload-bundler"
    for target in ("gfx90a", "gfx1030"):
        names = f"-targets=hipv4-amdgcn-amd-amdhsa--{target}"
        subprocess.run(
            [program, "-unbundle", "-type=o", names, "-input=small", "-output=out.co"], cwd=tmp_path, check=True
        )
        (code,) = (tmp_path / "small.build").rglob(f"{target}.co")
        assert (tmp_path / "out.co").read_bytes() == code.read_bytes()
    assert [entry.target_id for entry in bundle.entries if entry.kernels] == ["gfx90a", "gfx1030"]
    wrong = hipport("k.hip", "--target", "cpu", "--compress", "-o", "x", cwd=tmp_path)
    assert wrong.returncode == 2 and "--compress needs --target amd" in wrong.stderr
