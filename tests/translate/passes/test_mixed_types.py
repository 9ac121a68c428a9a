"""`min` and `max` with mixed types in functions whose sides are words or macros: HIP's functions differ there."""

from __future__ import annotations

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

HEADER = "hipport/compat/minmax.h"
WORDS = ("__device__", "__host__ __device__", "APP_DEVICE", "APP_HD", "APP_HOST_DEVICE", "__app_both", "DEVICE_FUNC")
"""Words in front of a function, the last five macros of another file; the last may be for either side."""


def _converted(tables: Tables, text: str) -> str:
    return convert_source(f"#pragma once\n{text}\n".encode(), "a.h", Context(tables)).data.decode()


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("types", [("int", "unsigned"), ("float", "int"), ("long", "int"), ("T", "T")])
def test_mixed_and_unknown_types_get_cudas_functions(tables: Tables, words: str, types: tuple[str, str]) -> None:
    head = "template <typename T> " if "T" in types else ""
    made = _converted(tables, f"{head}{words} inline double f({types[0]} a, {types[1]} b) {{ return min(a, b); }}")
    assert f"#include <{HEADER}>" in made


@pytest.mark.parametrize("words", WORDS[:-1])
@pytest.mark.parametrize("kind", ["int", "float", "unsigned"])
def test_equal_types_need_none(tables: Tables, words: str, kind: str) -> None:
    made = _converted(tables, f"{words} inline {kind} f({kind} a, {kind} b) {{ return max(a, b); }}")
    assert HEADER not in made


@pytest.mark.parametrize("words", ["APP_API", "APP_INLINE", "static", "APP_HOST"])
def test_functions_of_the_host_need_none(tables: Tables, words: str) -> None:
    made = _converted(tables, f"{words} inline double f(float a, int b) {{ return min(a, b); }}")
    assert HEADER not in made
