"""Render the report as one self-contained HTML file that needs neither network nor server."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from string import Template

import hipport
from hipport.counts import count_of
from hipport.diagnostics import Diagnostic, Severity
from hipport.project.request import FileResult, Report
from hipport.project.task import Action
from hipport.report.displayable import shown
from hipport.report.effort import estimates, spelled
from hipport.report.html_files import file_sections
from hipport.report.kinds import groups
from hipport.report.pages import page

_REASONS = 12
"""Number of rows in the chart of reasons."""
_STATES = {
    "error": "with errors",
    "warning": "with warnings",
    "done": "translated, no work left",
    "same": "nothing to translate",
}


def to_html(report: Report) -> str:
    """Return the whole report as a page."""
    by_file: dict[str, list[Diagnostic]] = defaultdict(list)
    for found in report.diagnostics:
        by_file[found.path].append(found)
    states = Counter(_state(file, by_file[file.source]) for file in _sources(report))
    template = Template(Path(__file__).with_name("report.html").read_text(encoding="utf-8"))
    return template.substitute(
        version=escape(hipport.__version__),
        target=escape(_target(report)),
        tiles="".join(_tiles(report)),
        states="".join(_bars(states, _STATES)),
        states_text=escape(", ".join(_counted(states))),
        legend="".join(f"<span><i class={name}></i>{states[name]} {_STATES[name]}</span>" for name in _STATES),
        reasons="".join(_reasons(report.diagnostics)),
        codes="".join(_codes(report.diagnostics)),
        files="".join(file_sections(report, by_file)),
    )


def _target(report: Report) -> str:
    return f"for ROCm {report.releases.rocm}" if report.releases is not None else ""


def _sources(report: Report) -> list[FileResult]:
    return [file for file in report.files if file.action is Action.TRANSLATE]


def _tiles(report: Report) -> Iterator[str]:
    sources = _sources(report)
    values = [
        ("sources", str(len(sources))),
        ("changed", str(sum(file.changed for file in sources))),
        *((severity.value + "s", str(report.count(severity))) for severity in Severity),
        ("estimated work left", spelled(sum(file.minutes for file in estimates(report.diagnostics)))),
    ]
    for name, value in values:
        yield f"<div class=tile><b>{escape(value)}</b><span>{escape(name)}</span></div>"


def _state(file: FileResult, found: Sequence[Diagnostic]) -> str:
    severities = {diagnostic.severity for diagnostic in found}
    if Severity.ERROR in severities:
        return "error"
    if Severity.WARNING in severities:
        return "warning"
    return "done" if file.changed else "same"


def _counted(states: Counter[str]) -> Iterator[str]:
    yield from (f"{states[name]} {text}" for name, text in _STATES.items())


def _bars(counts: Counter[str], names: Iterable[str], most: int | None = None) -> Iterator[str]:
    """Yield adjacent bars with widths proportional to the counts; `most` is the count of a full width."""
    full = most or counts.total() or 1
    for name in names:
        if counts[name]:
            yield f'<i class={name} style="width:{100 * counts[name] / full:.2f}%"></i>'


def _reasons(diagnostics: Sequence[Diagnostic]) -> Iterator[str]:
    """Yield the rows of remaining findings, grouped by reason."""
    found = [group for group in groups(diagnostics) if group.kind.severity is not Severity.NOTE]
    shares = sorted(found[:_REASONS], key=lambda group: -group.count)
    most = max((group.count for group in shares), default=1)
    for group in shares:
        names = ", ".join(group.subjects[:4]) + (", ..." if len(group.subjects) > 4 else "")
        severity = group.kind.severity.value
        what = f"<td>{escape(shown(group.kind.reason))}<small>{escape(shown(names))}</small>"
        bars = "".join(_bars(Counter({severity: group.count}), (severity,), most))
        yield f"<tr><th>{group.kind.code}{what}<td class=number>{group.count}<td class=bar>{bars}"
    if len(found) > _REASONS:
        rest = sum(group.count for group in found[_REASONS:])
        yield f"<tr><th><td>{count_of(len(found) - _REASONS, 'other reason')}<td class=number>{rest}<td class=bar>"


def _codes(diagnostics: Sequence[Diagnostic]) -> Iterator[str]:
    """Yield the count of each code, by severity, with a checkbox to filter by it."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for found in diagnostics:
        counts[found.code][found.severity.value] += 1
    most = max((of.total() for of in counts.values()), default=1)
    for code, of in sorted(counts.items(), key=lambda item: (-item[1].total(), item[0])):
        bars = "".join(_bars(of, (severity.value for severity in Severity), most))
        box = f'<label><input type=checkbox class=script checked value="{code}"> {code}</label>'
        yield f"<tr><th>{box}<td>{escape(_title(code))}<td class=number>{of.total()}<td class=bar>{bars}"


def _title(code: str) -> str:
    found = page(code)
    return found.title.replace("`", "") if found is not None else ""
