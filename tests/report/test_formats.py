"""SARIF and HTML reports of a run."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

from sarif_pydantic import Sarif

from hipport.diagnostics import Diagnostic, Severity
from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.project.request import FileResult, Mode, Report
from hipport.project.task import Action
from hipport.report.effort import MINUTES, minutes, spelled
from hipport.report.fingerprint import KEY
from hipport.report.formats import rendered
from hipport.translate.context import Context, Options
from hipport.translate.conversion import Conversion
from hipport.translate.convert import check_source

NASTY = "a <b>&\"'\udcff.cu"
FOUND = (
    Diagnostic("dir/k.cu", 3, 5, "HP101", Severity.ERROR, "cudaX has no counterpart in HIP", "leave it out"),
    Diagnostic("dir/k.cu", 9, 1, "HP101", Severity.ERROR, "cudaX has no counterpart in HIP", "leave it out"),
    Diagnostic(NASTY, 1, 1, "HP104", Severity.WARNING, "<script>alert(1)</script>"),
)
FILES = (
    FileResult("dir/k.cu", "dir/k.hip", Action.TRANSLATE, True, before=b"int a;\ncudaX;\n", after=b"int a;\nhipX;\n"),
    FileResult(NASTY, NASTY, Action.TRANSLATE),
    FileResult("clean.h", "clean.h", Action.TRANSLATE),
    FileResult("logo.png", "logo.png", Action.COPY),
)
REPORT = Report(Mode.DIFF, FILES, FOUND)


def test_sarif_follows_the_schema() -> None:
    data = json.loads(rendered(REPORT, "out.SARIF"))
    run = Sarif.model_validate(data).runs[0]
    assert [result.rule_id for result in run.results] == ["HP101", "HP101", "HP104"]
    assert data["version"] == "2.1.0"


def test_sarif_says_what_and_where() -> None:
    run = json.loads(rendered(REPORT, "out.sarif"))["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["HP101", "HP104"]
    assert "What to do" in rules[0]["help"]["markdown"]
    first, _, third = run["results"]
    assert first["level"] == "error"
    assert first["message"]["text"] == "cudaX has no counterpart in HIP. leave it out"
    assert first["locations"][0]["physicalLocation"]["region"] == {"startLine": 3, "startColumn": 5}
    assert third["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20%3Cb%3E%26%22%27%FF.cu"
    prints = [result["partialFingerprints"][KEY] for result in run["results"]]
    assert len(set(prints)) == 3
    assert rules[first["ruleIndex"]]["id"] == first["ruleId"]


SOURCE = b"""/* \xe6\xbc\xa2\xe5\xad\x97 \xff */ __global__ void sum(const int* values, int* out) {
  const int lane = threadIdx.x % warpSize;
  /* \xf0\x9f\x98\x80\xe6\xbc\xa2 */ unsigned odd = __ballot_sync(0xffffffff, values[threadIdx.x] & 1);
  if (lane == 0) out[threadIdx.x / warpSize] = __popc(odd);
}
"""


def checked(*, fix: bool, rocm: str = "7.2") -> Conversion:
    return check_source(SOURCE, "sum.cu", Context(load_choice(NameChoice(rocm)), Options(fix=fix)))


def test_the_fixes_of_sarif_are_those_of_fix() -> None:
    report = Report(Mode.CHECK, (), checked(fix=False).diagnostics)
    text = SOURCE.decode("utf-8", "replace")
    for result in reversed(json.loads(rendered(report, "x.sarif"))["runs"][0]["results"]):
        (fix,) = result["fixes"]
        (change,) = fix["artifactChanges"]
        assert change["artifactLocation"] == {"uri": "sum.cu"} and fix["description"]["text"]
        for replacement in reversed(change["replacements"]):
            start, end = bounds(text, replacement["deletedRegion"])
            text = text[:start] + replacement["insertedContent"]["text"] + text[end:]
    assert text != SOURCE.decode("utf-8", "replace")
    assert text == checked(fix=True).data.decode("utf-8", "replace")


def bounds(text: str, region: dict[str, int]) -> tuple[int, int]:
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    start = starts[region["startLine"] - 1] + region["startColumn"] - 1
    return start, starts[region.get("endLine", region["startLine"]) - 1] + region["endColumn"] - 1


def test_sarif_points_at_the_text_it_quotes() -> None:
    report = Report(Mode.CHECK, (), checked(fix=False).diagnostics)
    (result,) = json.loads(rendered(report, "x.sarif"))["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    text = SOURCE.decode("utf-8", "replace")
    start, end = bounds(text, region)
    assert text[start:end] == "odd"
    assert region["snippet"]["text"] == text.splitlines()[region["startLine"] - 1]


def test_sarif_offers_no_fixes_for_sources_that_were_changed() -> None:
    report = Report(Mode.IN_PLACE, (), checked(fix=False).diagnostics)
    assert "fixes" not in json.loads(rendered(report, "x.sarif"))["runs"][0]["results"][0]


def test_html_needs_nothing_else_and_runs_nothing_from_the_input() -> None:
    page = rendered(REPORT, "out.html")
    assert not re.search(r"(?:src|href)\s*=|@import|url\(", page)
    assert page.count("<script>") == 1
    assert "&lt;script&gt;alert(1)" in page
    assert "a &lt;b&gt;&amp;&quot;&#x27;\\xff.cu" in page


def test_html_is_balanced_and_sorted_by_what_is_left() -> None:
    page = rendered(REPORT, "out.html")
    parser = _Tags()
    parser.feed(page)
    assert parser.open == []
    assert page.index("dir/k.cu") < page.index("a &lt;b&gt;")
    assert "clean.h" not in page
    assert '<td class="old">cudaX;' in page and '<td class="new">hipX;' in page


def test_html_shows_the_line_and_why_it_is_left() -> None:
    found = checked(fix=False).diagnostics
    page = rendered(Report(Mode.CHECK, (FileResult("sum.cu", "sum.cu", Action.TRANSLATE),), found), "x.html")
    assert "unsigned <mark>odd</mark> = __ballot_sync" in page
    assert "1 with warnings, 0 translated, no work left" in page
    reasons = page[page.index("Findings by reason") : page.index("Findings by code")]
    assert "loses the bits of lanes 32 to 63" in reasons


def test_html_without_scripts_shows_no_filters() -> None:
    page = rendered(REPORT, "x.html")
    assert "<noscript><style>.script { display: none" in page
    assert page.count("<input") == page.count("<input type=checkbox class=script") + 1
    assert '<p class="filters script">' in page


class _Tags(HTMLParser):
    """Tracks the elements that are open and must be closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in (
            "table",
            "div",
            "details",
            "summary",
            "script",
            "style",
            "code",
            "em",
            "p",
            "label",
            "pre",
            "mark",
            "i",
        ):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            assert self.open.pop() == tag


def test_contents_of_a_written_tree_come_from_the_files(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("cudaX\n")
    (tmp_path / "a.hip").write_text("hipX\n")
    file = FileResult(str(tmp_path / "a.cu"), str(tmp_path / "a.hip"), Action.TRANSLATE, True)
    assert '<td class="new">hipX' in rendered(Report(Mode.OUTPUT, (file,), ()), "x.html")


def test_effort_counts_kinds_more_than_repetitions() -> None:
    once, twice = minutes(FOUND[:1]), minutes(FOUND[:2])
    assert once == MINUTES[Severity.ERROR]
    assert once < twice < 2 * once
    assert minutes(()) == 0
    assert (spelled(45), spelled(150)) == ("45 min", "2.5 h")


def test_anything_else_is_json() -> None:
    assert json.loads(rendered(REPORT, "-"))["summary"] == {"errors": 2, "warnings": 1, "notes": 0}
