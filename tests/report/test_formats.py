"""SARIF reports of a run, JSON, and estimates of what is left."""

from __future__ import annotations

import json
import re

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


def test_effort_counts_kinds_more_than_repetitions() -> None:
    once, twice = minutes(FOUND[:1]), minutes(FOUND[:2])
    assert once == MINUTES[Severity.ERROR]
    assert once < twice < 2 * once
    assert minutes(()) == 0
    assert (spelled(45), spelled(150)) == ("45 min", "2.5 h")


def test_anything_else_is_json() -> None:
    assert json.loads(rendered(REPORT, "-"))["summary"] == {"errors": 2, "warnings": 1, "notes": 0}
