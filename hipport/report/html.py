"""Render the report as one self-contained HTML file that needs neither network nor server."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

import hipport
from hipport import webpage
from hipport.counts import count_of
from hipport.diagnostics import Diagnostic, Severity
from hipport.project.request import FileResult, Report
from hipport.project.task import Action
from hipport.report.about import About
from hipport.report.displayable import shown
from hipport.report.effort import estimates, spelled
from hipport.report.html_files import file_sections, other_findings
from hipport.report.html_pages import page_sections
from hipport.report.kinds import groups
from hipport.report.pages import page

_REASONS = 12
"""Number of rows in the chart of reasons."""
_TRANSLATED = {
    "error": "with errors",
    "warning": "with warnings",
    "done": "translated, no work left",
    "same": "unchanged",
}
_CHECKED = {"error": "with errors", "warning": "with warnings", "done": "with neither"}


def to_html(report: Report, about: About) -> str:
    """Return the whole report as a page."""
    by_file: dict[str, list[Diagnostic]] = defaultdict(list)
    for found in report.diagnostics:
        by_file[found.path].append(found)
    here = Path(__file__).parent
    title = f"{about.project}: hipport report" if about.project else "hipport report"
    return webpage.page(
        shown(title),
        "\n".join(_body(report, about, by_file, shown(title))),
        style=(here / "report.css").read_text(encoding="utf-8"),
        script=(here / "report.js").read_text(encoding="utf-8"),
    )


def _body(report: Report, about: About, by_file: dict[str, list[Diagnostic]], title: str) -> Iterator[str]:
    yield webpage.heading(title, _facts(report, about))
    yield f"<div class=tiles>{''.join(_tiles(report, about))}</div>"
    yield from _states(report, about, by_file)
    if report.diagnostics:
        yield f"<h2>Findings by reason</h2><table class=chart>{''.join(_reasons(report.diagnostics))}</table>"
        yield f'<h2>Findings by code</h2><table class="chart codes">{"".join(_codes(report.diagnostics))}</table>'
    else:
        yield "<p>No findings.</p>"
    files = [*other_findings(report, by_file), *file_sections(report, by_file)]
    if files:
        yield f"<h2>Files</h2>{_filters(report)}<div id=files>{''.join(files)}</div>"
    if pages := "".join(page_sections(found.code for found in report.diagnostics)):
        yield f"<h2>Meaning of the codes</h2>{pages}"


def _facts(report: Report, about: About) -> dict[str, str]:
    rocm = report.releases.rocm if report.releases is not None else ""
    return {
        "command": shown(about.command),
        "date": about.date,
        "translated for" if not about.checked else "checked for": f"ROCm {rocm}" if rocm else "",
        "hipport": hipport.__version__,
    }


def _sources(report: Report) -> list[FileResult]:
    return [file for file in report.files if file.action is Action.TRANSLATE]


def _others_with_findings(report: Report, by_file: dict[str, list[Diagnostic]]) -> list[FileResult]:
    """Return the files that are copied and have findings, such as errors of a build in a Python file."""
    return [file for file in report.files if file.action is not Action.TRANSLATE and file.source in by_file]


def _tiles(report: Report, about: About) -> Iterator[str]:
    sources = _sources(report)
    builds = sum(file.build_file for file in sources)
    yield webpage.tile(str(len(sources) - builds), "source" if len(sources) - builds == 1 else "sources")
    if builds:
        yield webpage.tile(str(builds), "build file" if builds == 1 else "build files")
    if not about.checked:
        yield webpage.tile(str(sum(file.changed for file in sources)), "changed")
    if ported := sum(file.ported for file in report.files):
        yield webpage.tile(str(ported), "HIP already")
    for severity in Severity:
        count = report.count(severity)
        kind = severity.value if count and severity is not Severity.NOTE else ""
        yield webpage.tile(str(count), severity.value + "s" * (count != 1), kind)
    yield webpage.tile(spelled(sum(file.minutes for file in estimates(report.diagnostics))), "estimated work left")


def _states(report: Report, about: About, by_file: dict[str, list[Diagnostic]]) -> Iterator[str]:
    """Yield how many files are in which state: in numbers, then as a bar."""
    names = _CHECKED if about.checked else _TRANSLATED
    counted = [*_sources(report), *_others_with_findings(report, by_file)]
    states = Counter(_state(file, by_file.get(file.source, ()), about) for file in counted)
    if not states:
        return
    parts = (f"<span><i class={name}></i>{states[name]} {text}</span>" for name, text in names.items())
    label = ", ".join(f"{states[name]} {text}" for name, text in names.items())
    yield f"<p class=legend>{''.join(parts)}</p>"
    yield f'<div class=states role=img aria-label="{escape(label)}">{"".join(_bars(states, names))}</div>'


def _state(file: FileResult, found: Sequence[Diagnostic], about: About) -> str:
    severities = {diagnostic.severity for diagnostic in found}
    if Severity.ERROR in severities:
        return "error"
    if Severity.WARNING in severities:
        return "warning"
    return "done" if file.changed or about.checked else "same"


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
        yield f"<tr><th>{_link(group.kind.code)}<td class=number>{group.count}<td class=bar>{bars}{what}"
    if len(found) > _REASONS:
        rest = sum(group.count for group in found[_REASONS:])
        yield f"<tr><th><td class=number>{rest}<td class=bar><td>{count_of(len(found) - _REASONS, 'other reason')}"


def _codes(diagnostics: Sequence[Diagnostic]) -> Iterator[str]:
    """Yield the count of each code, by severity, with a checkbox to filter by it."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for found in diagnostics:
        counts[found.code][found.severity.value] += 1
    most = max((of.total() for of in counts.values()), default=1)
    for code, of in sorted(counts.items(), key=lambda item: (-item[1].total(), item[0])):
        bars = "".join(_bars(of, (severity.value for severity in Severity), most))
        box = f'<input type=checkbox class=script checked value="{code}" aria-label="Show {code}"> {_link(code)}'
        yield f"<tr><th>{box}<td class=number>{of.total()}<td class=bar>{bars}<td>{escape(_title(code))}"


def _link(code: str) -> str:
    return f'<a href="#{code}">{code}</a>'


def _title(code: str) -> str:
    found = page(code)
    return found.title if found is not None else ""


def _filters(report: Report) -> str:
    boxes = "".join(
        f'<label><input type=checkbox checked name=severity value="{severity.value}"> '
        f"{count_of(report.count(severity), severity.value)}</label>"
        for severity in Severity
        if report.count(severity)
    )
    here = Path(__file__).with_name("filters.html").read_text(encoding="utf-8")
    return here.replace("$severities", boxes)
