"""CUB's warps keep 32 lanes: each template with a default size, in each spelling, in each kind of function."""

from __future__ import annotations

import itertools
import re

import pytest

from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.translate.context import Context, Options, WaveSize
from hipport.translate.conversion import Conversion
from hipport.translate.convert import convert_source

FULL = {
    "WarpReduce": ("T", "32"),
    "WarpScan": ("T", "32"),
    "WarpExchange": ("T", "4", "32"),
    "WarpMergeSort": ("T", "4", "32"),
    "WarpLoad": ("T", "4", "WARP_LOAD_DIRECT", "32"),
    "WarpStore": ("T", "4", "WARP_STORE_DIRECT", "32"),
}
"""All arguments of the templates, as CUDA's defaults have them."""
TYPES = ("int", "unsigned long long", "typename Traits<T>::Type", "Pair<int, float>", "decltype(f(1, 2))")
SPELLINGS = {
    "cub::NAME": "",
    "::cub::NAME": "",
    "lib::NAME": "namespace lib = cub;\n",
    "NAME": "using namespace cub;\n",
    "NAME ": "using cub::NAME;\n",
}
LANES = {
    "threadIdx.x % 32": True,
    "threadIdx.x & 31": True,
    "threadIdx.x": True,
    "threadIdx.x % warpSize": False,
}


def converted(text: str, wave_size: WaveSize = 0) -> Conversion:
    context = Context(load_choice(NameChoice(rocm="6.2")), Options(wave_size=wave_size))
    return convert_source(f"#include <cub/cub.cuh>\n{text}".encode(), "warps.cu", context)


def arguments(text: str, name: str) -> list[str]:
    """Return the template arguments of each use of a template in the translation, without namespaces."""
    found = re.findall(rf"\b{name}\s*<(.*)> W;", text)
    return [re.sub(r"\s|\w*cub::|lib::", "", each) for each in found]


@pytest.mark.parametrize("name", FULL)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_default_is_written(name: str, spelling: str) -> None:
    """All members with one spelling are functions of one file."""
    whole, text, wanted = FULL[name], SPELLINGS[spelling].replace("NAME", name), []
    counts = range(1 if len(whole) == 2 else 2, len(whole) + 1)
    for number, (kind, (lane, is_32), count) in enumerate(itertools.product(TYPES, LANES.items(), counts)):
        given = [kind, *whole[1:count]]
        named = [f"cub::{each}" if each.startswith("WARP") else each for each in given]
        text += f"__global__ void k{number}(int* out) {{ int lane = {lane};\n"
        text += f"  typedef {spelling.replace('NAME', name)}<{', '.join(named)}> W;\n  out[lane] = 1; }}\n"
        wanted.append(re.sub(r"\s", "", ",".join([kind, *whole[1:]] if is_32 else given)))
    assert arguments(converted(text).data.decode(), name) == wanted


def test_at_file_scope_the_functions_decide() -> None:
    declared = "typedef cub::WarpReduce<int> W;\n"
    by_32 = "__global__ void k(int* o) { o[threadIdx.x % 32] = 1; }\n"
    by_wave = "__global__ void k(int* o) { o[threadIdx.x % warpSize] = 1; }\n"
    assert "WarpReduce<int, 32>" in converted(declared).data.decode()
    assert "WarpReduce<int, 32>" in converted(declared + by_32).data.decode()
    assert "WarpReduce<int>" in converted(declared + by_wave).data.decode()


def test_wavefronts_of_32_need_nothing() -> None:
    text = "typedef cub::WarpReduce<int> W;\n__device__ int f() { return cub::LaneId(); }\n"
    assert "WarpReduce<int> W" in converted(text, 32).data.decode()
    assert "return hipcub::LaneId();" in converted(text, 32).data.decode()


@pytest.mark.parametrize(
    "text",
    [
        "typedef mine::WarpReduce<int> W;",
        "template <typename T> struct WarpReduce {};\ntypedef WarpReduce<int> W;",
        "typedef cub::WarpReduce<int, 16> W;",
        "typedef cub::WarpReduce<int, N> W;",
        "typedef cub::WarpLoad<int, 4, cub::WARP_LOAD_DIRECT, 8> W;",
        "// cub::WarpReduce<int>",
        "bool less = a.WarpReduce<int> (3);",
        "__device__ int LaneId();\n__device__ int f() { return LaneId(); }",
        "#ifdef CUB_MINE\n#endif",
    ],
)
def test_others_stay(text: str) -> None:
    wanted = text.replace("cub::", "hipcub::") if not text.startswith("//") else text
    assert wanted in converted(text).data.decode()


def test_functions_and_constants_count_32() -> None:
    text = (
        "__device__ int f() { return threadIdx.x % 32 + cub::LaneId() + cub::LaneMaskGe() + CUB_PTX_LOG_WARP_THREADS; }"
    )
    found = converted(text).data.decode()
    assert "(hipcub::LaneId() & 31u)" in found
    assert "static_cast<unsigned>(hipcub::LaneMaskGe() >> (__lane_id() & 32u))" in found
    assert "+ 5;" in found
    assert "#define N (128 / 32)" in converted("#define N (128 / CUB_PTX_WARP_THREADS)\n").data.decode()
    tested = "#ifdef CUB_PTX_WARP_THREADS\n#endif\n"
    assert "32" not in converted(tested).data.decode()


@pytest.mark.parametrize("kind", ["LOAD", "STORE"])
@pytest.mark.parametrize("suffix", ["", "_TIMESLICED"])
def test_blocks_of_unknown_size_choose_how_to_transpose(kind: str, suffix: str) -> None:
    by_warps = f"BLOCK_{kind}_WARP_TRANSPOSE{suffix}"
    name = f"Block{kind.title()}"
    text = f"template <int N> struct S {{ typedef cub::{name}<int, N / 4, 8, cub::{by_warps}> Io; }};\n"
    chosen = f"(N / 4) % 64 ? hipcub::BLOCK_{kind}_TRANSPOSE : hipcub::{by_warps}"
    assert f"hipcub::{name}<int, N / 4, 8, {chosen}>" in converted(text).data.decode()
    assert " ? " not in converted(text.replace("_WARP_TRANSPOSE", "_TRANSPOSE")).data.decode()
    assert " ? " not in converted(text, 32).data.decode()


@pytest.mark.parametrize(
    ("use", "found"),
    [
        ("cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE>", False),
        ("cub::BlockLoad<int, 32, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE>", True),
        ("cub::BlockStore<int, 3 * 32, 4, cub::BLOCK_STORE_WARP_TRANSPOSE>", True),
        ("cub::BlockLoad<int, N, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE>", False),
        ("cub::BlockLoad<int, 32, 4, cub::BLOCK_LOAD_TRANSPOSE>", False),
        ("cub::BlockLoad<int, 32, 4>", False),
        ("cub::BlockLoad<int, 32, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE, 2>", False),
        ("cub::BlockReduce<int, 32>", False),
        ("Tool<cub::WarpReduce, int>", True),
        ("Tool<cub::WarpReduce<int>, int>", False),
    ],
)
def test_what_has_no_translation_is_reported(use: str, found: bool) -> None:
    codes = {each.code for each in converted(f"typedef {use} W;\n").diagnostics}
    assert ("HP233" in codes) is found
    assert "HP233" not in {each.code for each in converted(f"typedef {use} W;\n", 32).diagnostics}
