"""`mma` compiles to AMD's matrix instructions and computes the same, on the CPU target's emulation."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hipport
from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source
from tests.llvm_releases import HIPCC, NEWER
from tests.translate.ptx.program import FOLDER, cases, program

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

INCLUDE = Path(hipport.__file__).parent / "include"
PROGRAMS = Path(__file__).parent / "programs"
COMMON = ("-std=c++17", f"-I{INCLUDE}", f"-I{FOLDER}")
MMA = [case for case in cases() if case.name.startswith("mma.")]
# Wavefront, generation of RDNA, and an instruction that has to be there.
UNITS = [
    (64, 11, "mfma_f32_4x4x4f16"),
    (32, 11, "wmma_f32_16x16x16_f16_w32"),
    (32, 12, "wmma_f32_16x16x16_f16_w32_gfx12"),
]


def run(*command: str | Path) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def translated(tables: Tables, tmp_path_factory: pytest.TempPathFactory) -> Path:
    conversion = convert_source(program(MMA, memory=False).encode(), "mma.cu", Context(tables))
    path = tmp_path_factory.mktemp("mma") / "mma.hip"
    path.write_bytes(conversion.data)
    return path


def for_cpu(source: Path, binary: Path, wave: int, rdna: int, *options: str) -> Path:
    lanes = (f"-DHIPPORT_WAVE_SIZE={wave}", f"-DHIPPORT_PTX_MATRIX_INSTRUCTIONS={rdna}", f"-I{INCLUDE / 'cpu'}")
    language = ("-frounding-math", "-x", "c++")
    run("g++", *COMMON, *lanes, *options, *language, source, "-o", binary, "-pthread", "-ldl")
    return binary


@pytest.mark.parametrize(("wave", "rdna", "instruction"), UNITS)
def test_products_are_right(wave: int, rdna: int, instruction: str, translated: Path, tmp_path: Path) -> None:
    """Without the fallback for missing instructions, except for elements that have none."""
    binary = for_cpu(translated, tmp_path / "mma", wave, rdna, "-DHIPPORT_PTX_WHOLE_WAVEFRONTS")
    assert f"__builtin_amdgcn_{instruction}\0".encode() in binary.read_bytes()
    assert run(binary).endswith(f"\n0 of {len(MMA)} instructions are wrong\n")


def test_warps_of_a_wavefront_do_not_see_each_other(tmp_path: Path) -> None:
    assert run(for_cpu(PROGRAMS / "warps_apart.hip", tmp_path / "apart", 64, 11)) == "0 wrong\n"


def for_amd(clang: str, target: str, output: Path, *options: str) -> str:
    """Return device code as assembly."""
    language = (clang, "-x", "hip", "--rocm-path=/usr", "--hip-version=5.2", "-nogpulib", "-D__HIP_PLATFORM_AMD__")
    device = (f"--offload-arch={target}", "--offload-device-only", "-O3", "-w", "-S", *options)
    run(*language, *COMMON, *device, PROGRAMS / "matrix_kernels.hip", "-o", output)
    return output.read_text()


_INSTRUCTIONS = {
    "gfx90a": "mfma_f32_4x4x4f16 mfma_f32_4x4x4bf16_1k mfma_f32_4x4x1f32 mfma_i32_4x4x4i8",
    "gfx942": "mfma_f32_4x4x4_16b_f16 mfma_f32_4x4x4_16b_bf16 mfma_f32_4x4x1_16b_f32 mfma_i32_4x4x4_16b_i8",
    "gfx1100": "wmma_f32_16x16x16_f16 wmma_f32_16x16x16_bf16 wmma_i32_16x16x16_iu8 wmma_i32_16x16x16_iu4",
    "gfx1200": "wmma_f32_16x16x16_f16 wmma_f32_16x16x16_bf16 wmma_i32_16x16x16_iu8 wmma_i32_16x16x32_iu4",
    "gfx1030": "",
}


@pytest.mark.parametrize("target", list(_INSTRUCTIONS))
def test_targets_get_their_instructions(target: str, tmp_path: Path) -> None:
    assembly = for_amd(f"clang++-{NEWER}", target, tmp_path / "kernels.s")
    assert set(re.findall(r"^\s+v_((?:mfma|wmma)_\w+)", assembly, re.MULTILINE)) == set(_INSTRUCTIONS[target].split())


@pytest.mark.parametrize(("release", "target"), [(HIPCC, "gfx908"), (HIPCC, "gfx90a"), (NEWER, "gfx1100")])
def test_fragments_stay_in_registers(release: int, target: str, tmp_path: Path) -> None:
    code = for_amd(f"clang++-{release}", target, tmp_path / "kernels.ll", "-emit-llvm")
    assert "llvm.amdgcn." + ("wmma" if target == "gfx1100" else "mfma") in code
    assert " alloca " not in code


@pytest.mark.skipif(not all(map(shutil.which, ("nvcc", "cuobjdump"))), reason="needs nvcc, which is not free software")
def test_nvidia_gpus_keep_the_instruction(translated: Path, tmp_path: Path) -> None:
    """On sm_80 the translation compiles to the matrix instruction of the original."""
    binary = tmp_path / "mma"
    hipport_build = (sys.executable, "-m", "hipport", "build", translated, "--target", "nvidia")
    run(*hipport_build, "--offload-arch", "sm_80", "-o", binary, "--", f"-I{FOLDER}")
    code = run("cuobjdump", "-sass", binary)
    for instruction in ("HMMA.16816.F32", "HMMA.16816.F32.BF16", "HMMA.1688.F32.TF32", "IMMA.16832.S8.S8"):
        assert re.search(rf"{re.escape(instruction)}\b", code), instruction
