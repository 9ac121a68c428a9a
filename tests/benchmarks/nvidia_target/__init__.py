"""Kernel times of programs built by `hipport build --target nvidia`, compared with their CUDA originals.

`build.py` makes both on any machine with nvcc, `measure.py` runs them where a GPU is; `h200.json` is what it found on
an NVIDIA H200. Without a GPU that record is what is reported.
"""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

RECORD = Path(__file__).with_name("h200.json")


def run(_tree: Path) -> str:
    """Return the recorded measurement as a section of the report."""
    return section(json.loads(RECORD.read_text()))


def section(record: dict[str, Any]) -> str:
    """Return a Markdown table of the port's time relative to the original's, with the port's spread."""
    lines = [
        "## Kernels on an NVIDIA GPU, through `--target nvidia`",
        "",
        f"Recorded on an {record['gpu']}, CUDA {record['cuda']}, {record['date']}: "
        "the time of all kernels of a program.",
        "",
        "| program | port, as a multiple of the CUDA original | spread | output | machine code |",
        "|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *map(_row, record["programs"])]) + "\n"


def _row(program: dict[str, Any]) -> str:
    unit = statistics.median(program["times"]["original"])
    ratios = [taken / unit for taken in program["times"]["port"]]
    output = "equal" if program["same_output"] else "differs"
    code = "the same instructions" if program["same_instructions"] else "differs"
    spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
    return f"| {program['name']} | {statistics.median(ratios):.2f} | {spread} | {output} | {code} |"
