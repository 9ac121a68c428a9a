"""Results of emulated programs, and their table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from scripts.emulated.programs import TARGETS, Program

_START, _END = "<!-- emulated: python -m scripts.emulated --slow --write -->\n", "<!-- end of emulated -->"


@dataclass(frozen=True)
class Result:
    """The outcome of a program on a target: "passed", "failed" or "not supported", and why."""

    program: str
    target: str
    state: str
    reason: str = ""
    seconds: float = 0.0

    def __str__(self) -> str:
        return f"{self.state}{f': {self.reason}' if self.reason else ''} ({self.seconds:.1f} s)"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


Known = dict[tuple[str, str], Result]


def results(records: Iterable[Mapping[str, Any]]) -> Known:
    """Return results by program and target."""
    return {(one["program"], one["target"]): Result(**one) for one in records}


def shown(page: str) -> Known:
    """Return the results in the table of the page; how long programs ran is not there."""
    rows = page.split(_START)[1].split(_END, 1)[0].splitlines()
    notes = dict(row.split(". ", 1) for row in rows if re.match(r"\d+\. ", row))
    found: Known = {}
    for row in rows:
        name, *cells = [cell.strip() for cell in row.strip("|").split("|")]
        for target, cell in zip(TARGETS, cells[1:], strict=False):
            if match := re.fullmatch(r"(passed|failed|not supported)(?: \((\d+)\))?", cell):
                found[name, target] = Result(name, target, match[1], notes.get(match[2] or "", ""))
    return found


def rendered(page: str, programs: Sequence[Program], known: Known) -> str:
    """Return the page with its table replaced."""
    before, rest = page.split(_START)
    return before + _START + table(programs, known) + _END + rest.split(_END, 1)[1]


def table(programs: Sequence[Program], known: Known) -> str:
    """Return programs by targets; reasons are numbered below."""
    reasons: list[str] = []
    lines = [f"| program | kind | {' | '.join(TARGETS)} |", "|---|---|" + "---|" * len(TARGETS)]
    for program in programs:
        cells = [_cell(known.get((program.name, target)), reasons) for target in TARGETS]
        lines.append(f"| {program.name} | {program.kind} | {' | '.join(cells)} |")
    notes = [f"{number}. {reason}" for number, reason in enumerate(reasons, 1)]
    return "\n".join([*lines, *(["", *notes] if notes else []), ""])


def _cell(result: Result | None, reasons: list[str]) -> str:
    if result is None:
        return "not run"
    if result.state == "passed":
        return "passed"
    reason = result.reason
    if reason not in reasons:
        reasons.append(reason)
    return f"{result.state} ({reasons.index(reason) + 1})"
