"""Fallbacks for old CUDA releases: names are translated in them and in their uses, and HIP's compilers skip them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hipport.mappings.loader import Tables
from hipport.project.request import Mode
from hipport.project.run import run
from hipport.translate.context import Context, Options
from hipport.translate.convert import convert_source
from tests.project.fake import build, request

_OLD = [
    "#if CUDA_VERSION < 8000",
    "#if CUDART_VERSION<8000",
    "#if CUDA_VERSION <= 7050",
    "#if !(CUDA_VERSION >= 8000)",
    "#if 8000 > CUDA_VERSION",
    "#if defined(CUDART_VERSION) && CUDART_VERSION < 8000",
    "#if defined(CUDART_VERSION) && (CUDART_VERSION < 8000)",
    "#if (CUDA_VERSION / 1000) < 8",
    "#if __CUDACC_VER_MAJOR__ < 8",
    "#if CUDA_VERSION >= 8000\n#else",
    "#if CUDA_VERSION >= 9000\n#elif CUDA_VERSION < 8000",
    "#ifdef __CUDACC__\n#if CUDA_VERSION < 8000",
]
_FALLBACKS = [
    "#define cudaHostRegister(p, n, f) fallback(p, n, f)",
    "#define cudaHostRegister fallback",
    "static cudaError_t cudaHostRegister(void* p, size_t n, unsigned f) { return fallback(p, n, f); }",
    "#define cudaHostRegister(p, n, f) \\\n    fallback(p, n, f)",
    "#undef cudaHostRegister\n#define cudaHostRegister fallback",
]
_USE = "int use(void* p) { return cudaHostRegister(p, 4, 0); }\n"


def guarded(old: str, fallback: str) -> str:
    ends = "\n#endif" * sum(line.startswith("#if") for line in old.split("\n"))
    return f"{old}\n{fallback}{ends}\n"


def as_hip(text: str) -> str:
    """Return what HIP's compilers see of a translation without its includes."""
    plain = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#include"))
    command = ["cc", "-E", "-P", "-x", "c++", "-D__HIP_PLATFORM_AMD__", "-D__HIPCC__", "-"]
    return subprocess.run(command, input=plain, capture_output=True, text=True, check=True).stdout


@pytest.mark.toolchain
@pytest.mark.parametrize("fallback", _FALLBACKS)
@pytest.mark.parametrize("old", _OLD)
def test_a_fallback_in_the_same_file(old: str, fallback: str, tables: Tables) -> None:
    source = "#include <cuda_runtime.h>\n" + guarded(old, fallback) + _USE
    text = convert_source(source.encode(), "a.cu", Context(tables, Options())).data.decode()
    seen = as_hip(text)
    assert "return hipHostRegister(p, 4, 0);" in seen and "fallback" not in seen, text


@pytest.mark.parametrize("fallback", _FALLBACKS)
def test_a_fallback_in_a_header(tmp_path: Path, fallback: str) -> None:
    files: dict[str, str | bytes] = {f"old{number}.h": guarded(old, fallback) for number, old in enumerate(_OLD)}
    uses: dict[str, str | bytes] = {f"a{n}.cu": f'#include "old{n}.h"\n{_USE}' for n in range(len(_OLD))}
    build(tmp_path / "in", files | uses)
    run(request(Mode.OUTPUT, tmp_path / "in", folder=str(tmp_path / "out")), lambda done, total: None, convert_source)
    for number in range(len(_OLD)):
        assert "hipHostRegister(p, 4, 0)" in (tmp_path / f"out/a{number}.hip").read_text(), _OLD[number]
        assert "cudaHostRegister" not in (tmp_path / f"out/old{number}.h").read_text(), _OLD[number]
