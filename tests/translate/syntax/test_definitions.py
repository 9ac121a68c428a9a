"""Functions that a file defines under CUDA's names, behind macros whose meaning it does not know."""

from __future__ import annotations

import itertools

import pytest

from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.source import SourceFile
from hipport.translate.context import Context
from hipport.translate.convert import convert_source
from hipport.translate.syntax.definitions import definition_at
from hipport.translate.syntax.unit import parse

_FRONTS = ("", "HD ", "HD inline ", "HD FORCE_INLINE\n", "HD FORCE_INLINE constexpr ", "FORCE_INLINE static HD ")
_TYPES = ("double ", "T ", "T *", "const T& ", "std::pair<double, double> ", "unsigned long ")
_ENDS = ("{ return x; }", "const { return x; }", "noexcept {}")


def is_defined(text: str) -> bool:
    unit = parse(SourceFile.decode(text.encode(), "a.cuh"))
    offset = text.index("sinpi")
    return definition_at(unit, "sinpi", offset, lambda name: True) is not None


@pytest.mark.parametrize("front", _FRONTS)
def test_functions_behind_macros_are_definitions(front: str) -> None:
    texts = [
        f"namespace M {{\n{front}{kind}sinpi(double x) {end}\n}}\n" for kind, end in itertools.product(_TYPES, _ENDS)
    ]
    assert [text for text in texts if not is_defined(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "HD inline double f(double x) { return sinpi(x); }",
        "HD inline double f(double x) { if (x) sinpi(x); else { sinpi(x); } return 1; }",
        "HD inline double N::sinpi(double x) { return x; }",
        "CHECK(a) sinpi(x);",
        "void f() { HD inline sinpi(x); }",
    ],
)
def test_uses_are_none(text: str) -> None:
    assert not is_defined(text)


def test_such_a_function_keeps_its_name() -> None:
    text = "namespace M {\nHD inline double sinpi(double x)\n{ return ::sinpi(x); }\n}\n__global__ void k();\n"
    done = convert_source(text.encode(), "a.cuh", Context(load_choice(NameChoice(rocm="6.4")))).data.decode()
    assert "inline double sinpi(double x)" in done
    assert "::hipport::compat::sinpi(x)" in done


@pytest.mark.parametrize("body", ["ON_DEVICE(( return ::f(x); ))", "ON_DEVICE( ( g(x); return x; ) ) ON_HOST((g(x);))"])
def test_statements_as_arguments_do_not_hide_the_function_around_them(body: str) -> None:
    function = f"HD INLINE\ndouble sinpi(double x)\n{{\n#ifdef A\n  return g(x);\n#else\n  {body}\n#endif\n}}\n"
    text = f"namespace M {{\ntemplate <class T> constexpr T pi() {{ return T(3); }}\n{function}{function}}}\n"
    unit = parse(SourceFile.decode(text.encode(), "a.cuh"))
    found = [definition_at(unit, "sinpi", at, lambda name: True) for _, at in unit.occurrences(frozenset({"sinpi"}))]
    assert [each.owner for each in found if each is not None] == ["M", "M"]
    assert "ERROR" not in {node.type for node in unit.tree.children}
