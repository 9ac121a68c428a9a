"""Run the output of `build.py` on a machine with an NVIDIA GPU, compare output, time kernels. Needs only Python.

    python3 measure.py FOLDER RESULT.json [--rounds 7]

Times that a program prints do not count as output. Kernels are timed by Nsight Compute (`ncu`), original and port in
turn. `cuobjdump` tells whether both hold the same instructions.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import json
import re
import subprocess
from pathlib import Path
from typing import Any

KINDS = ("original", "port")
_INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(.*?);")
_TIME = re.compile(r"\d+(\.\d+)? (ms|us)\b")
_METRIC = "gpu__time_duration.sum"
_IN_NANOSECONDS = {"ns": 1.0, "nsecond": 1.0, "us": 1e3, "usecond": 1e3, "ms": 1e6, "msecond": 1e6, "s": 1e9}


def start(folder: Path, program: dict[str, Any], prefix: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a program in its folder."""
    command = [*prefix, f"./{program['name']}", *program["args"]]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def kernel_time(folder: Path, program: dict[str, Any]) -> float:
    """Return the total time of a program's kernels in nanoseconds."""
    prefix = ["ncu", "--csv", "--metrics", _METRIC, "--clock-control", "none"]
    text = start(folder, program, prefix).stdout
    rows = csv.DictReader(line for line in text.splitlines() if line.startswith('"'))
    times = [
        float(row["Metric Value"].replace(",", "")) * _IN_NANOSECONDS[row["Metric Unit"]]
        for row in rows
        if row["Metric Name"] == _METRIC
    ]
    if not times:
        raise SystemExit(f"ncu gave no times for {program['name']}: {text[-500:]}")
    return sum(times)


def instructions(path: Path) -> list[str]:
    """Return the sorted machine instructions of a program, so that the order of kernels does not matter."""
    done = subprocess.run(["cuobjdump", "-sass", str(path)], capture_output=True, text=True)
    return sorted(_INSTRUCTION.findall(done.stdout))


def measured(folder: Path, program: dict[str, Any], rounds: int) -> dict[str, Any]:
    """Run the variants of a program and return their status, output, instructions and times."""
    kinds = KINDS[1:] if program["only_port"] else KINDS
    ran = {kind: start(folder / kind, program, []) for kind in kinds}
    result: dict[str, Any] = {
        "name": program["name"],
        "status": {kind: done.returncode for kind, done in ran.items()},
        "last_line": {kind: done.stdout.rstrip().rpartition("\n")[2] for kind, done in ran.items()},
        "same_output": len({_TIME.sub("", done.stdout) for done in ran.values()}) == 1,
    }
    if program["timed"]:
        if any(result["status"].values()):
            return result
        code = [instructions(folder / kind / program["name"]) for kind in KINDS]
        result["same_instructions"] = bool(code[0]) and code[0] == code[1]
        result["times"] = {kind: [] for kind in KINDS}
        for _ in range(rounds):
            for kind in KINDS:
                result["times"][kind].append(kernel_time(folder / kind, program))
    return result


def main() -> None:
    """Measure all programs; write the results after each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("result", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu, driver = subprocess.run(query, capture_output=True, text=True).stdout.strip().split(", ")
    report: dict[str, Any] = {"gpu": gpu, "driver": driver, "date": datetime.date.today().isoformat(), "programs": []}
    for program in json.loads((arguments.folder / "programs.json").read_text()):
        report["programs"].append(measured(arguments.folder, program, arguments.rounds))
        arguments.result.write_text(json.dumps(report, indent=1))
        print(program["name"], report["programs"][-1]["status"], report["programs"][-1]["same_output"], flush=True)


if __name__ == "__main__":
    main()
