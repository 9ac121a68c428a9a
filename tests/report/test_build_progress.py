"""A long build shows on a terminal, and in a log, that it goes on."""

from __future__ import annotations

from hipport.report.progress import BuildProgress


def test_on_a_terminal_one_line_is_drawn_again() -> None:
    said: list[str] = []
    shown = BuildProgress(said.append, 18)
    shown(61.2, "[ 4%] A\tB\x1b[0m CXX object")
    shown.clear()
    shown.clear()
    assert said == ["\r\x1b[K  1:01  [ 4%] A B", "\r\x1b[K"]


def test_in_a_log_there_is_a_line_each_minute() -> None:
    said: list[str] = []
    shown = BuildProgress(said.append, None)
    for seconds in (1.0, 59.0, 60.5, 61.5, 125.0, 1.0, 60.0):  # the last two are another step's
        shown(seconds, "now")
    shown.clear()
    assert said == ["  1 min: now\n", "  2 min: now\n", "  1 min: now\n"]
