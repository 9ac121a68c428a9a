"""Run the programs of a CUDA source tree on this machine's NVIDIA GPU, original and translated, and compare.

    python -m scripts.gpu_corpus TREE [--cuda 13.0] [--only PATTERN]... [--timeout 60] [-j N] [--runs N]
                                 [--json FILE]

nvcc builds the originals, `hipport convert` and `hipport build --target nvidia` the ports. `corpus_programs` defines
what a program is, and when it passes. Programs whose original cannot be built or fails on this machine are counted
separately; for the others, `corpus_outputs` compares what both print: the originals run twice, since numbers that
change from run to run do not count.

The programs are run: use a sandbox.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from scripts.corpus_outputs import compared
from scripts.corpus_programs import Program, Result, folders, judged, needs_display, not_built, programs, ran, report
from scripts.port_corpus import convert

_LIBRARIES = ("cublas", "cufft", "curand", "cusparse", "cusolver", "nvrtc", "cuda", "nvjpeg", "cudadevrt")
_SEPARATE = "-rdc=true"
_ENDED_WELL = ("passes", "runs")


@dataclass(frozen=True, slots=True)
class Job:
    """One program in both forms, with its own folder `work`. Both binaries have the same name, since some print it."""

    original: Program
    port: Program
    tree: Path
    converted: Path
    work: Path

    def binary(self, form: str) -> Path:
        """Return the path of the binary of a form."""
        return self.work / form / "program"

    def built(self) -> Result | None:
        """Build both; return the failure, or None."""
        if library := needs_display(self.port):
            return Result(self.port.name, "is skipped", library)
        for form in ("original", "port"):
            self.binary(form).parent.mkdir(parents=True)
        for what, build in (("original ", self._original), ("", self._port)):
            errors = build([]) and build([_SEPARATE])
            if errors:
                failed = not_built(self.port, errors)
                return replace(failed, outcome=what + failed.outcome)
        return None

    def compared(self, timeout: int) -> Result:
        """Run the original twice and the port once, and compare what they print."""
        printed = []
        for _ in range(2):
            run = ran(self.original, self.binary("original"), timeout)
            judgement = run if isinstance(run, Result) else judged(self.original, run)
            if isinstance(run, Result) or judgement.outcome not in _ENDED_WELL:
                return replace(judgement, program=self.port.name, outcome="original " + judgement.outcome)
            printed.append(run.stdout)
        found = ran(self.port, self.binary("port"), timeout)
        if isinstance(found, Result):
            return found
        if found.returncode:
            return judged(self.port, found)
        first, again = printed
        return compared(self.port.name, first, again, found.stdout)

    def _original(self, flags: Sequence[str]) -> str:
        include = [word for folder in folders(self.original, self.tree) for word in ("-I", str(folder))]
        command = ["nvcc", "-std=c++17", "-arch=sm_90", "-O3", "-w", "-Xcompiler", "-fopenmp", *flags, *include]
        sources = [str(path) for path in self.original.sources]
        return _errors([*command, *sources, *_libraries(), "-o", str(self.binary("original"))])

    def _port(self, flags: Sequence[str]) -> str:
        include = [word for folder in folders(self.port, self.converted) for word in ("-I", str(folder))]
        command = [sys.executable, "-m", "hipport", "build", "--target", "nvidia", "--offload-arch", "sm_90", "-j", "1"]
        command += ["--host-flag", "-w", "--host-flag", "-fopenmp", "--link-flag", "-fopenmp", *include, *_libraries()]
        sources = [str(path) for path in self.port.sources]
        rest = ["--", *flags] if flags else []
        return _errors([*command, "-o", str(self.binary("port")), *sources, *rest])


def _errors(command: Sequence[str]) -> str:
    """Return the output of a failing compiler, or an empty string."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    return "" if done.returncode == 0 else done.stderr + done.stdout or "fails"


def _libraries() -> list[str]:
    """Return options to link the CUDA libraries that are installed."""
    nvcc = shutil.which("nvcc")
    there = Path(nvcc).resolve().parents[1] / "lib64" if nvcc else Path()
    places = (there, there / "stubs")
    own = [name for name in _LIBRARIES if any(list(place.glob(f"lib{name}.*")) for place in places)]
    return [*(f"-L{place}" for place in places), *(f"-l{name}" for name in own)]


def jobs(tree: Path, converted: Path, work: Path, only: Sequence[str]) -> list[Job]:
    """Pair the programs of both trees."""

    def source(path: Path) -> Path:
        there = tree / path.relative_to(converted)
        return there if there.exists() else there.with_suffix(".cu")

    found = []
    for number, port in enumerate(programs(converted)):
        if not only or any(fnmatch.fnmatch(port.name, pattern) for pattern in only):
            original = replace(port, main=source(port.main), sources=tuple(source(path) for path in port.sources))
            found.append(Job(original, port, tree, converted, work / str(number)))
    return found


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--cuda", default="13.0", help="the release of CUDA that is there")
    parser.add_argument("--only", action="append", default=[], help="programs whose path matches")
    parser.add_argument("--timeout", type=int, default=60)
    parser.add_argument("-j", dest="builds", type=int, default=os.cpu_count(), help="builds at a time")
    parser.add_argument("--runs", type=int, default=1, help="programs that run at a time")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tree, out = Path(folder) / "tree", Path(folder) / "converted"
        shutil.copytree(options.tree, tree, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        print(convert(tree, out, None, options.cuda)[1], file=sys.stderr)
        if not out.is_dir():
            sys.exit(2)
        todo = jobs(tree, out, Path(folder) / "work", options.only)
        if not todo:
            sys.exit(f"no programs in {options.tree}")
        with ThreadPoolExecutor(options.builds) as pool:
            failed = list(pool.map(Job.built, todo))
        print(f"{failed.count(None)} programs built", file=sys.stderr, flush=True)
        results = [failure for failure in failed if failure]
        ready = [job for job, failure in zip(todo, failed, strict=True) if failure is None]
        with ThreadPoolExecutor(options.runs) as pool:
            for result in pool.map(lambda job: job.compared(options.timeout), ready):
                results.append(result)
                print(*asdict(result).values(), sep="  ", file=sys.stderr, flush=True)
    if options.json:
        options.json.write_text(json.dumps([asdict(result) for result in results], indent=1))
    report(results)


if __name__ == "__main__":
    main()
