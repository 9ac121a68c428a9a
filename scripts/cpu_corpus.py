"""Convert a CUDA source tree, build its programs for the CPU, run them, and count successes and reasons of failures.

    python -m scripts.cpu_corpus TREE [-I DIR]... [--wave-size 32] [--timeout 120] [--only PATTERN]... [--json FILE]
    python -m scripts.cpu_corpus --table FILE...

Programs are compiled with the compiler that `hipport build --target cpu` chooses: clang++, and g++ for those with
OpenMP. `-I` names the folder of rocThrust's, hipCUB's and rocPRIM's headers where they are not installed. The time
limit is processor time, so that it does not depend on what else the machine does. `corpus_programs` defines what a
program is, and when it passes.

`--table` writes the results in JSON files as the tables of docs/cpu-target.md.

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
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from scripts.corpus_programs import Program, Result, folders, judged, needs_display, not_built, programs, ran, report
from scripts.port_corpus import convert

_BUILD = (sys.executable, "-m", "hipport", "build", "--target", "cpu", "-O", "2", "--host-flag", "-w")
_WITH_OPENMP = ("--host-flag", "-fopenmp", "--link-flag", "-fopenmp")
_OPENMP = re.compile(r"#\s*(?:pragma\s+omp\b|include\s*<omp\.h>)")
_PATIENCE = 4
"""The longest time that a program may take, as a multiple of its processor time: some wait for nothing."""


def openmp_flags(program: Program) -> tuple[str, ...]:
    """Return the options of `hipport build` for OpenMP if a program uses it."""
    uses = any(_OPENMP.search(path.read_text(errors="replace")) for path in program.sources)
    return _WITH_OPENMP if uses else ()


def build(program: Program, tree: Path, out: Path, wave: str, headers: Sequence[Path]) -> Result | None:
    """Build one program; return the failure, or None."""
    command = [*_BUILD, "--wave-size", wave, *openmp_flags(program)]
    command += [word for folder in (*folders(program, tree), *headers) for word in ("-I", str(folder))]
    command += [str(path) for path in program.sources]
    done = subprocess.run([*command, "-o", str(out)], capture_output=True, text=True, errors="replace", check=False)
    return None if done.returncode == 0 else not_built(program, done.stderr)


def examine(program: Program, tree: Path, wave: str, timeout: int, headers: Sequence[Path] = ()) -> Result:
    """Build and run one program."""
    if library := needs_display(program):
        return Result(program.name, "is skipped", library)
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder) / "program"
        if failed := build(program, tree, binary, wave, headers):
            return failed
        done = ran(program, binary, timeout * _PATIENCE, processor=timeout)
        return done if isinstance(done, Result) else judged(program, done)


@dataclass(frozen=True, slots=True)
class Why:
    """A reason for which programs do not pass; `can` if a CPU could run them."""

    text: str
    pattern: str
    can: bool = True


_REASONS = (
    Why("needs OpenGL, EGL, Vulkan, MPI or NvSci", r"^is skipped ", can=False),
    Why("needs data outside of the tree", r"^needs data ", can=False),
    Why(
        "needs a library without a counterpart in ROCm",
        r"nvjpeg|npp/|nvJitLink|cublasXt|nvvm/|has no counterpart",
        False,
    ),
    Why("needs two devices, or a GPU with features that it asks for", r"^is waived ", can=False),
    Why("looks for its CUDA source or a binary that its own build makes", r"compileFileToCUBIN|file not found: <"),
    Why("takes too long", r"does not end within"),
    Why("launches kernels from kernels", r"launched from device code|cudaLimitDevRuntime"),
    Why(
        "needs a library or function that the CPU target refuses",
        r"the CPU target does not support|supported by the CPU target|hipfftXt",
    ),
    Why("is not built", r"^(is not built|needs a library) "),
    Why("ends with an error", r"^fails "),
)
_WELL = ("passes", "runs")


def _folder(result: Result) -> Path:
    folder = Path(result.program).parent
    return folder.parent if folder.name == "src" else folder


def _why(result: Result) -> Why:
    return next(
        why
        for why in _REASONS
        if re.search(why.pattern, f"{result.outcome} {result.reason} {_folder(result)}/", re.IGNORECASE)
    )


def table(results: Sequence[Result]) -> str:
    """Return Markdown tables: the counts, and for each reason the programs that do not pass or run."""
    failed: dict[Why, list[str]] = {why: [] for why in _REASONS}
    for result in results:
        if result.outcome not in _WELL:
            failed[_why(result)].append(_folder(result).name)
    impossible = sum(len(names) for why, names in failed.items() if not why.can)
    counts = [(outcome, sum(result.outcome == outcome for result in results)) for outcome in _WELL]
    rows = ["| result | programs |", "|---|---|", *(f"| {outcome} | {count} |" for outcome, count in counts)]
    rows += [f"| of the programs that can run here | {len(results) - impossible} |", f"| of all | {len(results)} |", ""]
    rows += ["| reason of those that do not pass or run | programs |", "|---|---|"]
    rows += [f"| {why.text} | {len(names)}: {', '.join(sorted(names))} |" for why, names in failed.items() if names]
    return "\n".join(rows)


def _read(files: Sequence[Path]) -> list[Result]:
    return [Result(**row) for file in files for row in json.loads(file.read_text())]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path, nargs="?")
    parser.add_argument("--table", type=Path, nargs="+", metavar="FILE", help="write the results in these files")
    parser.add_argument("-I", dest="headers", type=Path, action="append", default=[], help="folder of library headers")
    parser.add_argument("--wave-size", choices=["32", "64"], default="32")
    parser.add_argument("--rocm", default="7.2", help="the release whose names the headers of the CPU target know")
    parser.add_argument("--timeout", type=int, default=120)
    parser.add_argument("--only", action="append", help="programs whose path matches")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.table:
        print(table(_read(options.table)))
        return
    if options.tree is None:
        parser.error("a tree is needed")
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
            results.append(examine(program, out, options.wave_size, options.timeout, options.headers))
            print(*asdict(results[-1]).values(), sep="  ", file=sys.stderr, flush=True)
            if options.json:
                options.json.write_text(json.dumps([asdict(result) for result in results], indent=1))
    report(results)


if __name__ == "__main__":
    main()
