"""Text is compared by tokens."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.verify.model import Comparison, Rules, Tolerance
from hipport.verify.text import SHOWN, close, compare_text

EXACT = Rules(Tolerance(0, 0))
NUMBERS = st.floats(allow_nan=True, allow_infinity=True)
LINES = st.lists(
    st.lists(st.one_of(st.sampled_from(["a", "x1", "=", "nan", "-inf", "0x1f"]), NUMBERS.map(repr)), max_size=4).map(
        " ".join
    ),
    max_size=5,
).map("\n".join)


def compare(original: str, port: str, rules: Rules = EXACT) -> Comparison:
    return compare_text("stdout", original.encode(), port.encode(), rules)


@pytest.mark.parametrize(
    ("original", "port"),
    [
        ("same", "same"),
        ("  1.0   2", "1 2.0"),  # white space and the spelling of numbers
        ("-0.0", "0"),
        ("+5 -007", "5 -7"),
        ("NaN -nan", "-NAN nan"),
        ("inf", "Infinity"),
        ("1e3", "1000.0"),
        ("a\nb\n", "a\nb"),  # the last line end
        ("a\n\n", "a"),
        ("one\r\n", "one\n"),
        ("", ""),
    ],
)
def test_the_same(original: str, port: str) -> None:
    assert compare(original, port).count == 0


@pytest.mark.parametrize(
    ("original", "port", "where"),
    [
        ("nan", "1.0", "line 1"),
        ("1.0", "nan", "line 1"),
        ("inf", "1e308", "line 1"),
        ("inf", "-inf", "line 1"),
        ("PASS 1", "FAIL 1", "line 1"),
        ("x1", "x2", "line 1"),  # no number
        ("0x10", "0x11", "line 1"),
        ("a\n1.5", "a\n1.6", "line 2"),
        ("a 1", "a", "line 1"),
        ("a", "a\nb", "line 2"),
        ("a\nb", "a", "line 2"),
        ("nano", "nanu", "line 1"),
    ],
)
def test_not_the_same(original: str, port: str, where: str) -> None:
    for rules in (EXACT, Rules(Tolerance(0.01, 0.01))):
        found = compare(original, port, rules)
        assert (found.count, found.differences[0].where) == (1, where)


def test_numbers_within_and_beyond_the_tolerance() -> None:
    rules = Rules(Tolerance(1e-3, 0))
    within = compare("sum 1000.5", "sum 1000.9", rules)
    assert (within.count, within.worst) == (0, pytest.approx(0.4))
    beyond = compare("sum 1000.5", "sum 1002.5", rules).differences[0]
    assert (beyond.original, beyond.port, beyond.detail) == ("1000.5", "1002.5", "absolute 2, relative 0.002")
    assert beyond.where == 'line 1 "sum"'


def test_integers_have_no_tolerance() -> None:
    loose = Rules(Tolerance(0.1, 100))
    assert compare("errors: 3", "errors: 4", loose).count == 1
    assert compare("errors: 3.0", "errors: 4", loose).count == 0
    assert compare("9" * 5000, "9" * 4999 + "8", loose).count == 1  # longer than int() takes


def test_ignored_lines_are_left_out_on_both_sides() -> None:
    rules = Rules(ignore=(re.compile("^Time"),))
    assert compare("Time 1 ms\nresult 2", "result 2\nTime 9 ms\nTime 8 ms", rules).count == 0
    assert compare("Time 1\nresult 2", "result 3", rules).differences[0].where == 'line 2, port 1 "result"'


def test_the_first_differences_are_kept_and_all_counted() -> None:
    found = compare("\n".join(f"a{i}" for i in range(50)), "\n".join(f"b{i}" for i in range(50)))
    assert found.count == 50
    assert [item.where for item in found.differences] == [f"line {i + 1}" for i in range(SHOWN)]


@given(st.binary(), st.binary())
def test_never_raises_and_knows_itself(first: bytes, second: bytes) -> None:
    rules = Rules()
    assert compare_text("x", first, first, rules).count == 0
    compare_text("x", first, second, rules)


@given(LINES, LINES)
def test_symmetric(first: str, second: str) -> None:
    there, back = compare(first, second), compare(second, first)
    assert (there.count, there.worst) == (back.count, back.worst)


@given(NUMBERS, NUMBERS, *[st.floats(0, 1)] * 4)
def test_a_wider_tolerance_allows_more(a: float, b: float, rtol: float, atol: float, more: float, most: float) -> None:
    if close(a, b, Tolerance(rtol, atol)):
        assert close(a, b, Tolerance(rtol + more, atol + most))
    assert close(a, b, Tolerance(rtol, atol)) == close(b, a, Tolerance(rtol, atol))


@given(NUMBERS, NUMBERS)
def test_a_number_is_never_close_to_nan(a: float, b: float) -> None:
    if math.isnan(a) != math.isnan(b):
        assert not close(a, b, Tolerance(1, 1e308))
