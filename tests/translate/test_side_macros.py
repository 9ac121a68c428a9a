"""Functions behind macros for sides are translated and judged as those behind CUDA's own words.

Each golden case is translated as it is, and with `APP_HOST_DEVICE` and `APP_DEVICE`, macros that another file defines,
for `__host__ __device__` and `__device__`. What differs in the known cases is listed with its reason.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

PAIRS = Path(__file__).parents[2] / "fixtures" / "pairs"
CASES = sorted(
    path
    for path in PAIRS.rglob("*")
    if path.suffix in (".cu", ".cuh", ".h") and "__device__" in path.read_text("utf-8", "replace")
)
_BOTH = re.compile(r"__host__\s+__device__|__device__\s+__host__")
_ONE = re.compile(r"\b__device__\b")
_MIXED = re.compile(r"__host__ APP_DEVICE|APP_DEVICE __host__|APP_HOST_DEVICE APP_DEVICE|__host__ APP_HOST_DEVICE")
_RUNTIME = re.compile(r"#include <hip/hip_runtime\.h>\n")
_ALONE = "a macro may stand for both sides: what is for devices alone is not known"
DIFFER = {
    "names/host_calls.cu": _ALONE,
    "names/specialized_functions.cu": _ALONE,
    "names/unevaluated_calls.cu": _ALONE,
    "text/literal_suffixes.cu": "the word itself is what the case is about",
}
"""Cases that differ, with the reasons: one that no longer does leaves the list."""


def with_macros(text: str) -> str:
    return _ONE.sub("APP_DEVICE", _BOTH.sub("APP_HOST_DEVICE", text))


def translated(text: str, name: str, tables: Tables) -> tuple[str, list[tuple[int, str]]]:
    """Return the translation, with one spelling of sides, without the runtime's header; and lines with their codes."""
    made = convert_source(text.encode(), name, Context(tables))
    code = made.data.decode().replace("__attribute__((host)) ", "__host__ ").replace("__attribute__((device)) ", "")
    lines = _MIXED.sub("APP_HOST_DEVICE", with_macros(_RUNTIME.sub("", code))).split("\n")
    return "\n".join(filter(None, lines)), [(each.line, each.code) for each in made.diagnostics]


def test_there_are_cases() -> None:
    assert len(CASES) > 150
    assert DIFFER.keys() <= {str(case.relative_to(PAIRS)) for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda path: str(path.relative_to(PAIRS)))
def test_words_and_macros_are_translated_alike(case: Path, tables: Tables) -> None:
    text = case.read_text("utf-8", "replace")
    with_words, behind_macros = (translated(each, case.name, tables) for each in (text, with_macros(text)))
    if (reason := DIFFER.get(str(case.relative_to(PAIRS)))) is not None:
        assert with_words != behind_macros, f"{reason}: no longer"
    else:
        assert with_words == behind_macros
