"""The report for a team: one HTML file that needs nothing else, neither network nor server."""

from __future__ import annotations

import contextlib
import difflib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from string import Template

import hipport
from hipport.diagnostics import Diagnostic, Severity
from hipport.pages import page
from hipport.project.request import FileResult, Report
from hipport.project.task import Action
from hipport.report.effort import minutes, spelled
from hipport.report.names import shown

_CONTEXT = 2
_COLUMNS = "<colgroup><col class=line><col><col class=line><col></colgroup>"
_LONGEST_DIFF = 400
"""Lines of a file's diff that are shown; what is beyond is said."""


def to_html(report: Report) -> str:
    """The whole report as a page."""
    by_file: dict[str, list[Diagnostic]] = defaultdict(list)
    for found in report.diagnostics:
        by_file[found.path].append(found)
    template = Template(Path(__file__).with_name("report.html").read_text(encoding="utf-8"))
    return template.substitute(
        version=escape(hipport.__version__),
        target=escape(_target(report)),
        tiles="".join(_tiles(report)),
        chart="".join(_chart(report.diagnostics)),
        codes="".join(_filters(report.diagnostics)),
        files="".join(_files(report, by_file)),
    )


def _target(report: Report) -> str:
    return f"for ROCm {report.releases.rocm}" if report.releases is not None else ""


def _tiles(report: Report) -> Iterator[str]:
    sources = [file for file in report.files if file.action is Action.TRANSLATE]
    clean = len(sources) - len({found.path for found in report.diagnostics if found.severity is not Severity.NOTE})
    left = sum(minutes(found) for found in _grouped(report.diagnostics).values())
    values = [
        ("sources", str(len(sources))),
        ("changed", str(sum(file.changed for file in sources))),
        ("nothing left to do", str(max(clean, 0))),
        *((severity.value + "s", str(report.count(severity))) for severity in Severity),
        ("estimated work left", spelled(left)),
    ]
    for name, value in values:
        yield f"<div class=tile><b>{escape(value)}</b><span>{escape(name)}</span></div>"


def _grouped(diagnostics: Sequence[Diagnostic]) -> dict[str, list[Diagnostic]]:
    grouped: dict[str, list[Diagnostic]] = defaultdict(list)
    for found in diagnostics:
        grouped[found.path].append(found)
    return grouped


def _chart(diagnostics: Sequence[Diagnostic]) -> Iterator[str]:
    """Bars: how often each code was found, by severity."""
    counts = Counter((found.code, found.severity) for found in diagnostics)
    totals = Counter(found.code for found in diagnostics)
    most = max(totals.values(), default=1)
    for code, total in totals.most_common():
        bars = "".join(
            f'<i class={severity.value} style="width:{100 * counts[code, severity] / most:.2f}%"></i>'
            for severity in Severity
            if counts[code, severity]
        )
        yield f"<tr><th>{code}<td>{escape(_title(code))}<td class=number>{total}<td class=bar>{bars}"


def _title(code: str) -> str:
    found = page(code)
    return found.title.replace("`", "") if found is not None else ""


def _filters(diagnostics: Sequence[Diagnostic]) -> Iterator[str]:
    for code in sorted({found.code for found in diagnostics}):
        yield f'<label><input type=checkbox checked value="{code}"> {code}</label>'


def _files(report: Report, by_file: dict[str, list[Diagnostic]]) -> Iterator[str]:
    """The files, those with the most left to do first, then those that only changed."""
    order = sorted(report.files, key=lambda file: (-minutes(by_file.get(file.source, ())), shown(file.source)))
    for file in order:
        found = by_file.get(file.source, [])
        if found or file.changed:
            yield _file(file, found)


def _file(file: FileResult, found: list[Diagnostic]) -> str:
    errors, warnings, notes = (sum(d.severity is severity for d in found) for severity in Severity)
    counts = "".join(
        f"<em class={name}>{count}</em>"
        for name, count in (("error", errors), ("warning", warnings), ("note", notes))
        if count
    )
    left = minutes(found)
    effort = f"<span class=effort>{spelled(left)}</span>" if left else ""
    rows = "".join(_finding(diagnostic) for diagnostic in found)
    table = f"<table class=findings>{rows}</table>" if rows else ""
    return (
        f"<details class=file><summary><code>{escape(shown(file.source))}</code>{counts}{effort}</summary>"
        f"{table}{_difference(file)}</details>"
    )


def _finding(found: Diagnostic) -> str:
    advice = f"<div class=advice>{escape(shown(found.advice))}</div>" if found.advice else ""
    return (
        f'<tr data-code="{found.code}"><td class=number>{found.line}:{found.column}'
        f"<td><em class={found.severity.value}>{found.code}</em><td>{escape(shown(found.message))}{advice}"
    )


def _difference(file: FileResult) -> str:
    """Before and after, side by side, where the file was translated."""
    before, after = _contents(file)
    if before == after or b"\0" in before:
        return ""
    left, right = (data.decode("utf-8", "replace").splitlines() for data in (before, after))
    rows = list(_side_by_side(left, right))
    more = f"<tr><td colspan=4>{len(rows) - _LONGEST_DIFF} more lines" if len(rows) > _LONGEST_DIFF else ""
    return f"<div class=scroll><table class=diff>{_COLUMNS}{''.join(rows[:_LONGEST_DIFF])}{more}</table></div>"


def _contents(file: FileResult) -> tuple[bytes, bytes]:
    if file.before or file.after or not file.changed or file.failed or file.action is not Action.TRANSLATE:
        return file.before, file.after
    with contextlib.suppress(OSError):
        return Path(file.source).read_bytes(), Path(file.target).read_bytes()
    return b"", b""


def _side_by_side(left: list[str], right: list[str]) -> Iterator[str]:
    matcher = difflib.SequenceMatcher(None, left, right)
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        yield "<tr class=gap><td colspan=4>"
        for tag, a, b, c, d in group:
            for step in range(max(b - a, d - c)):
                yield _row(tag, left, a + step if a + step < b else None, right, c + step if c + step < d else None)


def _row(tag: str, left: list[str], a: int | None, right: list[str], c: int | None) -> str:
    same = tag == "equal"
    cells = (_cell(left, a, "" if same else "old"), _cell(right, c, "" if same else "new"))
    return f"<tr>{cells[0]}{cells[1]}"


def _cell(lines: list[str], index: int | None, kind: str) -> str:
    if index is None:
        return "<td class=number><td>"
    return f'<td class=number>{index + 1}<td class="{kind}">{escape(shown(lines[index].expandtabs(4)))}'
