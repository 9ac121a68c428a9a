from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_prints_a_folder_that_has_the_headers() -> None:
    done = subprocess.run([sys.executable, "-m", "hipport", "include-dir"], capture_output=True, text=True, check=True)
    assert (Path(done.stdout.strip()) / "hipport/ptx/core.h").is_file()
