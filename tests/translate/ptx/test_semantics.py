"""The translated instructions agree with the model: run on the CPU target; some are compiled for AMD GPUs.

All run with wavefronts of 64 lanes, and with 32 lanes those that have to do with lanes; all with HIPPORT_TEST_ALL=1.
`fixtures/ptx/README.md` tells how the model itself is compared with an NVIDIA GPU.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import hipport
from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source
from tests.shared import EVERYTHING
from tests.translate.ptx.program import FOLDER, MEMORY, cases, program, translated

INCLUDE = Path(hipport.__file__).parent / "include"
OF_LANES = ("%", "WARP", "activemask", "bar", "elect", "match", "mma", "movmatrix", "redux", "shfl", "vote")
COMMON = ("-std=c++17", f"-I{INCLUDE}", f"-I{FOLDER}")


@pytest.fixture(scope="session")
def translation(tables: Tables, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The translated program; tests/emulate/test_translated.py runs it as code for AMD GPUs."""
    return translated(tmp_path_factory, tables)


def run(*command: str | Path) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def _compile_for_amd(source: Path, target: str, output: Path) -> None:
    hipcc = shutil.which("hipcc")
    assert hipcc, "hipcc is missing"
    run("env", "HIP_PLATFORM=amd", hipcc, *COMMON, f"--offload-arch={target}", "-c", source, "-o", output)


def _agrees(source: Path, wave: int, instructions: int) -> None:
    binary = source.parent / f"semantics{wave}"
    lanes = (f"-DHIPPORT_WAVE_SIZE={wave}", f"-I{INCLUDE / 'cpu'}", "-frounding-math", "-x", "c++")
    run("g++", *COMMON, *lanes, source, "-o", binary, "-pthread", "-ldl")
    assert run(binary).endswith(f"\n0 of {instructions} instructions are wrong\n")


@pytest.mark.slow
def test_the_translation_computes_what_the_model_says(translation: Path) -> None:
    _agrees(translation, 64, len(cases()) + len(MEMORY))


@pytest.mark.slow
def test_it_does_so_on_wavefronts_of_32_lanes(tables: Tables, tmp_path: Path) -> None:
    chosen = [case for case in cases() if EVERYTHING or case.name.startswith(OF_LANES)]
    assert len(chosen) > 60
    source = tmp_path / "lanes.hip"
    source.write_bytes(convert_source(program(chosen).encode(), "lanes.cu", Context(tables)).data)
    _agrees(source, 32, len(chosen) + len(MEMORY))


@pytest.mark.toolchain
@pytest.mark.parametrize("target", ["gfx90a", "gfx1030"])
@pytest.mark.parametrize("name", ["overview.cu", "kernels.cu"])
def test_translated_pairs_compile_for_amd_gpus(name: str, target: str, tables: Tables, tmp_path: Path) -> None:
    data = (FOLDER.parent / "pairs" / "ptx" / name).read_bytes()
    path = tmp_path / "translated.hip"
    path.write_bytes(convert_source(data, name, Context(tables)).data)
    _compile_for_amd(path, target, tmp_path / "translated.o")
