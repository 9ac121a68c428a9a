"""Names of namespace cub are looked up in hipCUB of the ROCm release: what it lacks, or has only later, is reported."""

from __future__ import annotations

import pytest

from hipport.mappings.loader import Tables, load
from hipport.translate.context import Context
from hipport.translate.convert import convert_source
from hipport.translate.passes.scoped_names import _scopes


def found(text: str, rocm: str = "6.4") -> dict[str, str]:
    """Return the code of the finding about each name."""
    made = convert_source(text.encode(), "a.cu", Context(load(rocm=rocm)))
    return {each.message.split()[0]: each.code for each in made.diagnostics if "::" in each.message.split()[0]}


def test_every_listed_name_is_reported_exactly_where_hipcub_lacks_it() -> None:
    for rocm in ("5.0", "5.2", "5.7", "6.2", "6.4", "7.2"):
        tables = load(rocm=rocm)
        names = sorted(_scopes(tables.known)["cub"])
        assert len(names) > 250
        text = "".join(f"void f{i}() {{ cub::{name} x; }}\n" for i, name in enumerate(names))
        lacking = {f"cub::{name}" for name in names if tables.names[f"cub::{name}"].hip is None}
        assert lacking and found(text, rocm) == dict.fromkeys(lacking, "HP101")


@pytest.mark.parametrize(("name", "since", "before"), [
    ("DeviceAdjacentDifference", "5.3", "5.2"),
    ("DeviceCopy", "6.2", "6.1"),
    ("BlockReduce", "5.0", None),
    ("DoubleBuffer", "5.0", None),
])  # fmt: skip
def test_releases(name: str, since: str, before: str | None) -> None:
    text = f"void f() {{ cub::{name}<int> x; }}"
    assert found(text, since) == {}
    if before is not None:
        assert found(text, before) == {f"cub::{name}": "HP101"}


def test_unknown_names_are_suggested_for() -> None:
    text = "void f() { cub::DeviceReducee::Sum(1); cub::DeviceFooBar::Do(); }"
    made = convert_source(text.encode(), "a.cu", Context(load()))
    assert next((each.code, each.advice) for each in made.diagnostics) == ("HP112", "Did you mean cub::DeviceReduce?")
    assert found(text) == {"cub::DeviceReducee": "HP112", "cub::DeviceFooBar": "HP112"}


@pytest.mark.parametrize(
    "text",
    [
        "void f() { cub::DeviceReduce::Sum(1); cub::BlockReduce<int, 32>::TempStorage t; }",
        "void f() { cub::detail::anything(); }",
        "void f() { mine::cub::Foo(); x.cub::Foo(); }",
        "namespace cub { struct Foo; }\nvoid f() { cub::Foo(); }",
        '// cub::Foo\nconst char* s = "cub::Foo";',
        "using namespace cub;",
        "void f() { hipcub::Foo(); }",
    ],
)
def test_near_misses(text: str) -> None:
    assert found(text) == {}


def test_without_the_tables_of_a_namespace_nothing_is_said(tables: Tables) -> None:
    assert set(_scopes(tables.known)) == {"cub"}
    assert found("void f() { thrust::no_such_thing(); }") == {}
