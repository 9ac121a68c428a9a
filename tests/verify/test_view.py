"""Output for people and for programs; the compared outputs may contain anything."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from hipport.report.about import About
from hipport.verify.model import Comparison, Difference, Platform, Program, TraceFinding, Verdict, Verification
from hipport.verify.page import to_html
from hipport.verify.report import rendered, to_json
from hipport.verify.view import draw, plain_lines

ORIGINAL = Program("original", Platform.CPU, ("a.cu",), wave_size=32)
PORT = Program("port", Platform.CPU, ("a.cu",), wave_size=64)
HOSTILE = "\x1b[31m[bold]<script>\udcff"


def result(*comparisons: Comparison, finding: TraceFinding | None = None) -> Verification:
    return Verification(ORIGINAL, 0.5, (Verdict(PORT, comparisons, 0.25, finding),))


DIFFERS = Comparison("stdout", "text", (Difference("line 1", HOSTILE, "[/]", "why"),), 12, float("inf"), "a note")
EQUAL = Comparison("out.npy", "array of float32", worst=1e-7)


def test_lines() -> None:
    assert list(plain_lines(result(DIFFERS, EQUAL))) == [
        "port (cpu, 64 lanes) differs from the original (cpu, 32 lanes)",
        "  stdout, line 1: original \\x1b[31m[bold]<script>\\xff, port [/] (why)",
        "  stdout: 11 more",
        "  stdout: a note",
        "  equal: out.npy (array of float32, largest error 1e-07)",
    ]


def test_a_table() -> None:
    file = io.StringIO()
    draw(result(DIFFERS, EQUAL), Console(file=file, width=120))
    assert "│ stdout │ line 1 │ \\x1b[31m[bold]<script>\\xff │ [/]  │ why        │" in file.getvalue()


def test_a_page_that_runs_nothing() -> None:
    page = to_html(result(DIFFERS), About(project="<b>", command="hipport verify 'a b.cu'"))
    assert "&lt;script&gt;" in page
    assert "<script" not in page
    assert "&lt;b&gt;: hipport verify</h1>" in page and "hipport verify &#x27;a b.cu&#x27;" in page
    assert rendered(result(DIFFERS), "REPORT.HTML") == to_html(result(DIFFERS), About())


def test_a_page_says_what_differs() -> None:
    page = to_html(result(DIFFERS, EQUAL), About())
    assert "<b>1</b><span>differs" in page and "<b>12</b><span>differences" in page
    assert '<td>line 1<td class="code">\\x1b[31m[bold]&lt;script&gt;' in page
    assert "equal: out.npy (array of float32, largest error 1e-07)" in page


def test_json_that_every_parser_takes() -> None:
    text = to_json(result(DIFFERS, EQUAL))
    data = json.loads(text, parse_constant=lambda name: pytest.fail(name))
    port = data["ports"][0]
    assert (data["equal"], port["equal"], port["wave_size"], port["trace"]) == (False, False, 64, None)
    assert [item["worst"] for item in port["comparisons"]] == [None, 1e-7]
    text.encode()
    assert rendered(result(DIFFERS, EQUAL), "report.json") == text


def test_a_buffer_that_differs_is_a_difference() -> None:
    buffer = Comparison("buffer 2, argument 1", "f32", (Difference("[3]", "1.0", "2.0", "absolute 1"),), 2)
    found = result(EQUAL, finding=TraceFinding(3, "launch 1, k<<<1, 1>>>", "before", buffer, ("a note",)))
    assert not found.equal
    assert list(plain_lines(found))[2:] == [
        "  trace: the first difference is before launch 1, k<<<1, 1>>>: the host or a copy wrote different data",
        "    buffer 2, argument 1 (f32) [3]: original 1.0, port 2.0 (absolute 1)",
        "    2 differences in this buffer",
        "    a note",
    ]
