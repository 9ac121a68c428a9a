"""CUDA names behind `::` and `->` that follow a word: a keyword or macro is no scope and no object."""

from __future__ import annotations

import pytest

from hipport.mappings.tables import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source


def _converted(source: str, tables: Tables) -> str:
    return convert_source(source.encode(), "a.cu", Context(tables)).data.decode()


@pytest.mark.parametrize(
    "front",
    [
        "inline",
        "virtual",
        "static",
        "mutable",
        "volatile",
        "operator",
        "extern",
        "friend",
        "constexpr",
        "const",
        "explicit",
        "__device__",
        "__forceinline__ __device__",
        "APP_DEVICE",
        "DEV",
        "__host__ APP_INLINE",
        "",
    ],
)
def test_no_scope(front: str, tables: Tables) -> None:
    assert f"{front} ::hipStream_t s" in _converted(f"struct A {{ {front} ::cudaStream_t s(); }};\n", tables)


@pytest.mark.parametrize("front", ["app", "app ", "App", "APP", "a::APP", "Box<int>"])
def test_scopes(front: str, tables: Tables) -> None:
    assert f"{front}::cudaStream_t s" in _converted(f"struct A {{ {front}::cudaStream_t s(); }};\n", tables)


@pytest.mark.parametrize(
    "end", ["", " const", " const APP_NOEXCEPT", " NOEXCEPT", " noexcept", "\n    APP_NOEXCEPT\n    "]
)
def test_trailing_returns(end: str, tables: Tables) -> None:
    assert "->hipPitchedPtr" in _converted(f"struct A {{ auto f(){end}->cudaPitchedPtr; }};\n", tables)


@pytest.mark.parametrize("front", ["if (n) GLOBAL_POINTER", "GLOBAL", "x.GLOBAL", "n * GLOBAL", "(GLOBAL)"])
def test_members(front: str, tables: Tables) -> None:
    assert "->cudaPitchedPtr" in _converted(f"void f(int n) {{ {front}->cudaPitchedPtr = n; }}\n", tables)
