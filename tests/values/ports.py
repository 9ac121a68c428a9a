"""Ports of calls of device functions: converted, compiled for a GPU and folded, or run on the CPU target."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from scripts.values import calls, fold, record, recorder
from scripts.values.calls import Chosen
from scripts.values.fold import Results

HERE = Path(__file__).parent
_CALLS = re.compile(r"calls\.hip:(\d+):\d+: (?:fatal )?error: (.*)")
_LINES = re.compile(r"record\.cu:(\d+):\d+: (?:fatal )?error")


@dataclass(frozen=True, slots=True)
class Folded:
    """The results that clang computed, how many inputs there were, and the calls that do not compile."""

    results: Results
    inputs: int
    broken: Mapping[int, str]


def hipport(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "hipport", *words], capture_output=True, text=True, check=False)


def folded(folder: Path, chosen: Chosen, target: str, compiler: Callable[..., list[str]], most: int) -> Folded:
    """Convert the calls of functions, and compile them with constant inputs for a target."""
    left, include = _unreported(folder, chosen), ("-I", str(folder / "out"))
    lines = (folder / "out" / "calls.hip").read_text().splitlines()
    checked = _compiled(compiler(target, *include, "-fsyntax-only", str(folder / "out" / "calls.hip")))
    found = [(calls.place_of(lines[int(line) - 1]), text) for line, text in _CALLS.findall(checked)]
    broken = {place: text for place, text in found if place is not None}
    if broken:
        left = _unreported(folder, {place: one for place, one in left.items() if place not in broken})
    inputs = {place: calls.points(one, most) for place, one in left.items()}
    (folder / "fold.hip").write_text('#include "out/calls.hip"\n' + fold.source(left, inputs))
    output = folder / f"{target}.ll"
    errors = _compiled(compiler(target, *include, "-S", "-emit-llvm", str(folder / "fold.hip"), "-o", str(output)))
    assert output.is_file(), errors[:4000]
    return Folded(fold.read(output.read_text()), sum(map(len, inputs.values())), broken)


def _compiled(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


def _unreported(folder: Path, chosen: Chosen) -> Chosen:
    """Convert the calls, leave out those that are reported, and return the others, which have been converted."""
    source, report = folder / "calls.cu", folder / "report.json"
    for _ in range(2):
        source.write_text(calls.cuda_source(chosen))
        hipport("convert", str(source), "-o", str(folder / "out"), "--force", "--report", str(report))
        lines = source.read_text().splitlines()
        errors = [one for one in json.loads(report.read_text())["diagnostics"] if one["severity"] == "error"]
        reported = {calls.place_of(lines[one["line"] - 1]) for one in errors}
        chosen = {place: one for place, one in chosen.items() if place not in reported}
    return chosen


def run_on_cpu(folder: Path, chosen: Chosen) -> tuple[Chosen, list[tuple[record.Numbers, ...]], set[int]]:
    """Build the recording program for the CPU target, run it, and return functions, results, what does not compile."""
    source, program, broken = folder / "record.cu", folder / "record", set[int]()
    chosen = _unreported(folder, chosen)
    for _ in range(2):
        source.write_text(recorder.program(list(chosen.values())))
        built = hipport(
            "build", "--target", "cpu", str(source), "-o", str(program), "-O", "1", "--offload-arch", "gfx90a"
        )
        if built.returncode == 0:
            break
        wrong = _functions_at(source, _LINES.findall(built.stdout + built.stderr))
        places = {list(chosen)[number] for number in wrong}
        assert places, built.stdout + built.stderr
        broken |= places
        chosen = {place: one for place, one in chosen.items() if place not in places}
    subprocess.run([str(program), str(folder / "output")], check=True, timeout=120, stdout=subprocess.DEVNULL)
    results = list(record.parse((folder / "output").read_bytes(), list(chosen.values())))
    return chosen, results, broken


def _functions_at(source: Path, lines: list[str]) -> set[int]:
    """Return the numbers of the kernels of the recording program that have these lines."""
    found, kernel = {}, -1
    for number, text in enumerate(source.read_text().splitlines(), 1):
        if opened := re.match(r"__global__ void k(\d+)\(", text):
            kernel = int(opened[1])
        found[number] = kernel
    return {found[int(line)] for line in lines if found[int(line)] >= 0}
