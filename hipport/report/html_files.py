"""Render the files of an HTML report: their findings, each with its line, and the changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from hipport.diagnostics import Diagnostic, Severity
from hipport.project.request import FileResult, Report
from hipport.report.displayable import shown
from hipport.report.effort import minutes, spelled
from hipport.report.sides import difference

_AROUND = 160
"""Characters of a line to show before and after the place of a finding."""


def file_sections(report: Report, by_file: Mapping[str, list[Diagnostic]]) -> Iterator[str]:
    """Yield the files: those with the most left to do first, then those that only changed."""
    order = sorted(report.files, key=lambda file: (-minutes(by_file.get(file.source, ())), shown(file.source)))
    for file in order:
        found = by_file.get(file.source, [])
        if found or file.changed:
            yield _file(file, found)


def _file(file: FileResult, found: list[Diagnostic]) -> str:
    errors, warnings, notes = (sum(d.severity is severity for d in found) for severity in Severity)
    counts = "".join(
        f'<em class={name} title="{count} {name}s">{count}</em>'
        for name, count in (("error", errors), ("warning", warnings), ("note", notes))
        if count
    )
    left = minutes(found)
    effort = f"<span class=effort>{spelled(left)}</span>" if left else ""
    rows = "".join(_finding(diagnostic) for diagnostic in found)
    table = f"<table class=findings>{rows}</table>" if rows else ""
    return (
        f"<details class=file><summary><code>{escape(shown(file.source))}</code>{counts}{effort}</summary>"
        f"{table}{difference(file)}</details>"
    )


def _finding(found: Diagnostic) -> str:
    advice = f"<div class=advice>{escape(shown(found.advice))}</div>" if found.advice else ""
    return (
        f'<tr data-code="{found.code}"><td class=number>{found.line}:{found.column}'
        f"<td><em class={found.severity.value}>{found.code}</em>"
        f"<td>{escape(shown(found.message))}{_quote(found)}{advice}"
    )


def _quote(found: Diagnostic) -> str:
    """Return the source line with the finding's place marked; long lines are cut around it."""
    if found.quote is None or found.column > len(found.quote.text):
        return ""
    start, end = found.column - 1, min(found.quote.end - 1, found.column - 1 + _AROUND)
    text = found.quote.text
    before = text[max(0, start - _AROUND) : start].lstrip()
    parts = [escape(shown(part.replace("\t", "    "))) for part in (before, text[start:end], text[end : end + _AROUND])]
    return f"<pre>{parts[0]}<mark>{parts[1]}</mark>{parts[2]}</pre>"
