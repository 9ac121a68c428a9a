"""Conditions of the preprocessor: what is known of them, against g++ where all macros are known."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hipport.translate.syntax.conditions import DEFINED, UNDEFINED, evaluate, value_of

_KNOWN = {"ONE": 1, "BIG": 12080, "EMPTY": DEFINED, "NONE": UNDEFINED}


def state(name: str) -> int | None:
    return _KNOWN.get(name)


@pytest.mark.parametrize(
    ("word", "text", "wanted"),
    [
        ("ifdef", "ONE", True),
        ("ifdef", "NONE", False),
        ("ifndef", "NONE", True),
        ("ifdef", "WHO", None),
        ("if", "defined(ONE) && BIG >= 12000", True),
        ("if", "defined ONE && !defined NONE", True),
        ("if", "WHO && NONE", False),
        ("if", "WHO || ONE", True),
        ("if", "WHO || NONE", None),
        ("if", "!WHO", None),
        ("elif", "(BIG / 1000) >= 12", True),
        ("if", "BIG / NONE", None),
        ("if", "__has_include(<a.h>) || ONE", None),
        ("if", "MACRO(1, (2)) && NONE", False),
        ("if", "0x10 == 16 && 010 == 8 && 1'000UL == 1000", True),
        ("if", "EMPTY", None),
        ("if", "ONE \\\n && BIG", True),
        ("if", "((ONE)", None),
        ("if", "", None),
        ("if", "(" * 500 + "1" + ")" * 500, None),
    ],
)
def test_conditions(word: str, text: str, wanted: bool | None) -> None:
    assert evaluate(word, text, state) is wanted


_NUMBERS = st.sampled_from(["0", "1", "7", "BIG", "ONE", "NONE"])
_SIGNS = ["&&", "||", "==", "<", "+", "*", "!=", ">", "<=", ">=", "-", "&", "|", "^"]
_EXPRESSIONS = st.recursive(
    _NUMBERS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(_SIGNS), inner).map(lambda parts: f"({parts[0]} {parts[1]} {parts[2]})"),
        st.tuples(inner, st.sampled_from(_SIGNS[:6]), inner).map(" ".join),
        inner.map(lambda text: f"!({text})"),
    ),
    max_leaves=8,
)


@pytest.mark.toolchain
@settings(max_examples=5, deadline=None)
@given(st.lists(_EXPRESSIONS, min_size=40, max_size=40))
def test_values_are_those_of_a_compiler(texts: list[str]) -> None:
    lines = "".join(f"#if {text}\nyes\n#else\nno\n#endif\n" for text in texts)
    command = ["g++", "-E", "-P", "-w", "-x", "c++", "-DONE=1", "-DBIG=12080", "-"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    assert ["yes" if value_of(text, state) else "no" for text in texts] == done.stdout.split()


@given(st.text(alphabet="()!&|<>=+ 01aXdefined\\\n'#?:,", max_size=60))
def test_any_text_has_a_value_or_none(text: str) -> None:
    value = value_of(text, state)
    assert value is None or isinstance(value, int)
