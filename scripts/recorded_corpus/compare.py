"""Build and run the translated programs of a plan, and compare what they print with what the originals printed.

    python -m scripts.recorded_corpus.compare FOLDER [--targets cpu,gfx90a,gfx1100] [--only PATTERN]... [-j N]
                                              [--timeout 60] [--json FILE]

Programs whose originals were not built, or did not end with status 0, are only counted, and those that print nothing
show nothing. The time limit is processor time. The programs are run: use a sandbox.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from scripts.corpus_outputs import compared
from scripts.corpus_programs import Program, Result, not_built, ran, report
from scripts.cpu_corpus import openmp_flags

_CPU = "cpu"
_PATIENCE = 8
"""The longest time that a program may take, as a multiple of its processor time."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A translated program, the outputs of its original, and where to build it."""

    program: Program
    include: tuple[Path, ...]
    runs: Sequence[Mapping[str, Any]]
    work: Path

    def results(self, targets: Sequence[str], timeout: int) -> Iterator[Result]:
        """Build and run the program for each target."""
        amd = [target for target in targets if target != _CPU]
        self.work.mkdir(parents=True, exist_ok=True)
        if _CPU in targets:
            yield from self._built_and_run((_CPU,), ("--target", _CPU, "-O", "2"), timeout)
        if amd:
            yield from self._built_and_run(amd, ("--offload-arch", ",".join(amd)), timeout)
        shutil.rmtree(self.work, ignore_errors=True)

    def _built_and_run(self, targets: Sequence[str], options: Sequence[str], timeout: int) -> Iterator[Result]:
        binary = self.work / targets[0]
        command = [sys.executable, "-m", "hipport", "build", "-j", "1", "--host-flag", "-w", *options]
        command += [*openmp_flags(self.program), *(word for folder in self.include for word in ("-I", str(folder)))]
        command += [*map(str, self.program.sources), "-o", str(binary)]
        built = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        for target in targets:
            named = replace(self.program, name=f"{self.program.name} {target}")
            yield not_built(named, built.stderr) if built.returncode else self._run(named, binary, target, timeout)

    def _run(self, program: Program, binary: Path, target: str, timeout: int) -> Result:
        if target != _CPU:
            arguments = ("-m", "hipport", "run", "--emulate", target, str(binary), *program.arguments)
            program, binary = replace(program, arguments=arguments), Path(sys.executable)
        done = ran(program, binary, timeout * _PATIENCE, processor=timeout)
        return done if isinstance(done, Result) else _judged(program.name, done, *self.runs)


def _judged(
    name: str, done: subprocess.CompletedProcess[str], first: Mapping[str, Any], again: Mapping[str, Any]
) -> Result:
    if done.returncode != first["status"]:
        last = (done.stderr.strip() or done.stdout.strip() or "says nothing").splitlines()[-1][:200]
        return Result(name, "ends otherwise", f"{done.returncode} instead of {first['status']}: {last}")
    if not first["output"].strip() and not done.stdout.strip():
        return Result(name, "print nothing")
    return compared(name, first["output"], again["output"], done.stdout)


def _ended_well(recorded: Mapping[str, Any]) -> bool:
    return "runs" in recorded and all(run["status"] == 0 for run in recorded["runs"])


def _comparison(entry: Mapping[str, Any], recorded: Mapping[str, Any], out: Path) -> Comparison:
    sources = tuple(out / name for name in entry["converted"])
    program = Program(entry["name"], sources[0], sources, tuple(entry["arguments"]))
    include = tuple(out / name for name in entry["converted_include"])
    return Comparison(program, include, recorded["runs"], out / "built" / entry["name"])


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--targets", default="cpu,gfx90a,gfx1100")
    parser.add_argument("--only", action="append", help="programs whose path matches")
    parser.add_argument("--timeout", type=int, default=60)
    parser.add_argument("-j", dest="jobs", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    out, only = options.folder.resolve(), options.only or ["*"]
    recorded = json.loads((out / "outputs.json").read_text())
    plan = [e for e in json.loads((out / "plan.json").read_text()) if any(fnmatch.fnmatch(e["name"], p) for p in only)]
    good = [_comparison(e, recorded[e["name"]], out) for e in plan if _ended_well(recorded.get(e["name"], {}))]
    print(f"of {len(plan)} programs {len(good)} ended with status 0 in CUDA", file=sys.stderr, flush=True)
    results: list[Result] = []
    with ThreadPoolExecutor(options.jobs) as pool:
        running = [
            pool.submit(lambda one: list(one.results(options.targets.split(","), options.timeout)), one) for one in good
        ]
        for ended in as_completed(running):
            results += (found := ended.result())
            for result in found:
                print(*asdict(result).values(), sep="  ", file=sys.stderr, flush=True)
            if options.json:
                options.json.write_text(json.dumps([asdict(result) for result in results], indent=1))
    report(results)


if __name__ == "__main__":
    main()
