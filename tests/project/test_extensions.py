"""Extensions of PyTorch: a converted tree is not translated again, and runs on the CPU."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from hipport.translate.passes.already_translated import MARK

PROJECT = Path(__file__).parents[2] / "fixtures/projects/torch_ops"
_TORCH = importlib.util.find_spec("torch")
needs_torch = pytest.mark.skipif(_TORCH is None, reason="torch is not installed")

_HIPIFY = """
import json, pathlib, sys
from torch.utils.hipify import hipify_python
root = sys.argv[1]
sources = [str(path) for path in pathlib.Path(root, "csrc").iterdir() if path.suffix in (".cpp", ".hip")]
done = hipify_python.hipify(project_directory=root, output_directory=root, includes=[root + "/*"], extra_files=sources,
                            header_include_dirs=[root], is_pytorch_extension=True, hipify_extra_files_only=True,
                            show_progress=False)
print(json.dumps({path: result.status for path, result in done.items()}))
"""
_RUN = """
import torch, torch_ops
rows = torch.randn(100, 7)
index = torch.randint(0, 10, (100,))
for kind, near in ((torch.float32, 1e-5), (torch.float64, 1e-12), (torch.float16, 5e-2), (torch.bfloat16, 5e-1)):
    expected = torch.zeros(10, 7, dtype=torch.float64).index_add_(0, index, rows.to(kind).double())
    assert torch.allclose(torch_ops.row_sum(rows.to(kind), index, 10).double(), expected, atol=near), kind
factors = torch.randn(100)
assert torch.equal(torch_ops.row_scale(rows, factors), rows * factors[:, None])
assert torch_ops.processors() > 0
try:
    torch_ops.row_sum(rows.to("meta"), index, 10)
except RuntimeError as error:
    assert "rows must be a CUDA tensor" in str(error)
else:
    raise SystemExit("a tensor that is on no device was accepted")
"""


def hipport(*arguments: object) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "hipport", *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("extension") / "out"
    hipport("convert", PROJECT, "-o", folder, "--torch", "2.13", "--rocm", "6.4")
    return folder


def test_sources_are_marked_and_headers_are_not(converted: Path) -> None:
    sources = sorted(path.name for path in (converted / "csrc").iterdir() if path.read_text().startswith(MARK + "\n"))
    assert sources == ["bindings.cpp", "row_scale.hip", "row_sum.hip"]


def test_unmarked_without_an_extension(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("__global__ void k() {}\n")
    hipport("convert", tmp_path / "a.cu", "-o", tmp_path / "out")
    assert MARK not in (tmp_path / "out/a.hip").read_text()


def test_sources_of_a_setup_py_are_marked_without_an_include_of_pytorch(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/setup.py").write_text("from torch.utils.cpp_extension import CUDAExtension\n")
    (tmp_path / "in/a.cu").write_text('#include "kernel.cuh"\n')
    hipport("convert", tmp_path / "in", "-o", tmp_path / "out")
    assert (tmp_path / "out/a.hip").read_text().startswith(MARK + "\n")


@needs_torch
def test_hipify_leaves_a_converted_tree_alone(converted: Path) -> None:
    before = {path: path.read_bytes() for path in converted.rglob("*") if path.is_file()}
    done = subprocess.run(
        [sys.executable, "-c", _HIPIFY, str(converted)], capture_output=True, text=True, check=True
    ).stdout
    statuses = json.loads(done.splitlines()[-1])
    assert {Path(path).name for path in statuses} == {"bindings.cpp", "row_scale.hip", "row_sum.hip"}
    assert set(statuses.values()) == {"[ignored, input is hipified output]"}
    assert {path: path.read_bytes() for path in converted.rglob("*") if path.is_file()} == before


@needs_torch
@pytest.mark.slow
@pytest.mark.toolchain
def test_extension_runs_on_the_cpu(tmp_path: Path) -> None:
    assert _TORCH is not None and _TORCH.origin is not None
    torch = Path(_TORCH.origin).parent
    headers = [torch / "include", torch / "include/torch/csrc/api/include", Path(sysconfig.get_path("include"))]
    module = tmp_path / "torch_ops.so"
    hipport(
        *("build", "--target", "cpu", *sorted((PROJECT / "csrc").glob("*.c*")), "--shared", "-o", module, "-O", "0"),
        *(
            "--torch",
            "2.13",
            "-L",
            torch / "lib",
            *(f"-l{name}" for name in ("torch", "torch_cpu", "c10", "torch_python")),
        ),
        *("--link-flag", f"-Wl,-rpath,{torch / 'lib'}", "--", "-std=c++20", "-w", "-DTORCH_EXTENSION_NAME=torch_ops"),
        *(word for folder in headers for word in ("-isystem", folder)),
        *("-include", "hipport_cpu/pytorch.h"),
    )
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    ran = subprocess.run([sys.executable, "-c", _RUN], env=environ, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
