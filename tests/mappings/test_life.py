from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.mappings.entry import HipName, Life
from hipport.mappings.life import alive, format_life, format_target, parse_life, parse_target, release

VERSIONS = st.tuples(*[st.integers(0, 30)] * 3).map(lambda numbers: ".".join(map(str, numbers)))
LIVES = st.builds(Life, *[st.none() | VERSIONS] * 4)
TARGETS = st.builds(HipName, st.from_regex(r"hip[A-Z]\w{0,9}", fullmatch=True), LIVES, st.booleans())


@given(LIVES)
def test_a_life_survives_its_notation(life: Life) -> None:
    assert parse_life(format_life(life)) == life


@given(TARGETS)
def test_a_target_survives_its_notation(target: HipName) -> None:
    assert parse_target(format_target(target)) == target


@pytest.mark.parametrize(
    "text", ["x", "1.2.3.4.5", "deprecated", "1.0 2.0", "removed 1.0 removed 2.0", "1.0 removed", "added 1.0 gone 2.0"]
)
def test_a_bad_life_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_life(text)


@pytest.mark.parametrize("text", ["", "  ", "hipX experimental 6.0", "hipX six"])
def test_a_bad_target_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_target(text)


@pytest.mark.parametrize(("left", "right"), [("6", "6.0.0"), ("5.2", "5.2.0")])
def test_trailing_zeros_mean_nothing(left: str, right: str) -> None:
    assert release(left) == release(right)


@pytest.mark.parametrize(
    ("notation", "at", "expected"),
    [
        ("hipX", "1.0", True),
        ("hipX 5.2.0", "5.2", True),
        ("hipX 5.2.0", "5.1.9", False),
        ("hipX 5.10.0", "5.9", False),
        ("hipX 5.2.0 removed 7.0.0", "6.4.4", True),
        ("hipX 5.2.0 removed 7.0.0", "7.0", False),
        ("hipX removed 6.0.0", "5.7", True),
        ("hipX 5.2.0 deprecated 6.0.0", "7.0", True),
        ("hipX 6.3.0 experimental", "6.3.0", False),
        ("hipX 6.3.0 experimental", "6.3.1", True),
    ],
)
def test_alive(notation: str, at: str, expected: bool) -> None:
    assert alive(parse_target(notation), release(at)) is expected
