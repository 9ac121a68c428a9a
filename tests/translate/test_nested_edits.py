"""Edits within what another edit covers: CUDA names put in place of the words and numbers of all fixtures.

Each replacement is made in a third of the fixtures, and each fixture has two or three of them; all of both with
HIPPORT_TEST_ALL=1.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hipport.mappings.loader import load
from hipport.translate.context import Context, Options, WaveSize
from hipport.translate.convert import convert_source
from tests.shared import EVERYTHING

FIXTURES = Path(__file__).parents[2] / "fixtures"
SOURCES = [path for path in sorted(FIXTURES.rglob("*.cu*")) if path.suffix in (".cu", ".cuh")]
HAZARDS = sorted(FIXTURES.glob("pairs/hazards/*.cu"))
NUMBER = r'(?<![\w.<"])\d+(?![\w.])'
ARGUMENT = r"(?<=[(,])(\s*)([a-z]\w*)(?=[,)])"
REPLACEMENTS = {
    "types": (r"\bint\b", "cudaError_t"),
    "complex types": (r"\bfloat\b", "cuComplex"),
    "sizes": (NUMBER, "sizeof(cudaEvent_t)"),
    "ballots": (NUMBER, "__popc(__ballot_sync(1, 2))"),
    "mixed minima": (NUMBER, "min(warpSize, threadIdx.x)"),
    "shuffles": (ARGUMENT, r"\1__shfl_sync(~0u, \2, 1)"),
    "casts": (ARGUMENT, r"\1(cuFloatComplex)\2"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", REPLACEMENTS)
def test_no_source_has_overlapping_edits(name: str) -> None:
    pattern, replacement = REPLACEMENTS[name]
    context = Context(load(), Options())
    changed = 0
    for path in SOURCES if EVERYTHING else SOURCES[list(REPLACEMENTS).index(name) % 3 :: 3]:
        text = path.read_text(encoding="utf-8", errors="replace")
        changed += convert_source(re.sub(pattern, replacement, text).encode(), "x.cu", context).data != text.encode()
    assert changed > 100


@pytest.mark.slow
@pytest.mark.parametrize("wave_size", [0, 32])
def test_functions_of_local_classes_are_edited_once(wave_size: WaveSize) -> None:
    """Each fixture as the members of a class in a kernel: the kernel's own code does not contain theirs."""
    context = Context(load(), Options(wave_size=wave_size, fix=True))
    changed = 0
    for path in HAZARDS:
        text = path.read_text(encoding="utf-8", errors="replace")
        lines = re.findall(r"(?m)^#.*(?:\\\n.*)*\n?", text)
        inside = re.sub(r"(?m)^#.*(?:\\\n.*)*\n?", "", text)
        wrapped = "".join(lines) + "__global__ void k(int* out) {\n  struct Local {\n" + inside + "  };\n}\n"
        changed += convert_source(wrapped.encode(), "x.cu", context).data != wrapped.encode()
    assert changed > 40


def test_a_call_in_a_local_class_is_widened_once() -> None:
    source = b"""__global__ void k(int* out) {
  struct S {
    __device__ int f(int x) { return __popc(__ballot_sync(~0u, x)); }
    __device__ int g(int x) { unsigned kept[] = {__ballot_sync(~0u, x)}; return kept[0]; }
  };
  out[0] = S().f(3) + __popc(__ballot_sync(~0u, 1));
}
"""
    made = convert_source(source, "x.cu", Context(load(), Options(wave_size=32))).data
    assert b"int f(int x) { return __popcll(__ballot(x)); }" in made
    assert b"unsigned kept[] = {static_cast<unsigned>(__ballot(x))};" in made
    assert b"S().f(3) + __popcll(__ballot(1));" in made


def test_what_is_moved_may_hold_names() -> None:
    source = b"#include <cuComplex.h>\n__global__ void k() { extern __shared__ alignas(alignof(cuComplex)) int s[]; }"
    assert b"alignas(alignof(hipComplex)) extern __shared__ int s[]" in (
        convert_source(source, "x.cu", Context(load(), Options())).data
    )
