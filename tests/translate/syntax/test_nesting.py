"""Nesting: brackets that are too deep for the grammar, ranges in ranges, ancestors of a node."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.source import SourceFile, Span
from hipport.translate.syntax.grammar import language
from hipport.translate.syntax.nesting import INDEXED, Nested, NodeIndex, NodesByType, innermost, without_depths
from hipport.translate.syntax.unit import parse

ROOT = Path(__file__).parents[3]


def test_usual_depths_stay() -> None:
    text = "f(" * 200 + "x" + ")" * 200 + "\n{[()]}"
    assert without_depths(text) == text


@pytest.mark.parametrize(("opening", "closing"), ["()", "[]", "{}"])
def test_what_is_too_deep_becomes_blank(opening: str, closing: str) -> None:
    inner = f"a\n{opening}b{closing} "
    text = opening * 201 + inner + closing * 201 + "after(x)"
    assert without_depths(text) == opening * 201 + " \n    " + closing * 201 + "after(x)"


def test_what_is_never_closed_is_not_deep() -> None:
    text = "void f() {" * 500 + "g(x); }"
    assert without_depths(text) == text


@given(st.text("([{}])x\n", max_size=800))
def test_the_length_and_the_lines_stay(text: str) -> None:
    deep = "(" * 199 + text + ")" * 199
    assert len(without_depths(deep)) == len(deep)
    assert without_depths(deep).count("\n") == deep.count("\n")


@st.composite
def ranges(draw: st.DrawFn, start: int = 0, end: int = 60, depth: int = 4) -> list[Span]:
    """Return ranges that are nested or disjoint."""
    found: list[Span] = []
    while depth and start < end and draw(st.booleans()):
        first = draw(st.integers(start, end - 1))
        last = draw(st.integers(first + 1, end))
        found += [Span(first, last), *draw(ranges(first, last, depth - 1))]
        start = last
    return found


def _is_inside(inner: Span, outer: Span) -> bool:
    return inner != outer and outer.start <= inner.start and inner.end <= outer.end


@given(ranges(), st.integers(0, 60), st.integers(0, 5))
def test_the_innermost_range(spans: list[Span], start: int, length: int) -> None:
    place = Span(start, start + length)
    around = [span for span in spans if span.start <= place.start and place.end <= span.end]
    found = Nested.of((span, span) for span in spans).around(place)
    # An empty place may lie between two ranges, and so in both: then either is innermost.
    inner = [span for span in around if not any(_is_inside(other, span) for other in around)]
    assert found in inner if inner else found is None
    assert Nested.of((span, span) for span in spans).has(place) == bool(around)


def test_both_ways_to_a_node_agree() -> None:
    text = b"struct S { void a() { struct T { void b() { x; } }; y; } };\nvoid c() { z; }\n#define M(p) x = g(p);\n"
    unit = parse(SourceFile.decode(text, "x.cu"))
    for offset in range(text.index(b"#define")):
        place = Span(offset, offset + 1)
        slow = innermost(unit.tree, place, "function_definition")
        for _ in range(2):  # after many questions all are known
            assert unit.enclosing(place, "function_definition") == slow
    call = unit.enclosing(Span(text.rindex(b"p"), text.rindex(b"p") + 1), "call_expression")
    assert call is not None and call.text == b"g(p)"


def test_a_query_finds_the_nodes_that_a_walk_finds() -> None:
    sources = sorted((ROOT / "fixtures" / "pairs").rglob("*.cu"))[::10]
    assert len(sources) > 20
    for path in sources:
        root = parse(SourceFile.decode(path.read_bytes(), path.name)).tree
        walked, queried = NodeIndex.of(root).nodes, NodesByType.queried(root, language())
        for kind in INDEXED:
            assert [node.id for node in queried.of(kind)] == [node.id for node in walked.of(kind)], (path, kind)
