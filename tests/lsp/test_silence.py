"""Comments that silence findings silence these and no others, wherever the finding is.

Half of the fixtures have one kind of newlines, half the other; with HIPPORT_TEST_ALL=1 all have both.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from hipport.diagnostics import Diagnostic
from hipport.lsp.actions import all_fixes
from hipport.lsp.silence import silencing
from hipport.lsp.text import Text
from hipport.mappings.loader import Tables
from hipport.translate.context import Context, Options
from hipport.translate.convert import check_source
from tests.shared import EVERYTHING

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "fixtures" / "hazards").rglob("*.cu")) + sorted(
    (ROOT / "fixtures" / "pairs" / "hazards").rglob("*.cu")
)


def findings(text: Text, tables: Tables, *, fix: bool = False) -> tuple[Diagnostic, ...]:
    return check_source(text.data, "a.cu", Context(tables, Options(fix=fix), rehearsal=True)).diagnostics


def shown(found: tuple[Diagnostic, ...]) -> Counter[tuple[str, str]]:
    return Counter((each.code, each.message) for each in found)


@pytest.mark.parametrize(("turn", "newline"), [(0, "\n"), (1, "\r\n")], ids=["LF", "CRLF"])
def test_every_finding_of_the_fixtures(tables: Tables, turn: int, newline: str) -> None:
    silenced = 0
    for path in SOURCES if EVERYTHING else SOURCES[turn::2]:
        text = Text(path.read_text("utf-8").replace("\n", newline))
        before = findings(text, tables)
        for line, code in {(found.line, found.code): None for found in before}:
            insertion = silencing(text, line, code)
            assert insertion is not None, (path, line)
            content = text.content[: insertion.offset] + insertion.text + text.content[insertion.offset :]
            left = tuple(found for found in before if (found.line, found.code) != (line, code))
            after = findings(Text(content), tables)
            assert code not in {found.code for found in after if found.line == line + insertion.text.count("\n")}, path
            lost = shown(left) - shown(after)
            assert not lost, (path, line, code)
            silenced += 1
    assert silenced > 100


LINES = {
    "cudaX();": "cudaX();  // hipport: ignore[HP101]",
    "cudaX(); // why": "cudaX(); // why  // hipport: ignore[HP101]",
    "cudaX();  // hipport: ignore[HP104]": "cudaX();  // hipport: ignore[HP104, HP101]",
    "#define M() \\\n  cudaX(); \\\n  f()": "#define M() \\\n  cudaX(); /* hipport: ignore[HP101] */ \\\n  f()",
    'f(R"(a\nb)"); cudaX(R"(\n)");': 'f(R"(a\nb)"); cudaX(R"(\n)");',
    'cudaX(R"(a\nb)");': '// hipport: ignore[HP101]\ncudaX(R"(a\nb)");',
    "#define M() \\\n  f(); \\\n  cudaX()": "#define M() \\\n  f(); \\\n  cudaX()  // hipport: ignore[HP101]",
    "/* a\n b */ cudaX();": "/* a\n b */ cudaX();  // hipport: ignore[HP101]",
}


@pytest.mark.parametrize("line", LINES)
def test_where_the_comment_goes(line: str) -> None:
    text = Text(line)
    insertion = silencing(text, line[: line.index("cudaX")].count("\n") + 1, "HP101")
    wanted = LINES[line]
    if insertion is None:
        assert wanted == line
    else:
        assert line[: insertion.offset] + insertion.text + line[insertion.offset :] == wanted


def test_all_quick_fixes_are_those_of_the_command(tables: Tables) -> None:
    fixed = 0
    for path in SOURCES:
        text = Text(path.read_text("utf-8"))
        edits = all_fixes(text, findings(text, tables))
        content, done = "", 0
        for change in edits:
            start, end = text.offset_of(change.line, change.column), text.offset_of(change.end_line, change.end_column)
            content += text.content[done:start] + change.text
            done = end
        content += text.content[done:]
        context = Context(tables, Options(fix=True), rehearsal=True)
        assert content.encode() == check_source(text.data, "a.cu", context).data, path
        fixed += bool(edits)
    assert fixed > 5
