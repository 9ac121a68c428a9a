"""Settings of `hipport.toml` that the commands follow; options of the command line come first."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import jsonschema
import pytest

from hipport.project.setting_keys import KEYS
from scripts import settings_schema
from tests import served

SOURCE = """\
#include <cuda_runtime.h>
__global__ void k(int* out) { unsigned odd = __ballot_sync(0xffffffff, 1); out[threadIdx.x] = odd; }
int main() { cudaCtxResetPersistingL2Cache(); k<<<1, 64>>>(nullptr); }
"""


def hipport(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return served.hipport(*options, cwd=folder)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "a.cu").write_text(SOURCE)
    (tmp_path / "CMakeLists.txt").write_text(
        "project(x LANGUAGES CUDA)\nset(CMAKE_CUDA_ARCHITECTURES 80)\nadd_executable(a a.cu)\n"
    )
    return tmp_path


def test_launches_and_targets(tree: Path) -> None:
    (tree / "hipport.toml").write_text('launch = "chevron"\noffload-arch = ["gfx942"]\nignore = ["HP"]\n')
    assert hipport(tree, "convert", ".", "-o", "out").returncode == 0
    assert "k<<<1, 64>>>" in (tree / "out/a.hip").read_text()
    assert "set(CMAKE_HIP_ARCHITECTURES gfx942 " in (tree / "out/CMakeLists.txt").read_text()
    hipport(tree, "convert", ".", "-o", "other", "--launch", "ggl", "--offload-arch", "gfx90a")
    assert "hipLaunchKernelGGL" in (tree / "other/a.hip").read_text()
    assert "set(CMAKE_HIP_ARCHITECTURES gfx90a " in (tree / "other/CMakeLists.txt").read_text()


def test_findings_and_the_baseline(tree: Path) -> None:
    assert hipport(tree, "check", "a.cu").returncode == 1
    (tree / "hipport.toml").write_text('ignore = ["HP101"]\n')
    done = hipport(tree, "check", "a.cu")
    assert done.returncode == 0 and "HP101" not in done.stderr
    (tree / "hipport.toml").write_text('baseline = "accepted.json"\n')
    assert "cannot read the baseline" in hipport(tree, "check", "a.cu").stderr
    hipport(tree, "check", "a.cu", "--write-baseline", "accepted.json")
    done = hipport(tree, "check", "a.cu")
    assert done.returncode == 0 and "accepted" in done.stderr


def test_the_wavefront_size(tree: Path) -> None:
    plain = hipport(tree, "check", "a.cu").stderr
    (tree / "hipport.toml").write_text("wave-size = 32\n")
    assert "HP205" in plain and "HP205" not in hipport(tree, "check", "a.cu").stderr
    assert hipport(tree, "check", "a.cu").stderr == hipport(tree, "check", "a.cu", "--wave-size", "32").stderr
    assert hipport(tree, "check", "a.cu", "--wave-size", "auto").stderr == plain


def test_the_schema_is_the_one_of_the_code() -> None:
    assert settings_schema.TARGET.read_text() == settings_schema.text()


@pytest.mark.parametrize(
    ("data", "valid"),
    [
        ({"wave-size": 64, "per-file-ignores": {"a/": ["HP2"]}, "targets": {"a": {"sources": ["a.cu"]}}}, True),
        ({"wave-size": 16}, False),
        ({"ignore": ["HP1x"]}, False),
        ({"unknown": 1}, False),
        ({"targets": {"a": {"sources": ["a.cu"], "include_dirs": ["i"]}}}, False),
    ],
)
def test_the_schema(data: dict[str, object], valid: bool) -> None:
    assert jsonschema.Draft202012Validator(json.loads(settings_schema.text())).is_valid(data) is valid


def test_the_page_names_every_key() -> None:
    page = (Path(__file__).parents[2] / "docs/settings.md").read_text()
    assert [name for name in KEYS if f"| `{name}` |" not in page] == []
