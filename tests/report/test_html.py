"""HTML reports of a run."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hipport.diagnostics import Diagnostic, Severity
from hipport.project.request import FileResult, Mode, Report
from hipport.project.task import Action
from hipport.report.about import About
from hipport.report.html import to_html
from hipport.report.html_code import changed_words, code, highlighted
from tests.report.test_formats import FILES, FOUND, NASTY, REPORT, checked

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_VOID = {"meta", "input", "br", "hr", "img", "col"}
_OPTIONAL = {"html", "head", "body", "tr", "td", "th", "thead", "tbody", "p", "dd", "dt", "li", "option"}


def page_of(report: Report = REPORT, about: About | None = None) -> str:
    return to_html(report, about or About())


def test_needs_nothing_else_and_runs_nothing_from_the_input() -> None:
    page = page_of()
    assert not re.search(r"""src\s*=|@import|url\(|href\s*=(?!["']?(?:#|https://))""", page)
    assert page.count("<script>") == 1
    assert "&lt;script&gt;alert(1)" in page
    assert "a &lt;b&gt;&amp;&quot;&#x27;\\xff.cu" in page


def test_is_balanced_and_sorted_by_what_is_left() -> None:
    page = page_of()
    parser = _Tags()
    parser.feed(page)
    assert parser.open == []
    assert page.index("dir/k.cu") < page.index("a &lt;b&gt;")
    assert "clean.h" not in page


def test_states_the_project_the_command_and_the_date() -> None:
    about = About("saxpy", "hipport convert 'a <b>' -o out", "2026-01-02 03:04 UTC")
    page = page_of(about=about)
    assert "<h1>saxpy: hipport report</h1>" in page
    assert "<code>hipport convert &#x27;a &lt;b&gt;&#x27; -o out</code>" in page
    assert about.date in page


def test_words_that_changed_are_marked_and_code_is_colored() -> None:
    page = page_of()
    assert '<td class="old"><mark>cudaX</mark>;' in page and '<td class="new"><mark>hipX</mark>;' in page
    assert "<span class=k>int</span> a;" in page


def test_shows_the_line_and_why_it_is_left() -> None:
    found = checked(fix=False).diagnostics
    page = page_of(Report(Mode.CHECK, (FileResult("sum.cu", "sum.cu", Action.TRANSLATE),), found))
    assert "<mark>odd</mark>" in page and "__ballot_sync" in page
    reasons = page[page.index("Findings by reason") : page.index("Findings by code")]
    assert "loses the bits of lanes 32 to 63" in reasons


def test_a_check_says_nothing_about_translation() -> None:
    """All sources are unchanged after a check; the report used to call them `nothing to translate`."""
    page = page_of(about=About(checked=True))
    body = page[page.index("<body>") :]
    assert "1 with errors" in body and "1 with warnings" in body and "1 with neither" in body
    assert not re.search(r"translat(?!ion)|unchanged|<span>changed", body[: body.index("Findings by reason")])


def test_a_run_without_findings_says_so() -> None:
    page = page_of(Report(Mode.CHECK, (FILES[2],), ()), About(checked=True))
    assert "No findings." in page and "Findings by" not in page


def test_findings_lead_to_their_line_among_the_changes_and_to_their_page() -> None:
    before = b"int a;\n" * 20 + b"cudaX;\n" + b"int b;\n" * 20 + b"cudaY();\n"
    file = FileResult("k.cu", "k.hip", Action.TRANSLATE, True, before=before, after=before.replace(b"cudaX", b"hipX"))
    found = Diagnostic("k.cu", 42, 1, "HP101", Severity.ERROR, "cudaY has no counterpart in HIP")
    page = page_of(Report(Mode.DIFF, (file,), (found,)))
    assert '<a href="#f0-42"' in page and '<tr id="f0-42">' in page
    assert '<a href="#HP101"' in page and '<details class=page id="HP101">' in page
    for target in re.findall(r'href="#([^"]+)"', page):
        assert f'id="{target}"' in page, target


def test_findings_of_a_check_lead_to_no_line_that_is_not_shown() -> None:
    page = page_of(Report(Mode.CHECK, (FileResult("dir/k.cu", "dir/k.cu", Action.TRANSLATE),), FOUND[:2]))
    assert "#f0-" not in page


def test_files_with_errors_are_open_and_others_closed() -> None:
    page = page_of()
    files = re.findall(r"<details class=file( open)?[^>]*><summary><code>([^<]*)", page)
    assert [name for is_open, name in files if is_open] == ["dir/k.cu"]
    assert len(files) == 2


def test_findings_about_the_build_are_shown_too() -> None:
    found = Diagnostic("build", 1, 1, "HP602", Severity.ERROR, "undefined symbol f")
    assert "undefined symbol f" in page_of(Report(Mode.OUTPUT, FILES, (found,)))


def test_copied_files_with_errors_count() -> None:
    found = Diagnostic("setup.py", 1, 1, "HP602", Severity.ERROR, "no such program: nvcc")
    page = page_of(Report(Mode.OUTPUT, (*FILES, FileResult("setup.py", "out/setup.py", Action.COPY)), (found,)))
    assert "</i>1 with errors</span>" in page


def test_without_scripts_there_are_no_filters() -> None:
    page = page_of()
    assert "<noscript><style>.script { display: none" in page
    filters = page[page.index('<div class="filters script">') : page.index("<div id=files>")]
    assert page.count("<input") == page.count("<input type=checkbox class=script") + filters.count("<input")


def test_contents_of_a_written_tree_come_from_the_files(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("cudaX\n")
    (tmp_path / "a.hip").write_text("hipX\n")
    file = FileResult(str(tmp_path / "a.cu"), str(tmp_path / "a.hip"), Action.TRANSLATE, True)
    assert '<td class="new">hipX' in page_of(Report(Mode.OUTPUT, (file,), ()))


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_lines_end_where_the_numbers_of_findings_count_them(end: bytes) -> None:
    """Form feeds and Unicode's line separators end no line."""
    before = end.join([b"int a;\x0c", "int b;\u2028".encode(), b"cudaX;", b""])
    file = FileResult("k.cu", "k.hip", Action.TRANSLATE, True, before=before, after=before.replace(b"cudaX", b"hipX"))
    assert '<td class=number>3<td class="old"><mark>cudaX' in page_of(Report(Mode.DIFF, (file,), ()))


@pytest.mark.parametrize("name", ["a.cu", "CMakeLists.txt", "setup.py", "Makefile", "x.mk"])
def test_colors_keep_the_text(name: str) -> None:
    text = "a\tb  \n\n\nif (x) { 'y' }\x0c # z\n\"open\n"
    assert "\n".join("".join(part for _, part in line) for line in highlighted(text, name)) == text


def test_marks_cross_the_borders_of_tokens() -> None:
    line = [("k", "int"), ("", " a"), ("n", "12")]
    marked = (
        "<span class=k>i</span><mark><span class=k>nt</span></mark><mark> a</mark><mark><span class=n>1</span></mark>"
    )
    assert code(line, [(1, 6)]) == marked + "<span class=n>2</span>"


def test_only_lines_with_something_in_common_are_compared_by_words() -> None:
    assert changed_words("cudaFree(a);", "hipFree(a);") == ([(0, 8)], [(0, 7)])
    assert changed_words("k<<<1, 2>>>(x);", "something.entirely = different") == ([], [])


@pytest.mark.slow
def test_filters_sorting_and_links_work_in_a_browser(browser: Browser, tmp_path: Path) -> None:
    page_file = tmp_path / "report.html"
    page_file.write_text(page_of(), encoding="utf-8")
    view = browser.new_page(viewport={"width": 400, "height": 800})
    errors: list[str] = []
    view.on("pageerror", lambda error: errors.append(str(error)))
    view.goto(page_file.as_uri())
    assert view.evaluate("document.documentElement.scrollWidth <= innerWidth")
    view.uncheck("[name=severity][value=error]")
    assert view.locator(".file:visible").count() == 1
    view.check("[name=severity][value=error]")
    view.select_option(".filters select", "name")
    assert NASTY[:3] in view.locator(".file summary code").first.inner_text()
    view.click("text=Expand all")
    assert view.locator(".file:not([open])").count() == 0
    view.locator(".findings a[href='#HP104']").click()
    view.locator("#HP104[open]").wait_for(state="attached")  # the event that opens it comes later
    view.close()
    assert errors == []


class _Tags(HTMLParser):
    """Tracks the elements that are open and must be closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _VOID | _OPTIONAL:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _OPTIONAL:
            assert self.open.pop() == tag
