"""Shuffles of groups: those of values that may not be numbers go through hipport's header, others stay."""

from __future__ import annotations

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

HEAD = """#include <cooperative_groups.h>
namespace cg = cooperative_groups;
enum class Kind {{ A }};
struct Best {{ float value; int index; }};
template <class T> __device__ void f(T *p, Best *best, {declared}) {{
  auto g = cg::tiled_partition<16>(cg::this_thread_block());
  {call};
}}
"""
NUMBERS = ("int", "unsigned", "const float", "unsigned long long", "uint32_t", "std::int64_t", "size_t", "bool", "uint")
OTHERS = ("Kind", "Best", "float2", "T *", "const Best *", "T", "__half", "Key")


def converted(tables: Tables, declared: str, call: str) -> tuple[str, list[str]]:
    made = convert_source(HEAD.format(declared=declared, call=call).encode(), "a.cu", Context(tables))
    return made.data.decode(), [each.code for each in made.diagnostics]


@pytest.mark.parametrize("name", ["shfl", "shfl_up", "shfl_down", "shfl_xor"])
def test_types(tables: Tables, name: str) -> None:
    for kind in NUMBERS:
        assert f"g.{name}(x, 1)" in converted(tables, f"{kind} x", f"g.{name}(x, 1)")[0], kind
    for kind in OTHERS:
        text, codes = converted(tables, f"{kind} x", f"auto y = g.{name}(x, 1)")
        assert f"auto y = hipport::compat::group_{name}(g, x, 1)" in text, kind
        assert "#include <hipport/compat/group_shuffles.h>" in text and "HP117" not in codes


@pytest.mark.parametrize(
    ("value", "supplied"),
    [("best[1]", True), ("best", True), ("best[1].value", False), ("i + 1", False), ("n[2]", False), ("n", True)],
)
def test_elements_and_members(tables: Tables, value: str, supplied: bool) -> None:
    text, codes = converted(tables, "int i, const int *n", f"auto y = g.shfl({value}, 0)")
    assert ("group_shfl(g" in text) is supplied and "HP117" not in codes


def test_objects_that_may_be_no_groups(tables: Tables) -> None:
    text, codes = converted(tables, "Other &o, Best x", "x = o.shfl(x, 0)")
    assert "o.shfl(x, 0)" in text and "HP117" in codes
