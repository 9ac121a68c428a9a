"""Which calls compile: as CUDA, and after translation for AMD GPUs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.library_calls.calls import Family, number_in

_ROUNDS = 8
"""How often calls are left out that nvcc rejects; an error may hide those behind it."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Calls, those that a compiler for AMD GPUs rejects and why, and those about which hipport says something."""

    calls: tuple[str, ...]
    failing: dict[int, str]
    reported: frozenset[int]

    @property
    def unreported(self) -> list[int]:
        """The numbers of the calls that fail and of which nobody said so."""
        return sorted(set(self.failing) - self.reported)


def accepted(family: Family, calls: list[str], include: Path, folder: Path, nvcc: Sequence[str]) -> list[str]:
    """Return the calls that nvcc compiles."""
    source = folder / f"{family.name}.cu"
    for _ in range(_ROUNDS):
        source.write_text(family.program(calls, include), encoding="utf-8")
        command = [*nvcc, "-w", "--cuda", "--fdevice-syntax-only", str(source), "-o", str(folder / "program.ii")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        wrong = set(_numbers(source, done.stdout + done.stderr))
        if done.returncode == 0:
            return calls
        if not wrong:
            raise SystemExit(f"{source}: {(done.stdout + done.stderr)[:2000]}")
        calls = [call for i, call in enumerate(calls) if i not in wrong]
    raise SystemExit(f"{source}: nvcc still rejects some calls")


def measure(
    family: Family, calls: list[str], include: Path, folder: Path, compiler: Sequence[str], rocm: str
) -> Measured:
    """Translate the calls for a ROCm release and compile them."""
    given, made, report = folder / "cuda", folder / "hip", folder / "report.json"
    given.mkdir(parents=True, exist_ok=True)
    (given / f"{family.name}.cu").write_text(family.program(calls, include), encoding="utf-8")
    convert = ["convert", str(given), "-o", str(made), "--rocm", rocm, "--force", "--report", str(report)]
    subprocess.run([sys.executable, "-m", "hipport", *convert], capture_output=True, check=False)
    source = made / f"{family.name}.hip"
    sides = ["--cuda-device-only"] if family.name == "threads" else ["--cuda-host-only"]
    command = [
        *compiler,
        *sides,
        "-x",
        "hip",
        "-std=c++17",
        "-w",
        "-fsyntax-only",
        "-ferror-limit=0",
        "-I",
        str(made),
        str(source),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    failing: dict[int, str] = {}
    for error in re.split(r"\n(?=[^\n]* error: )", f"\n{done.stderr}")[1:]:
        said, numbers = error.partition(" error: ")[2].partition("\n")[0], set(_numbers(source, error))
        if not numbers:
            raise SystemExit(f"{' '.join(command)}: an error of no call: {error[:2000]}")
        failing = dict.fromkeys(numbers, said) | failing
    if done.returncode != 0 and not failing:
        raise SystemExit(f"{' '.join(command)}: {done.stderr[:2000]}")
    return Measured(tuple(calls), failing, frozenset(_reported(given / f"{family.name}.cu", report)))


def _numbers(source: Path, said: str) -> Iterator[int]:
    """Yield the numbers of the calls whose lines a compiler mentions."""
    lines = source.read_text(encoding="utf-8").splitlines()
    name = re.escape(source.name)
    for found in re.finditer(rf"{name}[:(](\d+)|at line (\d+) of [^\n]*{name}", said):
        line = int(found[1] or found[2])
        number = number_in(lines[line - 1]) if line <= len(lines) else None
        if number is not None:
            yield number


def _reported(source: Path, report: Path) -> Iterator[int]:
    """Yield the numbers of the calls in whose lines hipport reports warnings or errors."""
    lines = source.read_text(encoding="utf-8").splitlines()
    for diagnostic in json.loads(report.read_text(encoding="utf-8"))["diagnostics"]:
        if diagnostic["severity"] == "note":
            continue
        number = number_in(lines[diagnostic["line"] - 1])
        if number is not None:
            yield number
