"""Options that select the names to write, by the installed command."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests import served
from tests.project.fake import build

SOURCE = "cudaMallocAsync(&p, 1, s);\ncublasDscal(h, 1, x, x, 1);\nOWN_CUDA(1);\n"


def convert(*arguments: str | Path, cwd: Path, rocm_path: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "ROCM_PATH": str(rocm_path or ""), "HIP_PATH": ""}
    return served.hipport("convert", *arguments, cwd=cwd, env=environment, timeout=120)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    build(tmp_path, {"src/a.h": SOURCE, "own.yaml": "macros:\n  OWN_CUDA: OWN_HIP\n"})
    return tmp_path


def installed(root: Path, major: int, minor: int) -> Path:
    """Create an installation of this HIP release, with only the headers that hipport looks for."""
    version = f"#define HIP_VERSION_MAJOR {major}\n#define HIP_VERSION_MINOR {minor}\n#define HIP_VERSION_PATCH 4\n"
    build(root, {"rocm/include/hip/hip_runtime.h": "", "rocm/include/hip/hip_version.h": version})
    return root / "rocm"


def test_the_release_asked_for(tree: Path) -> None:
    done = convert("src/a.h", "--stdout", "--rocm", "5.1", cwd=tree, rocm_path=installed(tree, 6, 2))
    assert done.stdout.splitlines()[0] == "cudaMallocAsync(&p, 1, s);"
    assert "hipMallocAsync came with ROCm 5.2.0, but the target is ROCm 5.1" in done.stderr
    new = convert("src/a.h", "--check", "--rocm", "6.4.1", cwd=tree)
    assert new.stderr == "hipport: 1 source read, 1 would be changed, for ROCm 6.4.1\n"


@pytest.mark.parametrize(
    ("version", "shown"), [((6, 2), "6.2 (installed)"), ((5, 1), "5.1 (installed)"), ((99, 1), "7.2 (installed)")]
)
def test_the_installed_release(version: tuple[int, int], shown: str, tree: Path) -> None:
    done = convert("src", "--check", cwd=tree, rocm_path=installed(tree, *version))
    assert f"for ROCm {shown}" in done.stderr.splitlines()[-1]


def test_names_of_roc_libraries_and_of_ones_own(tree: Path) -> None:
    arguments = ("src/a.h", "--stdout", "--libs", "roc", "--mappings", "own.yaml", "--rocm", "6.2")
    done = convert(*arguments, cwd=tree)
    assert done.stdout.splitlines()[1:] == ["rocblas_dscal(h, 1, x, x, 1);", "OWN_HIP(1);"]


def test_settings_of_the_project_and_options_above_them(tree: Path) -> None:
    settings = '[tool.hipport]\nmappings = ["../own.yaml"]\nrocm = "6.2"\nlibs = "roc"\ncuda = "11.0"\n'
    (tree / "src/pyproject.toml").write_text(settings)
    done = convert("src/a.h", "--stdout", cwd=tree)
    assert done.stdout.splitlines()[1:] == ["rocblas_dscal(h, 1, x, x, 1);", "OWN_HIP(1);"]
    assert "cudaMallocAsync is not in CUDA 11.0: it came with CUDA 11.2" in done.stderr
    again = convert("src/a.h", "--stdout", "--libs", "hip", "--cuda", "12.0", cwd=tree)
    assert again.stdout.splitlines()[:2] == ["hipMallocAsync(&p, 1, s);", "hipblasDscal(h, 1, x, x, 1);"]


def test_the_report_names_the_releases(tree: Path) -> None:
    convert("src", "-o", "out", "--rocm", "6.2", "--cuda", "12.0", "--report", "report.json", cwd=tree)
    releases = json.loads((tree / "report.json").read_text())["releases"]
    assert releases == {"rocm": "6.2", "origin": "asked for", "cuda": "12.0"}


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("--rocm", "5.9"), 2, "ROCm 5.9 is not in the mapping tables\n  known ROCm releases: 5.0, 5.1, 5.2,"),
        (("--cuda", "9.3"), 2, "CUDA 9.3 is not in the mapping tables\n  known CUDA releases: 10.0, 10.1,"),
        (("--rocm", "new"), 2, "ROCm release: 'new' is not a version"),
        (("--mappings", "none.yaml"), 2, "cannot read the mappings file 'none.yaml'"),
        (("--libs", "cu"), 2, "'cu' is not one of 'hip', 'roc'"),
    ],
)
def test_wrong_use(arguments: tuple[str, ...], status: int, message: str, tree: Path) -> None:
    done = convert("src", "-o", "out", *arguments, cwd=tree)
    assert done.returncode == status
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tree / "out").exists()
