"""Stop strings are found however a text is split, and no text is sent that belongs to one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.llm.serving.stopping import Stops


def shown(stops: list[str], pieces: list[str]) -> tuple[str, bool]:
    matcher, text = Stops(stops), ""
    for piece in pieces:
        more, stopped = matcher.feed(piece)
        text += more
        if stopped:
            return text, True
    return text + matcher.rest(), False


@given(st.lists(st.text("ab", min_size=1, max_size=4), max_size=3), st.lists(st.text("abc", max_size=4), max_size=12))
def test_pieces_are_cut_at_the_first_stop(stops: list[str], pieces: list[str]) -> None:
    text, stopped = shown(stops, pieces)
    whole = "".join(pieces)
    # The first stop string that is whole ends the text, if another one around it is not yet.
    ends = [whole.find(stop) + len(stop) for stop in stops if stop in whole]
    assert stopped == bool(ends)
    if not stopped:
        assert text == whole
    else:
        assert whole.startswith(text)
        assert not any(stop in text for stop in stops)
        assert any(whole[len(text) :].startswith(stop) for stop in stops)


@pytest.mark.parametrize(
    ("stops", "pieces", "expected"),
    [
        (["\n\n"], ["a\n", "b\n", "\nc"], ("a\nb", True)),
        (["END"], ["the E", "N", "d EN"], ("the ENd EN", False)),
        (["é"], ["caf", "é"], ("caf", True)),
        ([], ["all"], ("all", False)),
        (["aab"], ["aa", "ab"], ("a", True)),
        (["xyz", "y"], ["x", "y"], ("x", True)),
    ],
)
def test_examples(stops: list[str], pieces: list[str], expected: tuple[str, bool]) -> None:
    assert shown(stops, pieces) == expected


def test_only_what_may_be_a_stop_is_held_back() -> None:
    matcher = Stops(["stop"])
    assert matcher.feed("go st") == ("go ", False)
    assert matcher.feed("art s") == ("start ", False)
    assert matcher.rest() == "s"
