"""Constants that one file defines and another one uses."""

from __future__ import annotations

import pytest

from hipport.mappings.loader import Tables
from hipport.source import SourceFile
from hipport.translate.context import Context
from hipport.translate.convert import check_source
from hipport.translate.dataflow.constants import lane_constants, told_constants
from hipport.translate.syntax.unit import parse

KERNEL = b"""
__global__ void k(const int* v, int* out) {
  int sum = v[threadIdx.x];
  for (int d = 8; d; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
  if (threadIdx.x % WARP == 0) out[threadIdx.x / warpSize] = sum;
}
"""


@pytest.mark.parametrize(
    ("text", "constants"),
    [
        ("#define WARP 32\n", {"WARP=32"}),
        ("#define WARP (32u)  // lanes\n#define LOG 5\n", {"WARP=32", "LOG=5"}),
        ("constexpr unsigned kAll = 0xffffffffu;\n", {"kAll=4294967295"}),
        ("static const int warp = 32;\nint other = 32;\n", {"warp=32"}),
        ("#define TILE 16\n#define SUM (WARP + 0)\n#define F(x) 32\n#define NONE\n#define TEXT 3x2\n", set()),
        ("const float f = 32.0f;\nconst int n[] = {32};\nconst int m[2] = {31, 32};\n", set()),
        ("#define WARP (1 << 5)\n#define ALL (~0u)\n#define ALSO (unsigned)-1\n", {"WARP=32", "ALL=-1", "ALSO=-1"}),
        ("#define WARP ((int)32)\n#define LAST (WARP - 1)\n#define SAME WARP\n", {"WARP=32", "LAST=31", "SAME=32"}),
        ("constexpr int kWarp{32}, kBlock = 256, kLast = kWarp - 1;\n", {"kWarp=32", "kLast=31"}),
        ("enum { kLog = 5, kWarp = 1 << kLog, kRows = 4 };\n", {"kLog=5", "kWarp=32"}),
        ("enum class Kind { kWarp = 32 };\nconstexpr int kBlock = 256, kTile = kBlock / 8;\n", set()),
        ("#define ERROR -1\n#define WARP 32\n#define WARP 64\n#define LAST (WARP - 1)\n", set()),
        ("#define HALF 16\nconstexpr int kWidth = HALF * 2, kTile = HALF * 2;\n", {"kWidth=32"}),
        ("constexpr int kBytes = 96 * 1024, kHalf = 32 * 1024;\n#define N 1 << 20\n", {"kBytes=98304", "N=1048576"}),
        ("#define KB 1024\n#define BYTES (96 * KB)\n#define TWO 99999\n#define TWO 3\n", {"BYTES=98304"}),
        ("#define A (B - 1)\n#define B (A + 1)\n#define WARPS (256 / WARP)\n#define AT(x) (x % 32)\n", set()),
    ],
)
def test_what_a_file_tells(text: str, constants: set[str]) -> None:
    assert set(lane_constants(parse(SourceFile.decode(text.encode(), "a.h")))) == constants


def test_two_values_are_none() -> None:
    assert told_constants(["A=32", "A=31", "B=5", "cudaMalloc"]) == {"B": 5}


def test_a_file_asks_for_what_it_lacks_and_uses_the_answer(tables: Tables) -> None:
    alone = check_source(KERNEL, "k.cu", Context(tables))
    assert "WARP" in alone.uses
    assert not alone.diagnostics
    told = check_source(KERNEL, "k.cu", Context(tables, foreign=frozenset({"WARP=32"})))
    assert [found.code for found in told.diagnostics] == ["HP204"]


def test_a_mask_of_another_file_is_followed(tables: Tables) -> None:
    kernel = b"__global__ void k(bool* all, int p) { *all = __ballot_sync(ALL, p) == ALL && warpSize; }\n"
    assert "HP203" not in {found.code for found in check_source(kernel, "k.cu", Context(tables)).diagnostics}
    told = check_source(kernel, "k.cu", Context(tables, foreign=frozenset({"ALL=-1"})))
    assert "HP203" in {found.code for found in told.diagnostics}


def test_a_files_own_constant_counts(tables: Tables) -> None:
    own = b"#define WARP 16\n" + KERNEL
    checked = check_source(own, "k.cu", Context(tables, foreign=frozenset({"WARP=32"})))
    assert "WARP" not in checked.uses
    assert not checked.diagnostics
