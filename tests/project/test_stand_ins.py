"""Headers that stand in for CUDA in builds without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.mappings.choice import NameChoice
from hipport.project.request import ConvertRequest, Mode
from hipport.project.run import run
from hipport.translate.context import Options

_STAND_IN = "#pragma once\nusing cudaStream_t = int*;\n#define __device__\n"
_UNIT = '#include <cuda_runtime.h>\n#include "context.h"\ncudaStream_t made(Context c) { return c.stream; }\n'


def _context(condition: str, *, behind_else: bool) -> str:
    stand_in = '#include "fake.h"\n'
    return (
        f"#pragma once\n{condition}\n{'#else' if behind_else else ''}\n{stand_in}#endif\n"
        "struct Context { cudaStream_t stream; };\n"
    )


def _converted(folder: Path, context: str) -> dict[str, str]:
    tree, out = folder / "in", folder / "out"
    tree.mkdir()
    for name, text in {"fake.h": _STAND_IN, "context.h": context, "a.cu": _UNIT}.items():
        (tree / name).write_text(text)
    run(ConvertRequest((str(tree),), Mode.OUTPUT, Options(), NameChoice(rocm="6.4"), folder=str(out), jobs=1), _quiet)
    return {path.name: path.read_text() for path in out.iterdir() if path.is_file()}


def _quiet(done: int, total: int) -> None:
    """Show no progress."""


@pytest.mark.parametrize(
    ("condition", "behind_else"),
    [("#ifndef APP_WITH_CUDA", False), ("#ifdef USE_CUDA", True), ("#if !defined(CUDA_FOUND)", False)],
)
def test_names_are_renamed_where_a_stand_in_defines_them(condition: str, behind_else: bool, tmp_path: Path) -> None:
    out = _converted(tmp_path, _context(condition, behind_else=behind_else))
    assert "hipStream_t stream" in out["context.h"]
    assert "using hipStream_t" in out["fake.h"]
    assert "hipStream_t made" in out["a.hip"]


@pytest.mark.parametrize("condition", ["#ifdef APP_WITH_CUDA", "#ifndef USE_CUDA_GRAPHS", "#ifndef APP_FAST"])
def test_other_headers_define_names_of_their_own(condition: str, tmp_path: Path) -> None:
    out = _converted(tmp_path, _context(condition, behind_else=False))
    assert "cudaStream_t stream" in out["context.h"]
    assert out["fake.h"] == _STAND_IN


_PORT = "#pragma once\n#define cudaFree hipFree\n#define CUDA_C_32F HIPBLAS_C_32F\n#define cublasCaxpy hipblasCaxpy\n"


@pytest.mark.parametrize(
    "condition",
    ["#elif __HIP__", "#elif defined(__HIP__)", "#elif defined(USE_HIP)", "#elif defined(__HIP_PLATFORM_AMD__)"],
)
def test_names_that_a_header_for_hip_defines_stay(condition: str, tmp_path: Path) -> None:
    context = f'#pragma once\n#ifdef __NVCC__\n#include <cuda.h>\n{condition}\n#include "fake.h"\n#endif\n'
    context += "inline void a(void* p) { cudaFree(p); use(CUDA_C_32F, cublasCaxpy); }\n"
    tree, out = tmp_path / "in", tmp_path / "out"
    tree.mkdir()
    for name, text in {"fake.h": _PORT, "context.h": context, "a.cu": '#include "context.h"\ncudaError_t e;\n'}.items():
        (tree / name).write_text(text)
    run(ConvertRequest((str(tree),), Mode.OUTPUT, Options(), NameChoice(rocm="6.4"), folder=str(out), jobs=1), _quiet)
    defined = [line for line in (out / "fake.h").read_text().splitlines() if line.startswith("#define")]
    assert defined == _PORT.splitlines()[1:]
