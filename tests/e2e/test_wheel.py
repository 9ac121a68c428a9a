"""The wheel, installed into a separate environment and run from another folder."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from hipport.builds.runner import ninja_program
from tests.small_hip import SMALL_HIP

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`hipport` from the wheel, with the dependencies of the test environment."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    build = [*pip, "wheel", "--no-deps", "-w", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    venv.create(folder / "env", with_pip=False)
    site = next((folder / "env").glob("lib/python*/site-packages"))
    wheel = next(folder.glob("hipport-*.whl"))
    subprocess.run([*pip, "install", "--no-deps", "--target", str(site), str(wheel)], check=True, capture_output=True)
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
    (folder / "env/bin/ninja").symlink_to(ninja_program())
    start = "from hipport.cli import main; main()"
    script = folder / "hipport"
    # -E: a PYTHONPATH of the tests would lead back to the checkout.
    script.write_text(f"#!{folder}/env/bin/python -E\n{start}\n")
    script.chmod(0o755)
    return script


@pytest.mark.slow
def test_the_wheel_has_its_tables_and_headers_inside(program: Path, tmp_path: Path) -> None:
    where = [str(program.parent / "env/bin/python"), "-E", "-c", "import hipport; print(hipport.__file__)"]
    installed = subprocess.run(where, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert installed.startswith(str(program.parent))
    (tmp_path / "a.cu").write_text("#include <cuda.h>\nint main() { return cudaFree(0); }\n")
    done = subprocess.run([program, "convert", "a.cu", "--stdout"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "#include <hip/hip_runtime.h>\nint main() { return hipFree(0); }\n"


@pytest.mark.slow
def test_the_wheel_translates_build_files(program: Path, tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("NVCC = nvcc -arch=sm_70\nLIBS = -lcublas\n")
    (tmp_path / "CMakeLists.txt").write_text("project(x CUDA)\n")
    done = subprocess.run([program, "convert", ".", "-o", "hip"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "hip/Makefile").read_text().endswith("LIBS = -lhipblas\n")
    assert (tmp_path / "hip/CMakeLists.txt").read_text().startswith("project(x HIP)\n")
    folder = subprocess.run([program, "cmake-dir"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    names = {path.name for path in Path(folder.strip()).iterdir()}
    assert names == {"hipport-config.cmake", "hipport.cmake", "distribution.cmake"}


@pytest.mark.slow
@pytest.mark.toolchain
def test_the_wheel_builds_for_three_targets(program: Path, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n")
    build = [program, "build", "a.cu", "-o", "a.out", "--offload-arch", "gfx90a,gfx1030,gfx1100"]
    done = subprocess.run(build, cwd=tmp_path, env={**os.environ, **SMALL_HIP}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    listed = subprocess.run([program, "inspect", "a.out"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert all(target in listed.stdout for target in ("gfx90a", "gfx1030", "gfx1100"))
