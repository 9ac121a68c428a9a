"""The same tree translated by PyTorch's `torch.utils.hipify`, the text-based translator of most extensions."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.measure import ratio_table, side_by_side

_HIPIFY = """
import sys, time
from torch.utils.hipify import hipify_python
start = time.perf_counter()
hipify_python.hipify(project_directory=sys.argv[1], output_directory=sys.argv[2], includes=[sys.argv[1] + "/*"],
                     extensions=(".cu", ".cuh", ".h", ".cpp", ".hpp", ".c", ".cc"), show_progress=False)
"""


def run(tree: Path) -> str:
    """Measure on a tree; report if PyTorch is not installed (`pip install hipport[bench]`)."""
    if importlib.util.find_spec("torch") is None:
        return "## torch.utils.hipify\n\nNot measured: torch is not installed (`make bench` installs it).\n"

    def start(*arguments: str) -> str:
        done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), done.stderr
        return done.stderr

    def hipify() -> None:
        with tempfile.TemporaryDirectory() as folder:
            start("-c", _HIPIFY, str(tree), f"{folder}/out")
            assert any(Path(folder, "out").rglob("*.hip"))

    def hipport() -> None:
        with tempfile.TemporaryDirectory() as folder:
            assert " sources read" in start("-m", "hipport", "convert", str(tree), "-o", f"{folder}/out", "-j", "1")

    candidates = {
        "hipport convert -j 1": hipport,
        "torch.utils.hipify, import included": hipify,
        "importing torch.utils.hipify": lambda: start("-c", "from torch.utils.hipify import hipify_python"),
    }
    return ratio_table("Against torch.utils.hipify", side_by_side(candidates, 3), "hipport convert -j 1")
