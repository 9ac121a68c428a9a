"""Format the results: a table for a terminal, lines for a pipe, JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hipport.counts import count_of
from hipport.doctor.findings import CheckResult, Finding, Level
from hipport.doctor.machine import Machine

if TYPE_CHECKING:
    from rich.console import Console

SCHEMA_VERSION = 1
_COLOURS = {Level.ERROR: "red", Level.WARNING: "yellow", Level.OK: "green"}


def plain_lines(results: Sequence[CheckResult]) -> Iterator[str]:
    """Yield a line for each finding, followed by its suggested fix, and a summary."""
    for result in results:
        for finding in result.findings:
            yield f"{finding.level.value:<7}  {result.title}: {finding.message}"
            if finding.advice:
                yield f"         fix: {finding.advice}"
    yield summary(results)


def draw(results: Sequence[CheckResult], console: Console) -> None:
    """Print a table with a row for each finding."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    table.add_column("what")
    table.add_column("finding and fix", overflow="fold")
    for result in results:
        for finding in result.findings:
            said = Text(finding.message)
            if finding.advice:
                said.append(f"\n{finding.advice}", style="bold")
            table.add_row(Text(finding.level.value, style=_COLOURS[finding.level]), result.title, said)
    console.print(table)
    console.print(summary(results), highlight=False)


def summary(results: Sequence[CheckResult]) -> str:
    """Return the number of findings by level."""
    problems = counted(results, Level.ERROR), counted(results, Level.WARNING)
    if not any(problems):
        return "hipport: no problems found"
    named = [count_of(count, noun) for count, noun in zip(problems, ("error", "warning"), strict=True) if count]
    return f"hipport: {', '.join(named)}"


def counted(results: Sequence[CheckResult], level: Level) -> int:
    """Return how many findings have a level."""
    return sum(finding.level is level for result in results for finding in result.findings)


def to_json(machine: Machine, results: Sequence[CheckResult]) -> dict[str, Any]:
    """Return the results as JSON data; the schema is in docs/doctor.md."""
    return {
        "version": SCHEMA_VERSION,
        "targets": [str(target) for target in machine.targets],
        "compilers": [str(compiler) for compiler in machine.compilers],
        "hip": None if machine.hip is None else {"version": machine.hip.version, "root": str(machine.hip.root)},
        "results": [_result(result) for result in results],
        "errors": counted(results, Level.ERROR),
        "warnings": counted(results, Level.WARNING),
    }


def _result(result: CheckResult) -> dict[str, Any]:
    findings = [_finding(finding) for finding in result.findings]
    return {"check": result.check, "title": result.title, "area": result.area.value, "findings": findings}


def _finding(finding: Finding) -> dict[str, Any]:
    fix = None if finding.fix is None else str(finding.fix)
    return {"level": finding.level.value, "message": finding.message, "mend": finding.advice or None, "fix": fix}
