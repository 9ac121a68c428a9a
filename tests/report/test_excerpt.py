from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from hipport.diagnostics import Change, Diagnostic, Quote, Severity
from hipport.mappings.choice import ANY
from hipport.mappings.loader import load_choice
from hipport.report.excerpt import excerpt
from hipport.translate.context import Context, Options
from hipport.translate.convert import check_source


def found(text: str, what: str, changes: tuple[Change, ...] = ()) -> Diagnostic:
    start = text.index(what)
    quote = Quote(text, start + 1 + len(what))
    return Diagnostic("a.cu", 7, start + 1, "HP101", Severity.ERROR, "m", quote=quote, changes=changes)


def lines(diagnostic: Diagnostic, width: int | None = None) -> list[str]:
    return [line for line, _ in excerpt(diagnostic, width)]


def pointed_at(shown: list[str]) -> str:
    """Return the text above the carets, by columns of the terminal."""
    cells = [character for character in shown[0] for _ in range(cell_len(character))]
    return "".join(cells[shown[1].index("^") : shown[1].rindex("^") + 1])


def test_a_line_and_carets() -> None:
    assert lines(found("  cudaX(1);", "cudaX")) == ["    7 |   cudaX(1);", "      |   ^^^^^"]


@pytest.mark.parametrize("before", ["\t", "a\tb ", "/* 漢字 */ ", "\x1b[2J", "é ", "😀"])
def test_carets_stand_below_what_is_meant(before: str) -> None:
    assert pointed_at(lines(found(before + "cudaX(1);", "cudaX"))) == "cudaX"


def test_no_control_character_reaches_the_terminal() -> None:
    assert lines(found("\x1b[2J cudaX", "cudaX"))[0] == r"    7 | \x1b[2J cudaX"


@pytest.mark.parametrize("width", [40, 80, 200, None])
@pytest.mark.parametrize("place", [0, 300, 1995])
def test_long_lines_are_cut_around_it(width: int | None, place: int) -> None:
    text = "x" * place + "cudaX" + "y" * (1995 - place)
    shown = lines(found(text, "cudaX"), width)
    assert max(map(cell_len, shown)) <= min(width or 160, 160)
    assert pointed_at(shown) == "cudaX"
    assert shown[0].startswith("    7 | …") == (place > 0) and shown[0].endswith("…") == (place < 1995)


@given(st.text(st.characters(exclude_characters="\n"), min_size=1), st.data(), st.integers(1, 250))
def test_any_line_fits(text: str, data: st.DataObject, width: int) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text) + 5))
    diagnostic = Diagnostic("a.cu", 7, start + 1, "HP101", Severity.ERROR, "m", quote=Quote(text, end + 1))
    code, marks = lines(diagnostic, width)
    assert cell_len(code) <= max(width, 40) and cell_len(marks) <= max(width, 40)
    assert "^" in marks


def test_a_range_over_lines_is_marked_to_the_end_of_its_first() -> None:
    source = "void f() {\n  cudaNoSuch(1,\n 2);\n  cudaCtxResetPersistingL2Cache(\n);\n}\n"
    (diagnostic, *_) = check_source(source.encode(), "a.cu", Context(load_choice(ANY), Options())).diagnostics
    assert lines(diagnostic)[0].endswith("(") and "\n" not in lines(diagnostic)[0]


def test_the_line_that_the_quick_fix_leaves() -> None:
    change = Change(7, 3, 7, 8, "hipX")
    assert lines(found("  cudaX(1);", "cudaX", (change,)))[2] == "  fix |   hipX(1);"
    elsewhere = Change(9, 3, 9, 8, "hipX")
    assert len(lines(found("  cudaX(1);", "cudaX", (change, elsewhere)))) == 2


def test_a_finding_about_a_file_has_no_line() -> None:
    assert lines(Diagnostic("a.cu", 1, 1, "HP901", Severity.ERROR, "m")) == []
