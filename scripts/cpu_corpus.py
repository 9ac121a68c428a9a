"""Convert a CUDA source tree, build its programs for the CPU, run them, and count successes and reasons of failures.

    python -m scripts.cpu_corpus TREE [--wave-size 32] [--timeout 120] [--only PATTERN]... [--json FILE]

Programs are compiled with g++, which always has OpenMP; those with rocThrust, hipCUB or rocPRIM with clang++.
`corpus_programs` defines what a program is, and when it passes.

The programs are run: use a sandbox.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from scripts.corpus_programs import Program, Result, folders, judged, needs_display, not_built, programs, ran, report
from scripts.port_corpus import convert

_BUILD = (sys.executable, "-m", "hipport", "build", "--target", "cpu", "-O", "2")
_GCC = ("--compiler", "g++", "--host-flag", "-fopenmp", "--link-flag", "-fopenmp")
_HIP_LIBRARY = re.compile(r"#\s*include\s*[<\"](?:thrust|hipcub|rocprim)/")


def _uses_hip_library(program: Program) -> bool:
    return any(_HIP_LIBRARY.search(path.read_text(errors="replace")) for path in program.main.parent.rglob("*.*p*"))


def build(program: Program, tree: Path, out: Path, wave: str) -> Result | None:
    """Build one program; return the failure, or None."""
    command = [*_BUILD, "--wave-size", wave, "--host-flag", "-w", *(() if _uses_hip_library(program) else _GCC)]
    command += [word for folder in folders(program, tree) for word in ("-I", str(folder))]
    command += [str(path) for path in program.sources]
    done = subprocess.run([*command, "-o", str(out)], capture_output=True, text=True, errors="replace", check=False)
    return None if done.returncode == 0 else not_built(program, done.stderr)


def examine(program: Program, tree: Path, wave: str, timeout: int) -> Result:
    """Build and run one program."""
    if library := needs_display(program):
        return Result(program.name, "is skipped", library)
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder) / "program"
        if failed := build(program, tree, binary, wave):
            return failed
        done = ran(program, binary, timeout)
        return done if isinstance(done, Result) else judged(program, done)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--wave-size", choices=["32", "64"], default="32")
    parser.add_argument("--rocm", default="7.2", help="the release whose names the headers of the CPU target know")
    parser.add_argument("--timeout", type=int, default=120)
    parser.add_argument("--only", action="append", help="programs whose path matches")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(options.tree, tree, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        out = Path(folder) / "converted"
        _, summary = convert(tree, out, options.rocm)
        print(summary, file=sys.stderr)
        for program in programs(out):
            if options.only and not any(fnmatch.fnmatch(program.name, pattern) for pattern in options.only):
                continue
            results.append(examine(program, out, options.wave_size, options.timeout))
            print(*asdict(results[-1]).values(), sep="  ", file=sys.stderr, flush=True)
            if options.json:
                options.json.write_text(json.dumps([asdict(result) for result in results], indent=1))
    report(results)


if __name__ == "__main__":
    main()
