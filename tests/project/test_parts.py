"""Includes that translations need are where a compiler takes them, for files included in all kinds of places."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hipport.mappings.choice import NameChoice
from hipport.project.request import ConvertRequest, Mode
from hipport.project.run import run
from hipport.translate.context import Options

VOTE = "hipport/compat/lanes.h"
SIMD = "hipport/compat/simd.h"
PARTS = {
    "scope.hu": "__device__ unsigned in_scope(unsigned a) { return __vadd2(a, __ballot_sync(~0u, 1)); }\n",
    "linkage.inl": "__device__ unsigned linked(unsigned a) { return __vadd2(a, 1u); }\nvoid made(cudaStream_t);\n",
    "body.cuinc": "  unsigned vote = __any_sync(~0u, threadIdx.x == 1);\n  out[0] = vote;\n",
    "members": "__device__ unsigned member(unsigned a) { return __vadd2(a, 2u); }\n",
    "list.def": "  cudaErrorInvalidValue,\n  cudaErrorMemoryAllocation,\n",
    "twice.inc": 'ITEM(cudaSuccess, "no error")\nITEM(cudaErrorNotReady, "not ready")\n',
    "values.tpp": "{__brev(1u), __vadd2(1u, 2u)}",
    "nested.x": '#include "deeper"\n',
    "deeper": "__device__ unsigned deep(unsigned a) { return __vadd2(a, __ballot_sync(~0u, 1)); }\n",
    "guarded.hu": "#pragma once\n__device__ inline unsigned guarded(unsigned a) { return __vadd2(a, 4u); }\n",
    "branch.inc": "__device__ inline unsigned branch(unsigned a) { return __vadd2(a, 4u); }\n",
}
MAIN = """#ifndef NAME
#define NAME 1
#endif
#include <cstdio>  /* a comment that
goes on */
#define warp32 thirty_two
#undef warp32
#define MORE "guarded.hu"
#include MORE

namespace n {
#include "scope.hu"
namespace m {
#include "nested.x"
}
}
extern "C" {
#include "linkage.inl"
}
struct S {
#include "members"
};
static const cudaError_t codes[] = {
#include "list.def"
};
#ifdef NAME
#include "branch.inc"
#endif
static const char* name(cudaError_t code) {
  switch (code) {
#define ITEM(code, text) case code: return text;
#include "twice.inc"
#undef ITEM
  default: return "";
  }
}
#define ITEM(code, text) +1
static const int count = 0
#include "twice.inc"
;
#undef ITEM
__global__ void k(unsigned* out) {
#include "body.cuinc"
  const unsigned values[2] =
#include "values.tpp"
  ;
  out[1] = values[0] + n::in_scope(1) + n::m::deep(2) + linked(3) + S().member(4) + guarded(5) + branch(6);
}
int main() { std::printf("%s %d %d", name(cudaSuccess), count, (int)codes[0]); }
"""


def converted(folder: Path) -> Path:
    (folder / "in").mkdir()
    for name, text in {**PARTS, "main.cu": MAIN}.items():
        (folder / "in" / name).write_text(text)
    names = NameChoice(rocm="5.2")
    request = ConvertRequest((str(folder / "in"),), Mode.OUTPUT, Options(), names=names, folder=str(folder / "out"))
    run(request, lambda done, total: None)
    return folder / "out"


def test_only_the_top_of_a_file_gets_includes(tmp_path: Path) -> None:
    out = converted(tmp_path)
    for name in PARTS.keys() - {"guarded.hu", "branch.inc"}:
        text = (out / name).read_text()
        assert text.count("#include") == PARTS[name].count("#include"), name
        assert "cuda" not in text, name
    head = (out / "main.hip").read_text().partition("#define warp32")[0]
    assert {VOTE, SIMD, "hip/hip_runtime.h"} <= {*re.findall(r"#include <(.*)>", head)}


@pytest.mark.toolchain
@pytest.mark.slow
def test_the_translation_compiles(tmp_path: Path) -> None:
    if shutil.which("hipcc") is None:
        assert not os.environ.get("CI"), "hipcc is missing"
        pytest.skip("hipcc is not installed")
    out = converted(tmp_path)
    command = ["hipcc", "--offload-arch=gfx90a", "-fsyntax-only", "-w", "-std=c++17", "-I.", "main.hip"]
    done = subprocess.run(command, cwd=out, env={**os.environ, "HIP_PLATFORM": "amd"}, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
