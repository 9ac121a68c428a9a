"""Each call of a texture or surface function compiles for AMD GPUs, or is reported."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.support import include_dir
from hipport.translate.context import Context, Options
from hipport.translate.convert import convert_source
from tests.translate.texture_calls import calls, program

ROCM = "5.2"


def translated(statements: list[str]) -> tuple[str, set[int]]:
    """Return the translation, and the numbers of the statements of which something is said."""
    done = convert_source(program(statements).encode(), "t.cu", Context(load_choice(NameChoice(rocm=ROCM)), Options()))
    return done.data.decode(), {found.line - 2 for found in done.diagnostics}


@pytest.mark.parametrize("type_", ["signed char", "int8_t"])
def test_the_header_is_for_signed_char_alone(type_: str) -> None:
    text = f"__global__ void k(float* o, cudaTextureObject_t t) {{ *o = tex2D<{type_}>(t, 0, 0); }}\n"
    context = Context(load_choice(NameChoice(rocm=ROCM)), Options())
    assert b"signed_texels.h" in convert_source(text.encode(), "t.cu", context).data
    other = text.replace(type_, "unsigned char")
    assert b"signed_texels.h" not in convert_source(other.encode(), "t.cu", context).data


@pytest.mark.slow
@pytest.mark.toolchain
def test_no_call_fails_without_a_report(tmp_path: Path) -> None:
    statements = calls()
    assert len(statements) > 1100
    text, reported = translated(statements)
    source = tmp_path / "t.hip"
    source.write_text(text)
    hipcc = shutil.which("hipcc")
    assert hipcc
    options = ["-x", "hip", "--offload-arch=gfx90a", "--cuda-device-only", "-std=c++17", "-w", "-fsyntax-only"]
    command = ["env", "HIP_PLATFORM=amd", hipcc, *options, "-ferror-limit=0", f"-I{include_dir()}", str(source)]
    errors = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    first = next(number for number, line in enumerate(text.splitlines(), 1) if line.startswith("__global__"))
    failing = {int(line) - first for line in re.findall(r"t\.hip:(\d+):\d+: ", errors)}
    assert len(failing) > 100
    assert [statements[number] for number in sorted(failing - reported)] == []
