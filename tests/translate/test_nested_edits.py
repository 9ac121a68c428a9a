"""Edits within what another edit covers: CUDA names put in place of the words and numbers of all fixtures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hipport.mappings.loader import load
from hipport.translate.context import Context, Options
from hipport.translate.convert import convert_source

FIXTURES = Path(__file__).parents[2] / "fixtures"
SOURCES = [path for path in sorted(FIXTURES.rglob("*.cu*")) if path.suffix in (".cu", ".cuh")]
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
    for path in SOURCES:
        text = path.read_text(encoding="utf-8", errors="replace")
        changed += convert_source(re.sub(pattern, replacement, text).encode(), "x.cu", context).data != text.encode()
    assert changed > 100


def test_what_is_moved_may_hold_names() -> None:
    source = b"#include <cuComplex.h>\n__global__ void k() { extern __shared__ alignas(alignof(cuComplex)) int s[]; }"
    assert b"alignas(alignof(hipComplex)) extern __shared__ int s[]" in (
        convert_source(source, "x.cu", Context(load(), Options())).data
    )
