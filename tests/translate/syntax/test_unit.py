"""Positions of words in a unit."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from hipport.source import SourceFile
from hipport.translate.syntax.unit import parse


@settings(max_examples=25)
@given(
    st.lists(st.sampled_from(["cudaFree", "cuda", "Free", "$", "_", "1", "é", " ", "::", "//", "\n", '"']), max_size=40)
)
def test_places_are_the_same_however_often_they_are_asked_for(parts: list[str]) -> None:
    unit = parse(SourceFile.decode("".join(parts).encode(), "x.cu"))
    names = frozenset({"cudaFree", "cuda", "Free", "$", "_"})
    first = unit.occurrences(names)
    for _ in range(1000):
        last = unit.occurrences(names)
    assert last == first
    assert all(unit.code.startswith(name, offset) for name, offset in first)
