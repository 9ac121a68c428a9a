"""Render the files of an HTML report: their findings, each with its line, and the changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from hipport.diagnostics import Diagnostic, Severity
from hipport.project.request import FileResult, Report
from hipport.report.displayable import shown
from hipport.report.effort import minutes, spelled
from hipport.report.html_code import code, highlighted
from hipport.report.sides import Sides, difference

_AROUND = 160
"""Characters of a line to show before and after the place of a finding."""
_MOST_OPEN = 25
"""Number of files with errors that are open at first: a page with hundreds of open files takes long to show."""


def file_sections(report: Report, by_file: Mapping[str, list[Diagnostic]]) -> Iterator[str]:
    """Yield the files: those with the most left to do first, then those that only changed."""
    order = sorted(report.files, key=lambda file: (-minutes(by_file.get(file.source, ())), shown(file.source)))
    opened = 0
    for number, file in enumerate(order):
        found = by_file.get(file.source, [])
        if found or file.changed:
            is_open = opened < _MOST_OPEN and any(one.severity is Severity.ERROR for one in found)
            opened += is_open
            yield _file(file, found, f"f{number}", is_open=is_open)


def other_findings(report: Report, by_file: Mapping[str, list[Diagnostic]]) -> Iterator[str]:
    """Yield the findings about what is not a file of the run, such as the build as a whole."""
    known = {file.source for file in report.files}
    for path in sorted(set(by_file) - known):
        found = by_file[path]
        rows = "".join(_finding(one, Sides(), "") for one in found)
        summary = _summary(path, found)
        yield f"<details class=file open{_sort_keys(found)}>{summary}<table class=findings>{rows}</table></details>"


def _file(file: FileResult, found: list[Diagnostic], prefix: str, *, is_open: bool) -> str:
    sides = difference(file, {one.line for one in found}, prefix)
    rows = "".join(_finding(diagnostic, sides, prefix) for diagnostic in found)
    table = f"<table class=findings>{rows}</table>" if rows else ""
    changes = f"<details class=changes><summary>Changes</summary>{sides.table}</details>" if sides.table else ""
    attributes = f"{' open' if is_open else ''}{_sort_keys(found)}"
    return f"<details class=file{attributes}>{_summary(file.source, found)}{table}{changes}</details>"


def _sort_keys(found: list[Diagnostic]) -> str:
    errors = sum(one.severity is Severity.ERROR for one in found)
    return f' data-work="{minutes(found):.2f}" data-errors="{errors}" data-findings="{len(found)}"'


def _summary(path: str, found: list[Diagnostic]) -> str:
    counts = "".join(
        f'<em class={severity.value} title="{count} {severity.value}{"s" * (count > 1)}">{count}</em>'
        for severity in Severity
        if (count := sum(one.severity is severity for one in found))
    )
    left = minutes(found)
    effort = f"<span class=effort>{spelled(left)}</span>" if left else ""
    return f"<summary><code>{escape(shown(path))}</code>{counts}{effort}</summary>"


def _finding(found: Diagnostic, sides: Sides, prefix: str) -> str:
    advice = f"<div class=advice>{escape(shown(found.advice))}</div>" if found.advice else ""
    place = f"{found.line}:{found.column}"
    if found.line in sides.lines:
        place = f'<a href="#{prefix}-{found.line}" title="Show the line among the changes">{place}</a>'
    severity = found.severity.value
    label = f"<em class={severity}>{found.code}</em>"
    label = f'<a href="#{found.code}" title="{severity}: what {found.code} means">{label}</a>'
    return (
        f'<tr data-code="{found.code}" data-severity="{severity}"><td class=number>{place}'
        f"<td>{label}<td>{escape(shown(found.message))}{_quote(found)}{advice}"
    )


def _quote(found: Diagnostic) -> str:
    """Return the source line with the finding's place marked; long lines are cut around it."""
    if found.quote is None or found.column > len(found.quote.text):
        return ""
    start, end = found.column - 1, min(found.quote.end - 1, found.column - 1 + _AROUND)
    text = found.quote.text
    kept = text[max(0, start - _AROUND) : start].lstrip()
    line = kept + text[start : end + _AROUND]
    marks = [(len(kept), len(kept) + end - start)]
    (parts, *_) = highlighted(line.replace("\n", " "), found.path)
    return f"<pre>{code(parts, marks)}</pre>"
