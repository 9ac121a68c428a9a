"""Names of namespace cub are looked up in hipCUB of the ROCm release: what it lacks, or has only later, is reported."""

from __future__ import annotations

import pytest

from hipport.mappings.loader import Tables, load
from hipport.translate.context import Context
from hipport.translate.convert import convert_source


def found(text: str, rocm: str = "6.4") -> dict[str, str]:
    """Return the code of the finding about each name; HP233 is about names that hipCUB has."""
    made = convert_source(text.encode(), "a.cu", Context(load(rocm=rocm)))
    about = {each.message.split()[0]: each.code for each in made.diagnostics if each.code != "HP233"}
    return {name: code for name, code in about.items() if "::" in name}


def test_every_listed_name_is_reported_exactly_where_hipcub_lacks_it() -> None:
    for rocm in ("5.0", "5.2", "5.7", "6.2", "6.4", "7.2"):
        tables = load(rocm=rocm)
        names = sorted(tables.scopes["cub"])
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


def test_namespaces_that_the_tables_list(tables: Tables) -> None:
    fragments = {"nvcuda::wmma" + inner for inner in ("", "::precision", "::experimental", "::experimental::precision")}
    scopes = {scope for scope in tables.scopes if not scope.startswith("cub::Device")}
    assert scopes == {"cub", "cooperative_groups", "cuda", "thrust", "thrust::cuda", *fragments}
    assert len(set(tables.scopes) - scopes) > 12  # structs with algorithms for a whole device
    assert found("void f() { mine::no_such_thing(); mine::thrust::no_such_thing(); }") == {}
    # The tables list some names of libcu++ only, and hipport supplies those.
    assert found("void f() { cuda::ceil_div(1, 2); cuda::no_such_thing(); }") == {}


@pytest.mark.parametrize("scope", ["cooperative_groups", "thrust", "thrust::cuda"])
def test_listed_names_of_other_namespaces(scope: str) -> None:
    for rocm in ("5.2", "6.4", "7.2"):
        tables = load(rocm=rocm)
        names = sorted(tables.scopes[scope])
        text = "".join(f"void f{i}() {{ {scope}::{name}(); }}\n" for i, name in enumerate(names))
        lacking = {f"{scope}::{name}" for name in names if tables.names[f"{scope}::{name}"].hip is None}
        assert found(text, rocm) == dict.fromkeys(lacking, "HP101")


@pytest.mark.parametrize(("text", "name", "code"), [
    ("namespace cg = cooperative_groups; auto c = cg::this_cluster();", "cooperative_groups::this_cluster", "HP101"),
    ("namespace cg = ::cooperative_groups; auto c = cg::this_clutser();", "cooperative_groups::this_clutser", "HP112"),
    ("using namespace cooperative_groups; auto c = this_cluster();", "cooperative_groups::this_cluster", "HP101"),
    ("using namespace cub; int v = MaxSmOccupancy(a);", "cub::MaxSmOccupancy", "HP101"),
    ("auto p = thrust::cuda::par_nosinc.on(s);", "thrust::cuda::par_nosinc", "HP112"),
    ("::thrust :: srot(a, b);", "thrust::srot", "HP112"),
])  # fmt: skip
def test_ways_to_write_a_namespace(text: str, name: str, code: str) -> None:
    assert found(f"void f() {{ {text} }}") == {name: code}


@pytest.mark.parametrize("text", [
    "namespace cg = geometry::cg; auto c = cg::this_cluster();",
    "namespace cg { int this_cluster(); } int c = cg::this_cluster();",
    "using namespace cooperative_groups; int num_threads = 3; f(num_threads);",
    "using namespace cooperative_groups; a.num_threads(); mine::this_cluster();",
    "thrust::placeholders::_1; thrust::mr::no_such_thing(); thrust::detail::anything();",
    "thrust::system_error e(1, thrust::cuda_category()); thrust::system::cuda_category();",
])  # fmt: skip
def test_names_that_are_not_looked_up(text: str) -> None:
    assert found(text) == {}


def test_the_error_category_of_thrust_is_renamed() -> None:
    text = (
        b"auto& a = thrust::cuda_category(); auto& b = thrust::system::cuda_category(); int c = mine::cuda_category();"
    )
    made = convert_source(text, "a.cu", Context(load(rocm="6.4"))).data.decode()
    assert "thrust::hip_category(); auto& b = thrust::system::hip_category(); int c = mine::cuda_category()" in made
