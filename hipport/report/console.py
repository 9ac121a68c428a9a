"""Render the report for people: `path:line:col: severity[code]: message` with the source line, totals, a summary."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import click
from msgspec import Struct

from hipport.counts import count_of
from hipport.diagnostics import Diagnostic, Severity
from hipport.mappings.choice import Origin
from hipport.project.request import AT_REST, FileResult, Mode, Report, Verdict
from hipport.project.task import Action
from hipport.report.displayable import shown
from hipport.report.effort import estimates, spelled
from hipport.report.excerpt import excerpt
from hipport.report.kinds import FindingKind, Group, fairly, groups, kind

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
_SAME = 3
"""Number of identical findings to show individually."""
_ROWS = 15
"""Number of rows in the table of findings not shown."""
_NAMES = 3
"""Number of subjects to name per kind of finding in that table."""
_INDENT = "    "
_LONGEST_WORD = 24
"""Characters of a word that is left out rather than cut, where a line is too long for the terminal."""
_FILES = 5
"""Number of files to list as those with the most left to do."""


class Style(Struct, frozen=True):
    """Text layout: `width` is the terminal's columns, None for no wrapping; `colour` enables colors.

    `rest` says what has the findings that are not shown, `fix` what applies quick fixes: an option of the command that
    runs, if it has one.
    """

    width: int | None = None
    colour: bool = False
    rest: str = "--max-diagnostics 0 shows all"
    fix: str = "--fix"

    def paint(self, text: str, colour: str | None = None, *, bold: bool = False) -> str:
        """Return the text in a color, if colors are enabled."""
        return click.style(text, fg=colour, bold=bold or None) if self.colour else text


def diagnostic_lines(diagnostics: Sequence[Diagnostic], style: Style, limit: int) -> Iterator[str]:
    """Yield the findings in order, at most `limit` (0: all), followed by a table of those left out.

    Identical advice for the same code is shown once.
    """
    chosen = set(range(len(diagnostics))) if limit == 0 else _choose(diagnostics, limit)
    advised: set[tuple[str, str]] = set()
    for index in sorted(chosen):
        found = diagnostics[index]
        yield from _lines(found, style)
        if (found.code, found.advice) not in advised:
            yield from _indented(shown(found.advice), style)
        advised.add((found.code, found.advice))
    hidden = [diagnostic for index, diagnostic in enumerate(diagnostics) if index not in chosen]
    if hidden:
        yield from _table(hidden, style)


def _choose(diagnostics: Sequence[Diagnostic], limit: int) -> set[int]:
    """Choose the findings to show: one of each kind before a second of any, frequent kinds first, errors first."""
    kinds = [kind(found) for found in diagnostics]
    counts, seen = Counter(kinds), Counter[FindingKind]()
    ranked: list[tuple[int, int, int]] = []
    for index, what in enumerate(kinds):
        seen[what] += 1
        if seen[what] <= _SAME:
            ranked.append((seen[what], -counts[what], index))
    return set(fairly((diagnostics[index].severity, index) for _, _, index in sorted(ranked))[:limit])


def _lines(found: Diagnostic, style: Style) -> Iterator[str]:
    place = f"{shown(found.path)}:{found.line}:{found.column}:"
    label = f"{found.severity.value}[{found.code}]:"
    first, *rest = _wrapped(shown(found.message), style, before=f"{place} {label} ")
    yield f"{style.paint(place, bold=True)} {style.paint(label, _COLOURS[found.severity], bold=True)} {first}"
    yield from rest
    for line, points in excerpt(found, style.width):
        yield style.paint(line, _COLOURS[found.severity]) if points else line


def _indented(text: str, style: Style) -> list[str]:
    first, *rest = _wrapped(text, style, before=_INDENT)
    return [_INDENT + first, *rest] if text else []


def _wrapped(text: str, style: Style, before: str = "") -> list[str]:
    """Break a text into lines, at least one, of which all but the first are indented; `before` precedes the first."""
    if style.width is None:
        return [text]
    # Option names and paths stay in one piece: what is shown is pasted.
    lines = textwrap.wrap(
        text,
        max(20, style.width),
        initial_indent=" " * len(before),
        subsequent_indent=_INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [lines[0][len(before) :], *lines[1:]] if lines else [text]


def _table(hidden: Sequence[Diagnostic], style: Style) -> Iterator[str]:
    found = groups(hidden)
    order = list(Severity)
    yield f"{len(hidden)} more ({style.rest}):"
    for group in sorted(found[:_ROWS], key=lambda group: (order.index(group.kind.severity), -group.count)):
        label = f"{group.kind.severity.value}[{group.kind.code}]"
        yield _clipped(f"  {group.count:>6}  {label:<15}  {shown(group.kind.reason)}{_subjects(group)}", style)
    if len(found) > _ROWS:
        rest = sum(group.count for group in found[_ROWS:])
        yield f"  {rest:>6}  of {count_of(len(found) - _ROWS, 'other kind')}"


def _subjects(group: Group) -> str:
    if not group.subjects:
        return ""
    names = ", ".join(shown(name) for name in group.subjects[:_NAMES])
    return f" ({names}{', ...' if len(group.subjects) > _NAMES else ''})"


def effort_lines(diagnostics: Iterable[Diagnostic], style: Style) -> Iterator[str]:
    """Yield the files with the most left to do, by a rough estimate, if there are several."""
    files = [file for file in estimates(diagnostics) if file.minutes]
    if len(files) < 2:
        return
    total = spelled(sum(file.minutes for file in files))
    yield f"Estimated work left: {total} in {len(files)} files, most of it in:"
    for file in files[:_FILES]:
        yield _clipped(f"  {spelled(file.minutes):>7}  {shown(file.path)} ({_counts(file.counts)})", style)


def _counts(counts: Mapping[Severity, int]) -> str:
    return ", ".join(count_of(counts[severity], severity.value) for severity in Severity if counts[severity])


def _clipped(line: str, style: Style) -> str:
    if style.width is None or len(line) <= style.width:
        return line
    cut = line[: style.width - 1]
    word = cut.rpartition(" ")[2]
    return (cut[: -len(word)].rstrip() + " …") if 0 < len(word) < _LONGEST_WORD else cut.rstrip() + "…"


def check_lines(files: Iterable[FileResult]) -> Iterator[str]:
    """Yield the files that would change, with their new names."""
    for file in files:
        if file.changed:
            arrow = "" if file.source == file.target else f" -> {shown(file.target)}"
            yield f"would change: {shown(file.source)}{arrow}"


def verdict_lines(report: Report, *, dry: bool, edits: bool) -> Iterator[str]:
    """Yield the files of an output tree whose state changed, with what happened; `edits` includes those edited by hand.

    With `dry`, nothing has been done yet.
    """
    quiet = {Verdict.SAME} if edits else AT_REST
    for file in report.verdicts or ():
        if file.verdict not in quiet:
            yield f"{'would be ' if dry else ''}{file.verdict.value}: {shown(file.path)}"


def summary_lines(report: Report, style: Style, seconds: float | None, *, checked: bool = False) -> list[str]:
    """Return `summary`, in lines that fit the terminal."""
    return _wrapped(summary(report, seconds, checked=checked, fix=style.fix), style)


def summary(report: Report, seconds: float | None, *, checked: bool = False, fix: str = "--fix") -> str:
    """Return one line of totals, with the time taken if given.

    `checked`: the sources were only checked, not translated. `fix`: what applies quick fixes.
    """
    done = (_checked(report) if checked else _files(report)) + _target(report)
    parts = (done, _verdicts(report), _findings(report, fix), _support(report))
    return f"hipport: {'; '.join(part for part in parts if part)}" + (
        f" ({seconds:.1f} s)" if seconds is not None else ""
    )


def _target(report: Report) -> str:
    """Return the ROCm release, with its origin unless the user requested it."""
    if report.releases is None:
        return ""
    origin = "" if report.releases.origin is Origin.ASKED else f" ({report.releases.origin.value})"
    return f", for ROCm {report.releases.rocm}{origin}"


def _support(report: Report) -> str:
    """Return the compiler options that find hipport's own headers."""
    folders = " ".join(f"-I {shown(folder)}" for folder in report.support_dirs)
    return f"compile with {folders}" if folders else ""


