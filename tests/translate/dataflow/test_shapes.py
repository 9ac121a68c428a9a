"""Facts about types and functions that keep ballots, for the files that include them."""

from __future__ import annotations

import pytest

from hipport.files.includes import told
from hipport.mappings.loader import Tables
from hipport.source import SourceFile
from hipport.translate.context import Context
from hipport.translate.convert import check_source, definitions
from hipport.translate.dataflow.flow import Flow
from hipport.translate.dataflow.lanes import Warps
from hipport.translate.dataflow.shapes import shapes
from hipport.translate.dataflow.told import told_shapes
from hipport.translate.syntax.unit import parse

VOTE = "__ballot_sync(~0u, threadIdx.x % warpSize < 5)"


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "typedef unsigned int mask_t;\nusing Mask = uint32_t;",
            {"mask_t{:}=alias:unsigned int", "Mask{:}=alias:uint32_t"},
        ),
        ("#define MASK unsigned\n#define COUNT 3u\n", {"MASK{:}=alias:unsigned"}),
        ("struct Vote { unsigned mask; int lane = 0; };", {"Vote{:}=class:mask unsigned,lane int"}),
        ("struct Vote { unsigned mask() { return 1; } float x; };\nenum class E { unsigned_ };", set()),
        ("__device__ int rank(unsigned m, int l) { return __popc(m); }", {"rank{:}=takes:m unsigned,l -"}),
        ("template <class M>\n__device__ int rank(M m) { return __popc(m); }", {"rank{:}=takes:m unsigned"}),
        ("__device__ int rank(unsigned long long m) { return __popcll(m); }", set()),
        (f"__device__ auto votes() {{ return {VOTE}; }}", {"votes{}=ballot"}),
        (f"__device__ unsigned votes() {{ return {VOTE}; }}", set()),
    ],
)
def test_what_a_file_tells(text: str, facts: set[str]) -> None:
    assert set(shapes(Warps(Flow(parse(SourceFile.decode(text.encode(), "a.h")))))) == facts


def test_facts_are_read_as_they_are_written() -> None:
    read = told_shapes(
        ["Vote{:}=class:mask unsigned,lane int", "f{:}=takes:m unsigned,l -", "g{}=ballot", "W=32", "x()=0:a"]
    )
    assert read.classes == {"Vote": (("mask", "unsigned"), ("lane", "int"))}
    assert read.takes == {"f": (("m", "unsigned"), ("l", "-"))}
    assert read.ballots == {"g"}


@pytest.mark.parametrize(
    ("header", "use", "code"),
    [
        ("struct Vote { unsigned mask; };", f"Vote v; v.mask = {VOTE}; out[0] = v.mask;", "HP201"),
        ("struct Vote { unsigned long long mask; };", f"Vote v; v.mask = {VOTE}; out[0] = v.mask != 0;", ""),
        ("using Mask = unsigned;", f"Mask m = {VOTE}; out[0] = m;", "HP201"),
        ("__device__ int rank(unsigned m) { return __popc(m); }", f"out[0] = rank({VOTE});", "HP232"),
        ("__device__ int rank(unsigned long long m) { return __popcll(m); }", f"out[0] = rank({VOTE});", ""),
        (f"__device__ auto votes() {{ return {VOTE}; }}", "unsigned m = votes(); out[warpSize] = m;", "HP201"),
    ],
)
def test_ballots_are_followed_into_headers(header: str, use: str, code: str, tables: Tables) -> None:
    source = f'#include "a.cuh"\n__global__ void k(int* out) {{ {use} }}\n'.encode()
    context = Context(tables)
    known = told([definitions(header.encode(), "a.cuh", context).defines], check_source(source, "k.cu", context).uses)
    found = check_source(source, "k.cu", Context(tables, foreign=known)).diagnostics
    assert [each.code for each in found] == ([code] if code else [])
