"""HP240: amounts that reach the width of a number, computed for all lanes."""

from __future__ import annotations

import itertools

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context, Options
from hipport.translate.convert import check_source

LANES = ("threadIdx.x % 32", "(threadIdx.x & 31)", "threadIdx.x & 0x1f", "lane", "other", "laneId", "lane_id()")
NUMBERS = {"0xffffffff": True, "1u": True, "~0u": True, "bits": True, "1": False, "-1": False, "count": False}
"""Numbers of 32 bits, and whether they are unsigned."""


def checked(tables: Tables, text: str, *, fix: bool = False) -> tuple[bool, str]:
    source = f"""__global__ void k(unsigned* out, unsigned bits, int count, size_t wide, uint64_t w, int n) {{
  const int lane = threadIdx.x & 31;
  const int other = lane;
  out[0] = {text};
}}
"""
    done = check_source(source.encode(), "a.cu", Context(tables, Options(fix=fix)))
    line = done.data.decode().splitlines()[3]
    return any(each.code == "HP240" for each in done.diagnostics), line.partition("= ")[2].rstrip(";")


@pytest.mark.parametrize("lane", LANES)
def test_all_amounts(tables: Tables, lane: str) -> None:
    for constant, operator in itertools.product(range(-2, 40), ("<<", ">>")):
        assert checked(tables, f"bits {operator} ({constant} - ({lane}))")[0] == (constant == 32), constant
        assert checked(tables, f"bits {operator} (({lane}) + {constant})")[0] == (constant == 1), constant


@pytest.mark.parametrize("number", NUMBERS)
def test_fixes_shift_in_64_bits(tables: Tables, number: str) -> None:
    unsigned = NUMBERS[number]
    for operator in ("<<", ">>"):
        found, _ = checked(tables, f"{number} {operator} (32 - lane)")
        _, fixed = checked(tables, f"{number} {operator} (32 - lane)", fix=True)
        kind = "unsigned" if unsigned else "int"
        mended = f"({kind})((unsigned long long){number} {operator} (32 - lane))"
        assert found and fixed == (mended if unsigned or operator == "<<" else f"{number} {operator} (32 - lane)")


@pytest.mark.parametrize(
    "text",
    [
        "wide >> (32 - lane)",
        "w << (lane + 1)",
        "0xffffffffull >> (32 - lane)",
        "0x1ffffffff >> (32 - lane)",
        "(bits << lane) | (bits >> (32 - lane))",
        "(bits >> (32 - lane) | bits << lane)",
        "lane ? bits >> (32 - lane) : 0",
        "bits >> (32 - n)",
        "bits >> (32 - n - lane)",
        "bits >> (32 - 2 * lane)",
        "bits >> (threadIdx.x / 32 + 1)",
        "out[lane] >> (32 - lane)",
    ],
)
def test_near_misses(tables: Tables, text: str) -> None:
    assert not checked(tables, text)[0]


def test_nothing_on_the_host(tables: Tables) -> None:
    text = b"unsigned f(unsigned lane) { return ~0u >> (32 - lane); }\n__global__ void k() { f(threadIdx.x); }\n"
    assert not [each for each in check_source(text, "a.cu", Context(tables)).diagnostics if each.code == "HP240"]
