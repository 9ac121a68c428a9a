"""Launches whose configuration is a parameter pack."""

from __future__ import annotations

from typing import Literal

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context, Options
from hipport.translate.convert import convert_source

_HEAD = "#include <hip/hip_runtime.h>\n\ntemplate <class... Xs> void run(int* a, Xs... xs) { "
_LAMBDA = "[&](dim3 hip_grid, dim3 hip_block, size_t hip_shared = 0, hipStream_t hip_stream = nullptr) { "


def _converted(text: str, tables: Tables, style: Literal["ggl", "chevron"] = "ggl") -> tuple[str, list[str]]:
    conversion = convert_source((_HEAD + text + " }\n").encode(), "x.cu", Context(tables, Options(style)))
    translated = conversion.data.decode()
    assert translated.startswith(_HEAD)
    return translated[len(_HEAD) : -3], [found.code for found in conversion.diagnostics]


@pytest.mark.parametrize(
    ("launch", "call", "configuration"),
    [
        ("k<<<xs...>>>(a);", "hipLaunchKernelGGL(k, @, a)", "xs..."),
        ("k<<<g(), xs...>>>();", "hipLaunchKernelGGL(k, @)", "g(), xs..."),
        ("k<int, 2><<<xs...>>>(a, 1);", "hipLaunchKernelGGL(HIP_KERNEL_NAME(k<int, 2>), @, a, 1)", "xs..."),
        ("k<<<static_cast<Xs>(xs)...>>>(a);", "hipLaunchKernelGGL(k, @, a)", "static_cast<Xs>(xs)..."),
    ],
)
def test_a_pack_is_passed_to_a_lambda(launch: str, call: str, configuration: str, tables: Tables) -> None:
    call = call.replace("@", "hip_grid, hip_block, hip_shared, hip_stream")
    translated = f"{_LAMBDA}{call}; }}({configuration});"
    assert _converted(launch, tables) == (translated, [])
    assert _converted(translated, tables) == (translated, [])


def test_chevrons_stay_with_that_option(tables: Tables) -> None:
    call = "k<<<hip_grid, hip_block, hip_shared, hip_stream>>>(a)"
    assert _converted("k<<<xs...>>>(a);", tables, "chevron") == (f"{_LAMBDA}{call}; }}(xs...);", [])


def test_what_cannot_be_moved_is_an_error(tables: Tables) -> None:
    text, codes = _converted("k<<<count(cudaHostAllocDefault), xs...>>>(a);", tables)
    assert text == "k<<<count(hipHostMallocDefault), xs...>>>(a);"
    assert codes == ["HP105"]


def test_packs_of_arguments_are_no_configuration(tables: Tables) -> None:
    assert _converted("k<<<1, 2>>>(xs...);", tables)[0] == "hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0, xs...);"
