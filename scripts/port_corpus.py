"""Convert a CUDA source tree, compile every translated unit with hipcc, and say which compile and why others do not.

    python scripts/port_corpus.py TREE [-I DIR]... [--only DIR]... [--arch gfx90a] [--rocm REL] [--syntax-only]
                                  [-j N] [--json FILE] [--keep DIR]

Units that include a header of a library that is not part of the HIP runtime (hipBLAS, OpenGL, MPI...) are counted
apart as "needs a library" when that header is not found. `-I` folders are relative to the tree, or absolute for
headers of libraries. `--only` compiles units below these folders of the tree; `--keep` leaves the translation there.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

_MISSING_HEADER = re.compile(r"fatal error: '([^']+)' file not found")
_ERROR = re.compile(r"error: (.*)")


@dataclass(frozen=True)
class Result:
    """How one translation unit fared: `outcome` is compiles, needs a library, or fails; `reason` the first error."""

    unit: str
    outcome: str
    reason: str = ""


def convert(tree: Path, out: Path, rocm: str | None) -> tuple[int, str]:
    """Run `hipport convert`, for a ROCm release or the one installed; exit status and the summary line."""
    command = [sys.executable, "-m", "hipport", "convert", str(tree), "-o", str(out)]
    command += ["--rocm", rocm] if rocm else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr.strip().splitlines()[-1]


def compile_unit(unit: Path, out: Path, options: list[str], own_headers: frozenset[str]) -> Result:
    """Compile one unit for host and device and look at the first error."""
    name = str(unit.relative_to(out))
    environment = {**os.environ, "HIP_PLATFORM": "amd"}
    command = ["hipcc", *options, "-I", str(unit.parent), "-o", os.devnull, "-c", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment, check=False)
    if done.returncode == 0:
        return Result(name, "compiles")
    missing = _MISSING_HEADER.search(done.stderr)
    if missing and Path(missing[1]).name not in own_headers:
        return Result(name, "needs a library", missing[1])
    error = _ERROR.search(done.stderr)
    return Result(name, "fails", error[1] if error else done.stderr.strip()[-200:])


def main() -> None:
    """Convert, compile, report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("-I", dest="include", action="append", default=[])
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--arch", default="gfx90a")
    parser.add_argument("--rocm", metavar="REL")
    parser.add_argument("--syntax-only", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("-j", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = arguments.keep or Path(folder) / "out"
        status, summary = convert(arguments.tree, out, arguments.rocm)
        options = [f"--offload-arch={arguments.arch}", "-w", "-std=c++17", "-ferror-limit=3"]
        options += ["-fsyntax-only"] if arguments.syntax_only else ["-O1"]
        # hipport's own headers lie in the root of the output.
        options += [word for include in [*arguments.include, "."] for word in ("-I", str(out / include))]
        own = frozenset(path.name for path in out.rglob("*") if path.is_file())
        units = sorted(unit for part in arguments.only or ["."] for unit in (out / part).rglob("*.hip"))
        with concurrent.futures.ThreadPoolExecutor(arguments.j) as pool:
            results = list(pool.map(lambda unit: compile_unit(unit, out, options, own), units))
    report(status, summary, results)
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(result) for result in results], indent=1))


def report(status: int, summary: str, results: list[Result]) -> None:
    """Print the counts and the reasons."""
    print(f"{summary} (exit status {status})")
    outcomes = collections.Counter(result.outcome for result in results)
    for outcome, count in outcomes.most_common():
        print(f"{count:5d} {outcome}")
    eligible = outcomes["compiles"] + outcomes["fails"]
    print(f"{outcomes['compiles']} of {eligible} units that need no further library compile")
    for wanted in ("fails", "needs a library"):
        reasons = collections.defaultdict(list)
        for result in results:
            if result.outcome == wanted:
                reasons[result.reason].append(result.unit)
        print(f"\n{wanted}:")
        for reason, units in sorted(reasons.items(), key=lambda item: -len(item[1])):
            print(f"{len(units):5d}  {reason}  ({units[0]})")


if __name__ == "__main__":
    main()