def _checked(report: Report) -> str:
    done = [file for file in report.files if file.action is Action.TRANSLATE and not file.failed]
    fixed = sum(file.changed for file in done)
    builds = sum(file.build_file for file in done)
    python = sum(file.source.endswith(".py") for file in report.files) if not done else 0
    if python:  # there is nothing else, but these were read
        return f"{count_of(python, 'Python file')} checked for kernels in strings"
    counted = [count_of(len(done) - builds, "source"), *([count_of(builds, "build file")] if builds else [])]
    ported = sum(file.ported for file in report.files)
    left = f", {_left_alone(ported)}" if ported else ""
    return f"{' and '.join(counted)} checked" + (f", {fixed} fixed" if fixed else "") + left


def _files(report: Report) -> str:
    done = [file for file in report.files if not file.failed]
    would = "would be " if report.mode in (Mode.CHECK, Mode.DIFF) else ""
    parts = []
    for noun, is_build in (("source", False), ("build file", True)):
        read = [file for file in done if file.action is Action.TRANSLATE and file.build_file is is_build]
        if read or not is_build:
            parts.append(f"{count_of(len(read), noun)} read, {sum(file.changed for file in read)} {would}changed")
    if ported := sum(file.ported for file in done):
        parts.append(_left_alone(ported))
    if report.mode is Mode.OUTPUT:
        parts += [f"{count_of(count, noun)} {verb}" for count, noun, verb in _others(done) if count]
    return ", ".join(parts)


def _left_alone(count: int) -> str:
    return f"{count_of(count, 'source')} left alone (HIP already)"


def _verdicts(report: Report) -> str:
    """Return the number of files per verdict, for an output tree that existed before."""
    if report.verdicts is None:
        return ""
    counts: Counter[Verdict] = Counter(file.verdict for file in report.verdicts)
    counts[Verdict.SAME] = 0
    told = [f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict]]
    return ", ".join(told) if report.stale else ", ".join(["up to date", *told])


def _others(done: Iterable[FileResult]) -> list[tuple[int, str, str]]:
    actions = Counter(file.action for file in done if not file.ported)
    return [(actions[Action.COPY], "other file", "copied"), (actions[Action.LINK], "link", "kept")]


def _findings(report: Report, fix: str) -> str:
    counts = _counts({severity: report.count(severity) for severity in Severity})
    fixable = sum(bool(found.fix) for found in report.diagnostics)
    return counts + (f" ({fixable} with a quick fix: {fix})" if fixable else "")
