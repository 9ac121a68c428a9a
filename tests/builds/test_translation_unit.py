"""Translating one source with its headers for a build system."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SOURCES = {
    "src/main.cu": '#include <kernels.cuh>\n#include "own.h"\n#include <cstdio>\nint main() { cudaFree(0); }\n',
    "src/own.h": "#define OWN 1\n",
    "include/kernels.cuh": '#include <cuda_runtime.h>\n#include "deep/more.h"\n',
    "include/deep/more.h": "inline auto f() { return cudaSuccess; }\n",
    "src/plain.cpp": "int main() {}\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in SOURCES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def translate(tree: Path, source: str, output: str, *options: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "hipport", "translate-unit", source, "-o", output, "--mirror", "m"]
    return subprocess.run([*words, "--rocm", "6.2", *options], cwd=tree, capture_output=True, text=True, check=False)


def test_includes_lead_to_translations(tree: Path) -> None:
    done = translate(tree, "src/main.cu", "out/main.hip", "-I", "include", "-I", "", "--depfile", "out/main.d")
    assert (done.returncode, done.stderr) == (0, "")
    mirror = f"m{tree}"
    text = (tree / "out/main.hip").read_text()
    assert f'#include "../{mirror}/include/kernels.cuh"\n#include "../{mirror}/src/own.h"\n#include <cstdio>' in text
    assert "hipFree" in text
    assert '#include "deep/more.h"' in (tree / mirror / "include/kernels.cuh").read_text()
    assert "hipSuccess" in (tree / mirror / "include/deep/more.h").read_text()
    names = ("include/deep/more.h", "include/kernels.cuh", "src/main.cu", "src/own.h")
    assert (tree / "out/main.d").read_text() == f"out/main.hip: {' '.join(str(tree / name) for name in names)}\n"


def test_the_output_changes_when_a_header_does_and_only_then(tree: Path) -> None:
    output = tree / "out.hip"
    translate(tree, "src/main.cu", "out.hip", "-I", "include")
    before, date = output.read_text(), output.stat().st_mtime_ns
    translate(tree, "src/main.cu", "out.hip", "-I", "include")
    assert output.stat().st_mtime_ns == date
    (tree / "include/deep/more.h").write_text("inline auto f() { return cudaErrorInvalidValue; }\n")
    translate(tree, "src/main.cu", "out.hip", "-I", "include")
    after = output.read_text()
    assert after != before and after.splitlines()[:-1] == before.splitlines()[:-1]


def test_a_source_without_cuda_is_included_as_it_is(tree: Path) -> None:
    translate(tree, "src/plain.cpp", "plain.cpp")
    assert (tree / "plain.cpp").read_text().splitlines()[0] == f'#include "{tree}/src/plain.cpp"'


def test_findings_are_told_and_wrong_use_too(tree: Path) -> None:
    (tree / "bad.cu").write_text("void f() { cudaCtxResetPersistingL2Cache(); }\n")
    done = translate(tree, "bad.cu", "bad.hip")
    assert done.returncode == 0 and f"{tree}/bad.cu:1:12: error[HP101]" in done.stderr
    done = translate(tree, "none.cu", "none.hip")
    assert done.returncode == 1 and done.stderr == "hipport: error: cannot read none.cu: no such file or directory\n"
    done = translate(tree, "src/plain.cpp", "src/plain.cpp/x.cpp")
    assert done.returncode == 1 and "cannot write" in done.stderr and "Traceback" not in done.stderr


def test_a_source_that_is_hip_already_is_included_as_it_is(tree: Path) -> None:
    own = "#ifdef __HIP_PLATFORM_AMD__\n#include <hip/hip_runtime.h>\n#define gpuFree hipFree\n"
    other = "#else\n#include <cuda_runtime.h>\n#define gpuFree cudaFree\n#endif\n"
    (tree / "include/own_port.h").write_text(own + other)
    (tree / "port.cu").write_text(
        "#include <own_port.h>\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); gpuFree(0); }\n"
    )
    done = translate(tree, "port.cu", "port.hip", "-I", "include", "--depfile", "port.d")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tree / "port.hip").read_text().splitlines()[0] == f'#include "{tree}/port.cu"'
    assert (tree / "port.d").read_text() == f"port.hip: {tree}/include/own_port.h {tree}/port.cu\n"
