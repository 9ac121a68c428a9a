"""Names that files define for those that they include, and functions that files are linked with."""

from __future__ import annotations

import pytest

from hipport.files.includes import Seen
from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import check_source, definitions
from tests.files.test_includes import foreign_names, seen

SUM = "sum()=32:exchanges:sum:sum.cu:1"


def test_names_that_the_only_includer_defines_before() -> None:
    files = {
        "/p/api.h": seen(defines="NVTX_A NVTX_A<detail/impl.h", includes=("detail/impl.h",)),
        "/p/detail/impl.h": seen(includes=("init.h",)),
        "/p/detail/init.h": seen(uses="NVTX_A"),
        "/p/more.h": seen(includes=("api.h", "detail/more.h")),
        "/p/detail/more.h": seen(uses="NVTX_A"),
    }
    mine = frozenset({"NVTX_A"})
    assert foreign_names(files) == {"/p/detail/init.h": mine, "/p/detail/more.h": mine}


@pytest.mark.parametrize(
    "files",
    [
        {  # another file includes it without the definition
            "/p/a.cu": seen(defines="cudaA cudaA<use.h", includes=("use.h",)),
            "/p/b.cu": seen(includes=("use.h",)),
            "/p/use.h": seen(uses="cudaA"),
        },
        {  # the definition is behind the include
            "/p/a.cu": seen(defines="cudaA cudaA<other.h", includes=("use.h", "other.h")),
            "/p/use.h": seen(uses="cudaA"),
            "/p/other.h": seen(),
        },
    ],
)
def test_names_that_may_be_cudas(files: dict[str, Seen]) -> None:
    assert foreign_names(files) == {}


def test_functions_that_a_file_declares() -> None:
    files = {
        "/p/sum.cu": seen(
            defines=f"{SUM} sum()>lane() lane()=32:numbers:lane:sum.cu:2 other()=0:numbers:other:sum.cu:3"
        ),
        "/p/sum.h": seen(defines="sum()@"),
        "/p/main.cu": seen(uses="sum() other() ()=0", includes=("sum.h",)),
        "/p/extern.cu": seen(defines="sum()@", uses="sum() ()=0"),
    }
    wanted = frozenset({SUM, "sum()>lane()", "lane()=32:numbers:lane:sum.cu:2"})
    assert foreign_names(files) == {"/p/main.cu": wanted, "/p/extern.cu": wanted}


def test_functions_that_several_files_define() -> None:
    files = {
        "/p/a.cu": seen(defines=SUM),
        "/p/b.cu": seen(defines="sum()=0:exchanges:sum:b.cu:1"),
        "/p/main.cu": seen(defines="sum()@", uses="sum() ()=0"),
    }
    assert foreign_names(files) == {}


def test_a_caller_disagrees_with_a_function_that_is_linked(tables: Tables) -> None:
    context = Context(tables)
    body = "for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d); return v;"
    kernel = (
        b"extern __device__ int sum(int v);\n__global__ void k(int* v) { v[threadIdx.x / warpSize] = sum(v[0]); }\n"
    )
    definer = definitions(f"__device__ int sum(int v) {{ {body} }}".encode(), "sum.cu", context)
    caller = check_source(kernel, "k.cu", context)
    files = {
        "/p/sum.cu": Seen(definer.defines, definer.uses, ()),
        "/p/k.cu": Seen(caller.defines, caller.uses, ()),
    }
    told = foreign_names(files)["/p/k.cu"]
    found = check_source(kernel, "k.cu", Context(tables, foreign=told)).diagnostics
    assert [each.code for each in found] == ["HP230"]


def test_macros_in_front_of_an_include(tables: Tables) -> None:
    text = b'#define NVTX_SUCCESS 0\n#include "a.h"\n#define NVTX_FAIL 1\n'
    defines = definitions(text, "api.h", Context(tables)).defines
    assert "NVTX_SUCCESS<a.h" in defines
    assert "NVTX_FAIL<a.h" not in defines
