"""Integer constants."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.source import SourceFile
from hipport.translate.dataflow.constants import Constants, evaluate
from hipport.translate.syntax.unit import parse

FILE = b"""
#define WARP 32u
#define HALF (WARP / 2)
#define TWICE 1
#define TWICE 2
#define LOOP_A LOOP_B
#define LOOP_B LOOP_A
#define CALL(x) 5
constexpr int kBlock = 4 * WARP, kOther = 9;
static const unsigned mask{0xFFFFFFFFu};
enum { kRows = 1 << 3, kColumns };
int changing = 7;
"""


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0x20", 32),
        ("(31)", 31),
        ("1 << 5", 32),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("(unsigned int)16 * 2", 32),
        ("static_cast<int>(16UL) + 1", 17),
        ("~0u & 0xff", 255),
        ("1 / 0", None),
        ("n + 1", None),
        ("f(3)", None),
        ("1.5", None),
        ("True", None),
        ("1 << 400", None),
        ("a ? 1 : 2", None),
        ("[" * 5000, None),
        ("", None),
    ],
)
def test_expressions(text: str, value: int | None) -> None:
    assert evaluate(text, lambda name: None) == value


@given(st.text(max_size=60))
def test_any_text_is_taken(text: str) -> None:
    assert evaluate(text, lambda name: None) is None or isinstance(evaluate(text, lambda name: 3), int)


@given(st.integers(0, 2**31), st.integers(1, 2**31), st.sampled_from("+-*/%&|^"))
def test_arithmetic_is_that_of_integers(a: int, b: int, operator: str) -> None:
    python = {"/": "//"}.get(operator, operator)
    assert evaluate(f"{a} {operator} {b}u", lambda name: None) == eval(f"{a} {python} {b}")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WARP", 32),
        ("HALF", 16),
        ("TWICE", None),
        ("LOOP_A", None),
        ("CALL", None),
        ("kBlock", 128),
        ("mask", 0xFFFFFFFF),
        ("kRows", 8),
        ("changing", None),
        ("absent", None),
    ],
)
def test_names(name: str, value: int | None) -> None:
    assert Constants(parse(SourceFile.decode(FILE, "a.cu"))).value(name) == value


def test_where_a_constant_is_defined() -> None:
    constants = Constants(parse(SourceFile.decode(FILE, "a.cu")))
    for name in ("WARP", "kBlock", "mask"):
        place = constants.definition(name)
        assert place is not None and FILE[place.start : place.end].decode() == name
