"""Translate generated programs and run them on the CPU target, with wavefronts of 32 or of 64 lanes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.translate.hazards.lane_programs import LaneProgram

REPORTING = frozenset({"HP201", "HP202", "HP203", "HP204", "HP207", "HP221", "HP227", "HP230", "HP231", "HP232"})
"""Findings, as errors or warnings, that tell a user that a program is wrong on wavefronts of 64."""

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<[^>]*>|"([^"]*)").*\n', re.MULTILINE)
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_MAIN = """
int main(int, char** arguments) {{
  const int chosen = std::atoi(arguments[1]);
{cases}
  return 2;
}}
"""


@dataclass(frozen=True, slots=True)
class Translated:
    """A translated program: its text, all files in one, and `(file, line, code)` of what was reported about lanes."""

    program: LaneProgram
    text: str
    includes: frozenset[str]
    reported: tuple[tuple[str, int, str], ...]

    @property
    def told(self) -> bool:
        """Return whether a finding is at one of the program's marked lines."""
        return any(line in self.program.lines(file) for file, line, _ in self.reported)


def translate(programs: Sequence[LaneProgram], folder: Path, *options: str) -> list[Translated]:
    """Translate the programs as one tree, with the installed command."""
    for program in programs:
        home = folder / "in" / program.name
        home.mkdir(parents=True)
        for name, text in program.files.items():
            (home / name).write_text(text)
    report = folder / "report.json"
    command = [
        sys.executable,
        "-m",
        "hipport",
        "convert",
        str(folder / "in"),
        "-o",
        str(folder / "out"),
        "--rocm",
        "7.2",
    ]
    done = subprocess.run([*command, "--report", str(report), *options], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    found: dict[str, list[tuple[str, int, str]]] = {}
    for each in json.loads(report.read_text())["diagnostics"]:
        path = Path(each["path"])
        if each["code"] in REPORTING and each["severity"] != "note":
            found.setdefault(path.parent.name, []).append((path.name, each["line"], each["code"]))
    return [_translated(program, folder / "out" / program.name, found.get(program.name, [])) for program in programs]


def _translated(program: LaneProgram, folder: Path, found: list[tuple[str, int, str]]) -> Translated:
    text, outer = _with_headers(folder, "main.hip")
    return Translated(program, text, frozenset(outer), tuple(found))


def _with_headers(folder: Path, name: str) -> tuple[str, set[str]]:
    """Return a file with its own headers in it, and the lines of the others that it includes."""
    outer: set[str] = set()

    def included(match: re.Match[str]) -> str:
        if match[1] is None or not (folder / match[1]).exists():
            outer.add(match[0])
            return "\n"
        text, inner = _with_headers(folder, match[1])
        outer.update(inner)
        return text

    text = (folder / name).read_text().replace("#pragma once\n", "")
    return _INCLUDE.sub(included, text), outer


def run(translated: Sequence[Translated], folder: Path, lanes: int, *options: str) -> Mapping[str, bool]:
    """Return which programs compute, with wavefronts of so many lanes, what they compute in CUDA."""
    program = folder / f"programs-{lanes}"
    source = folder / f"programs-{lanes}.hip"
    source.write_text(_unit(translated))
    command = [sys.executable, "-m", "hipport", "build", "--target", "cpu", str(source), "-o", str(program)]
    built = subprocess.run(
        [*command, "--wave-size", str(lanes), "-O", "0", *options], capture_output=True, text=True, cwd=folder
    )
    assert built.returncode == 0, built.stderr + built.stdout

    def is_right(case: int) -> bool:
        try:
            return subprocess.run([program, str(case)], capture_output=True, timeout=60).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    with ThreadPoolExecutor(2) as pool:
        right = list(pool.map(is_right, range(len(translated))))
    return {each.program.name: right[case] for case, each in enumerate(translated)}


def _unit(translated: Sequence[Translated]) -> str:
    """Return one translation unit with all programs, each in a namespace."""
    lines = ["#include <cstdlib>\n", *sorted(frozenset().union(*(each.includes for each in translated)))]
    cases = []
    for case, each in enumerate(translated):
        lines.append(f"// {each.program.name}\nnamespace case_{case} {{\n{each.text}}}\n")
        lines += [f"#undef {name}\n" for name in dict.fromkeys(_DEFINE.findall(each.text))]
        cases.append(f"  if (chosen == {case}) return case_{case}::run() ? 0 : 1;")
    return "".join(lines) + _MAIN.format(cases="\n".join(cases))
