"""Positions of words and nodes in a unit."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hipport.source import SourceFile, Span
from hipport.translate.dataflow.function import called, make_function, walk
from hipport.translate.syntax.nesting import innermost
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


_FUNCTION = """#define TWICE(x) f(f(x))
struct S { int a[2]; int get() const { return a[0] + (a[1] ? g(a[0]) : -1); } };
template <class T> __device__ T sum(T* p) { T s = 0; for (int i = 0; i < 32; ++i) { s += p[i]; } return h(s)(1); }
"""


@pytest.mark.parametrize("size", [0, 1 << 15], ids=["all nodes are indexed", "each query searches"])
@pytest.mark.parametrize("broken", ["", "int x = (((;\n", "} ) ]\n"])
def test_indexed_nodes_are_those_that_a_search_finds(size: int, broken: str) -> None:
    unit = parse(SourceFile.decode((broken + _FUNCTION + " " * size).encode(), "x.cu"))
    nodes = [*walk(unit.tree)]
    kinds = {node.type for node in nodes}
    assert len(kinds) > 20
    for node in nodes:
        span = Span(node.start_byte, node.end_byte)
        assert unit.parent(node) == node.parent
        for kind in kinds if span.start < span.end else ():
            assert unit.enclosing(span, kind) == innermost(unit.tree, span, kind), (span, kind)


def test_nodes_of_a_function_by_type_are_in_text_order() -> None:
    unit = parse(SourceFile.decode(_FUNCTION.encode(), "x.cu"))
    for definition in unit.all_of("function_definition"):
        function = make_function(unit, definition)
        assert function is not None
        for kinds in (("call_expression",), ("identifier", "call_expression"), ("lambda_expression",)):
            assert [*function.of_type(*kinds)] == [node for node in function.nodes if node.type in kinds]
        assert [name for name, _ in function.named_calls] == [called(call) for call in function.calls]
