"""Build the CUDA programs of a plan with nvcc and record what they print on this machine's GPU, each of them twice.

    python record.py FOLDER [-j N] [--timeout 20] [--seconds 500]

Needs nothing but Python, so that it runs where hipport is not installed. `FOLDER/plan.json` names the programs,
`FOLDER/outputs.json` gets their outputs; those that are not run within `--seconds` are missing there. The programs are
run: use a sandbox.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

_COMPILER = ("nvcc", "-std=c++17", "-arch=sm_90", "-O2", "-w", "-Xcompiler", "-fopenmp")
_SEPARATE = "-rdc=true"
_MOST_OUTPUT = 200_000
"""Bytes of each stream that are kept."""


def build(folder: Path, program: Mapping[str, Any], binary: Path) -> str:
    """Build a program; return the errors, or an empty string."""
    libraries = [*_libraries(), "-lcuda"]
    include = [word for name in program["original_include"] for word in ("-I", str(folder / name))]
    sources = [str(folder / name) for name in program["original"]]
    errors = ""
    for flags in ((), (_SEPARATE, "-lcudadevrt")):
        command = [*_COMPILER, *flags, *include, *sources, *libraries, "-o", str(binary)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode == 0:
            return ""
        errors = errors or done.stderr + done.stdout
        if "separate compilation" not in errors and "Unresolved extern" not in errors:
            break
    return errors[-2000:] or "fails"


def _libraries() -> list[str]:
    nvcc = shutil.which("nvcc")
    there = Path(nvcc).resolve().parents[1] / "lib64" if nvcc else Path()
    names = ("cublas", "cufft", "curand", "cusparse", "cusolver", "nvrtc")
    return [f"-L{there}", f"-L{there}/stubs", *(f"-l{name}" for name in names if list(there.glob(f"lib{name}.so*")))]


def run(folder: Path, program: Mapping[str, Any], binary: Path, timeout: int) -> dict[str, Any]:
    """Run a program in the folder of its main source."""
    place = (folder / program["original"][0]).parent
    try:
        done = subprocess.run(
            [binary, *program["arguments"]], cwd=place, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, errors="replace", timeout=timeout, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"status": None, "output": ""}
    return {"status": done.returncode, "output": done.stdout[:_MOST_OUTPUT]}


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-j", dest="builds", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=500)
    options = parser.parse_args()
    folder, end = options.folder.resolve(), time.monotonic() + options.seconds
    plan = json.loads((folder / "plan.json").read_text())
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(options.builds) as pool:
        found = pool.map(lambda program: _record(folder, program, Path(work), options.timeout, end), plan)
        recorded = {program["name"]: one for program, one in zip(plan, found, strict=True) if one}
    (folder / "outputs.json").write_text(json.dumps(recorded, indent=1))
    print(len(plan), "programs,", len(recorded), "in time,", sum("runs" in one for one in recorded.values()), "built")


def _record(folder: Path, program: Mapping[str, Any], work: Path, timeout: int, end: float) -> dict[str, Any]:
    if time.monotonic() > end - timeout:
        return {}
    binary = work / program["name"] / "program"
    binary.parent.mkdir(parents=True)
    if errors := build(folder, program, binary):
        return {"errors": errors}
    return {"runs": [run(folder, program, binary, timeout) for _ in range(2)]}


if __name__ == "__main__":
    main()
