from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_prints_a_folder_that_has_the_headers() -> None:
    done = subprocess.run([sys.executable, "-m", "hipport", "include-dir"], capture_output=True, text=True, check=True)
    assert (Path(done.stdout.strip()) / "hipport/ptx/core.h").is_file()


def test_folders_for_nvcc(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hipport", "include-dir", "--nvidia", str(tmp_path / "names")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    by_hand, names, own = map(Path, done.stdout.split())
    assert (by_hand / "hip/hip_runtime.h").is_file()
    assert "#define hipMalloc cudaMalloc" in (names / "hipport_cuda/names/runtime.h").read_text()
    assert (own / "hipport/compat/core.h").is_file()
