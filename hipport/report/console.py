"""The report for people: `path:line:col: severity[code]: message`, advice below it, and a summary."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import click

from hipport.diagnostics import Diagnostic, Severity
from hipport.mappings.choice import Origin
from hipport.project.request import FileResult, Mode, Report
from hipport.project.task import Action
from hipport.report.names import shown

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
_SAME = 5
"""How often the same finding is shown one by one."""
_ROWS = 20
"""How many kinds of findings the table of what was not shown has."""


@dataclass(frozen=True, slots=True)
class Style:
    """How text is set: `width` columns on a terminal, None where lines are not wrapped; in colour or not."""

    width: int | None = None
    colour: bool = False

    def paint(self, text: str, colour: str | None = None, *, bold: bool = False) -> str:
        """The text in a colour, if there are colours."""
        return click.style(text, fg=colour, bold=bold) if self.colour else text


def diagnostic_lines(diagnostics: Sequence[Diagnostic], style: Style, limit: int) -> Iterator[str]:
    """The findings in order, at most `limit` (0: all), then a table of those left out."""
    chosen = set(range(len(diagnostics))) if limit == 0 else _choose(diagnostics, limit)
    for index in sorted(chosen):
        yield from _lines(diagnostics[index], style)
    hidden = [diagnostic for index, diagnostic in enumerate(diagnostics) if index not in chosen]
    if hidden:
        yield from _table(hidden, style)


def _choose(diagnostics: Sequence[Diagnostic], limit: int) -> set[int]:
    """The findings to show: errors before warnings before notes, and few of a kind."""
    seen: Counter[tuple[str, str]] = Counter()
    chosen: set[int] = set()
    for severity in Severity:
        for index, diagnostic in enumerate(diagnostics):
            kind = (diagnostic.code, diagnostic.message)
            if diagnostic.severity is severity and seen[kind] < _SAME and len(chosen) < limit:
                seen[kind] += 1
                chosen.add(index)
    return chosen


def _lines(found: Diagnostic, style: Style) -> Iterator[str]:
    place = f"{shown(found.path)}:{found.line}:{found.column}:"
    label = style.paint(f"{found.severity.value}[{found.code}]:", _COLOURS[found.severity], bold=True)
    yield f"{style.paint(place, bold=True)} {label} {shown(found.message)}"
    yield from _indented(shown(found.advice), style)


def _indented(text: str, style: Style) -> list[str]:
    if not text or style.width is None:
        return [f"    {text}"] if text else []
    return textwrap.wrap(text, max(20, style.width), initial_indent="    ", subsequent_indent="    ")


def _table(hidden: Sequence[Diagnostic], style: Style) -> Iterator[str]:
    kinds = Counter((found.severity, found.code, found.message) for found in hidden)
    order = list(Severity)
    rows = sorted(kinds.items(), key=lambda row: (order.index(row[0][0]), -row[1], row[0][1:]))
    yield f"{len(hidden)} more (--max-diagnostics 0 shows all):"
    for (severity, code, message), count in rows[:_ROWS]:
        line = f"  {count:>6}  {severity.value + '[' + code + ']':<15}  {shown(message)}"
        yield line if style.width is None or len(line) <= style.width else line[: style.width - 1] + "…"
    if len(rows) > _ROWS:
        yield f"  and {len(rows) - _ROWS} other kinds"


def check_lines(files: Iterable[FileResult]) -> Iterator[str]:
    """The files that would change, and what they would be called."""
    for file in files:
        if file.changed:
            arrow = "" if file.source == file.target else f" -> {shown(file.target)}"
            yield f"would change: {shown(file.source)}{arrow}"


def summary(report: Report, seconds: float | None, *, checked: bool = False) -> str:
    """One line that counts; with the time it took where that is worth knowing.

    `checked`: the sources were not to be translated.
    """
    parts = ((_checked(report) if checked else _files(report)) + _target(report), _findings(report), _support(report))
    return f"hipport: {'; '.join(part for part in parts if part)}" + (
        f" ({seconds:.1f} s)" if seconds is not None else ""
    )


def _target(report: Report) -> str:
    """What the names are for, and how that came about where the user did not say it."""
    if report.releases is None:
        return ""
    origin = "" if report.releases.origin is Origin.ASKED else f" ({report.releases.origin.value})"
    return f", for ROCm {report.releases.rocm}{origin}"


def _support(report: Report) -> str:
    """Where the compiler finds the headers of hipport's own."""
    folders = " ".join(f"-I {shown(folder)}" for folder in report.support_dirs)
    return f"compile with {folders}" if folders else ""


def _checked(report: Report) -> str:
    sources = [file for file in report.files if file.action is Action.TRANSLATE and not file.failed]
    fixed = sum(file.changed for file in sources)
    return f"{_number(len(sources), 'source')} checked" + (f", {fixed} mended" if fixed else "")


def _files(report: Report) -> str:
    done = [file for file in report.files if not file.failed]
    sources = [file for file in done if file.action is Action.TRANSLATE]
    changed = sum(file.changed for file in sources)
    would = "would be " if report.mode in (Mode.CHECK, Mode.DIFF) else ""
    parts = [f"{_number(len(sources), 'source')} read, {changed} {would}changed"]
    if report.mode is Mode.OUTPUT:
        parts += [f"{_number(count, noun)} {verb}" for count, noun, verb in _others(done) if count]
    return ", ".join(parts)


def _others(done: Iterable[FileResult]) -> list[tuple[int, str, str]]:
    actions = Counter(file.action for file in done)
    return [(actions[Action.COPY], "other file", "copied"), (actions[Action.LINK], "link", "kept")]


def _findings(report: Report) -> str:
    counts = [_number(report.count(severity), severity.value) for severity in Severity if report.count(severity)]
    fixable = sum(bool(found.fix) for found in report.diagnostics)
    return ", ".join(counts) + (f" ({fixable} with a quick fix: --fix)" if fixable else "")


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
