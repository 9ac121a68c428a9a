from __future__ import annotations

import pytest
from msgspec.structs import replace

from hipport.diagnostics import Diagnostic, Severity
from hipport.project.request import FileResult, Mode, Report
from hipport.project.task import Action
from hipport.report.console import Style, check_lines, diagnostic_lines, effort_lines, summary, summary_lines

FOUND = Diagnostic("src/a.cu", 12, 5, "HP101", Severity.ERROR, "cudaFoo has no counterpart", "use hipBar " + "x " * 60)


def lines(diagnostics: list[Diagnostic], style: Style = Style(), limit: int = 50) -> list[str]:  # noqa: B008
    return list(diagnostic_lines(diagnostics, style, limit))


def many(count: int, message: str = "same", severity: Severity = Severity.ERROR) -> list[Diagnostic]:
    return [Diagnostic("a.cu", line, 1, "HP101", severity, message) for line in range(1, count + 1)]


def test_a_pipe_gets_whole_lines() -> None:
    assert lines([FOUND]) == ["src/a.cu:12:5: error[HP101]: cudaFoo has no counterpart", "    use hipBar " + "x " * 60]


@pytest.mark.parametrize("width", [80, 200])
def test_a_terminal_gets_lines_that_fit(width: int) -> None:
    shown = lines([FOUND, *many(100, "m" * 300)], Style(width))
    assert shown[0] == "src/a.cu:12:5: error[HP101]: cudaFoo has no counterpart"
    advice = [line for line in shown if (line.startswith("    ") and "hipBar" in line) or line.startswith("    x")]
    assert max(map(len, advice)) <= width and len(advice) == (2 if width == 80 else 1)
    assert len(shown[-1]) == width and shown[-1].endswith("…")


def test_colours_only_where_asked_for() -> None:
    assert not any("\x1b" in line for line in lines([FOUND], Style(80)))
    assert "\x1b[31m" in lines([FOUND], Style(80, colour=True))[0]


def test_the_same_again_and_again_is_counted() -> None:
    shown = lines([*many(300), *many(2, "other")])
    assert [line for line in shown if line.endswith("same")][:-1] == [
        f"a.cu:{n}:1: error[HP101]: same" for n in range(1, 4)
    ]
    assert shown[-2:] == ["297 more (--max-diagnostics 0 shows all):", "     297  error[HP101]     same"]
    assert sum(line.endswith("other") for line in shown) == 2


def test_errors_come_through_before_warnings_and_stay_in_order() -> None:
    found = [*many(3, "w", Severity.WARNING), *many(3, "e")]
    assert [line[-1] for line in lines(found, limit=4)[:4]] == ["w", "e", "e", "e"]


def test_rare_kinds_are_not_crowded_out() -> None:
    found = [*many(90, "cudaA is unknown: no library"), *many(90, "cudaB is unknown: no library"), *many(1, "rare")]
    shown = lines([*found, *many(1, "odd", Severity.WARNING)], limit=3)
    assert [line.split(": ", 2)[2] for line in shown[:3]] == ["cudaA is unknown: no library", "rare", "odd"]
    assert shown[4] == "     179  error[HP101]     no library (cudaB, cudaA)"


def test_no_limit() -> None:
    assert len(lines(many(300), limit=0)) == 300


def test_the_table_is_limited_too() -> None:
    shown = lines([found for n in range(60) for found in many(1, f"m{n}")], limit=1)
    assert shown[-1] == "      44  of 44 other kinds" and len(shown) == 1 + 1 + 15 + 1


def test_what_to_do_is_said_once() -> None:
    first, second = (replace(FOUND, line=line, advice="use hipBar") for line in (1, 2))
    assert [line.strip() for line in lines([first, second])].count("use hipBar") == 1


def test_the_files_with_the_most_to_do_are_named() -> None:
    found = [*many(9), replace(FOUND, severity=Severity.WARNING), replace(FOUND, path="b.cu")]
    assert list(effort_lines(found, Style())) == [
        "Estimated work left: 1.8 h in 3 files, most of it in:",
        "   66 min  a.cu (9 errors)",
        "   30 min  b.cu (1 error)",
        "   10 min  src/a.cu (1 warning)",
    ]
    assert list(effort_lines(many(9), Style())) == []


def test_names_from_the_tree_cannot_forge_lines() -> None:
    odd = replace(FOUND, path="a\nb.cu", message="m\x1b[2J", advice="")
    assert lines([odd]) == [r"a\nb.cu:12:5: error[HP101]: m\x1b[2J"]


FILES = (
    FileResult("a.cu", "a.hip", Action.TRANSLATE, changed=True),
    FileResult("b.h", "b.h", Action.TRANSLATE),
    FileResult("c.md", "c.md", Action.COPY),
    FileResult("l", "l", Action.LINK),
    FileResult("d.h", "d.h", Action.TRANSLATE, failed=True),
)


@pytest.mark.parametrize(
    ("mode", "text"),
    [
        (Mode.OUTPUT, "2 sources read, 1 changed, 1 other file copied, 1 link kept; 1 error"),
        (Mode.IN_PLACE, "2 sources read, 1 changed; 1 error"),
        (Mode.CHECK, "2 sources read, 1 would be changed; 1 error"),
    ],
)
def test_summary(mode: Mode, text: str) -> None:
    report = Report(mode, FILES, (FOUND,))
    assert summary(report, None) == f"hipport: {text}"
    assert summary(report, 1.25) == f"hipport: {text} (1.2 s)"


def test_summary_counts_sources_that_are_hip_already() -> None:
    files = (FileResult("a.hip", "a.hip", Action.COPY, ported=True), FileResult("b.cu", "b.hip", Action.TRANSLATE))
    text = "hipport: 1 source read, 0 changed, 1 source left alone (HIP already)"
    assert summary(Report(Mode.OUTPUT, files, ()), None) == text
    assert summary(Report(Mode.CHECK, files, ()), None).endswith(
        "0 would be changed, 1 source left alone (HIP already)"
    )
    assert "1 source checked, 1 source left alone" in summary(Report(Mode.CHECK, files, ()), None, checked=True)


def test_check_names_what_would_change() -> None:
    assert list(check_lines(FILES)) == ["would change: a.cu -> a.hip"]


_LONG = replace(
    FOUND, path="my src/a-b.cu", message="the option --some-long-option of `a_function_with_a_name` has no " * 4
)


@pytest.mark.parametrize("width", range(20, 130, 7))
def test_messages_and_totals_break_between_words_only(width: int) -> None:
    report = Report(Mode.CHECK, (FileResult("a.cu", "a.hip", Action.TRANSLATE, changed=True),) * 1000, (_LONG,) * 3)
    alone = replace(_LONG, advice="")
    whole, total = lines([alone])[0], summary(report, 1.5)
    for text, message in (
        (whole, lines([alone], Style(width))),
        (total, summary_lines(report, Style(width), 1.5)),
    ):
        assert " ".join(line.strip() for line in message).split() == text.split()
        assert all(len(line) <= width or len(line.split()) == 1 for line in message[1:])
    assert summary_lines(report, Style(), 1.5) == [total]


def test_rows_that_are_too_long_end_with_a_whole_word() -> None:
    hidden = [replace(FOUND, message=f"cudaFoo has no counterpart in HIP: {'word ' * 40}")] * 5
    row = lines(hidden, Style(80), limit=1)[-1]
    assert row.endswith("word …") and len(row) <= 80
