"""Functions: what the index of a file's nodes answers is what walking the tree answers."""

from __future__ import annotations

from pathlib import Path

from hipport.source import SourceFile
from hipport.translate.dataflow import function as functions
from hipport.translate.dataflow.function import Function, Variable, make_function
from hipport.translate.syntax.nesting import in_order
from hipport.translate.syntax.unit import Unit, parse

FIXTURES = Path(__file__).parents[3] / "fixtures"
_TYPES = ("call_expression", "assignment_expression", "binary_expression", "identifier", "compound_statement")
_LOCAL = """
__global__ void outer(int *p) {
  struct Local { int get(int q) { int inner = q; return inner; } };
  for (int i = 0; i < 2; ++i) { int twice = i * 2; p[i] = Local().get(twice); }
}
__device__ int after(int r) { auto f = [](int s) { int t = s; return t; }; return f(r); }
"""


def _made(unit: Unit) -> list[Function]:
    found = (make_function(unit, node) for node in unit.all_of("function_definition"))
    return [each for each in found if each is not None]


def _known(variable: Variable) -> tuple[object, ...]:
    values = tuple((node.start_byte, node.end_byte, node.type) for node in variable.values)
    return (variable.name, variable.place, variable.scope, variable.type, variable.text, variable.parameter, values)


def _compare(text: bytes) -> int:
    """Compare what both ways find in each function; return the number of functions that are indexed."""
    indexed = _made(parse(SourceFile.decode(text, "a.cu")))
    walked = _made(parse(SourceFile.decode(text, "a.cu")))
    for one, other in zip(indexed, walked, strict=True):
        vars(other)["is_indexed"] = False
        for kinds in (*((kind,) for kind in _TYPES), _TYPES[:3]):
            assert [(n.start_byte, n.end_byte, n.type) for n in one.of_type(*kinds)] == [
                (n.start_byte, n.end_byte, n.type) for n in other.of_type(*kinds)
            ]
        assert [*map(_known, one.variables.all())] == [*map(_known, other.variables.all())]
    return sum(one.is_indexed for one in indexed)


def test_the_functions_of_the_fixtures() -> None:
    files = [*FIXTURES.glob("programs/**/*.cu"), *sorted(FIXTURES.glob("pairs/**/*.cu"))[::7]]
    assert sum(_compare(path.read_bytes()) for path in files) > 200


def test_a_function_with_a_local_class_is_walked() -> None:
    outer, inner, after = _made(parse(SourceFile.decode(_LOCAL.encode(), "a.cu")))
    assert (outer.is_indexed, inner.is_indexed, after.is_indexed) == (False, True, True)
    assert {one.name for one in outer.variables.all()} == {"p", "i", "twice"}
    assert {one.name for one in after.variables.all()} == {"r", "f", "s", "t"}
    assert _compare(_LOCAL.encode()) == 2


def test_large_files_are_walked() -> None:
    text = _LOCAL + "// " + "x" * (1 << 18)
    outer, _, after = _made(parse(SourceFile.decode(text.encode(), "a.cu")))
    assert not outer.is_indexed and not after.is_indexed
    assert {one.name for one in after.variables.all()} == {"r", "f", "s", "t"}


def test_nodes_that_begin_at_the_same_place_are_not_inside() -> None:
    unit = parse(SourceFile.decode(b"int a = b + c + d;", "a.cu"))
    outer, inner = unit.all_of("binary_expression")
    assert unit.inside(inner, "binary_expression") == [inner]
    assert unit.inside(outer, "binary_expression") == [outer, inner]
    found = unit.inside(outer, "identifier", "binary_expression")
    assert found == in_order([outer, inner, *unit.all_of("identifier")[1:]])
    assert functions.text_of(inner) == "b + c"
