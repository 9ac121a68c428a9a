"""Properties of the translation of any input."""

from __future__ import annotations

import pickle
import re

import pytest
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

from hipport.mappings.loader import Tables, load
from hipport.translate.context import Context, Options
from hipport.translate.convert import convert_source

TABLES = load()

TOKENS = [
    *("cudaMalloc", "cudaMemcpyToSymbol", "cudaMallocHost", "cudaFree", "cudaStream_t", "cudaDeviceProp", "cuInit"),
    *("k", "k<T, N>", "ns::k", "obj.template k<T>", "<<<", ">>>", "<<", ">>", "<", ">", "(", ")", "{", "}", "[", "]"),
    *(",", ";", ".", "->", "::", "=", "&", "*", "1", "dim3", "p", "template", "return", "struct", "typedef", "if"),
    *("__global__", "__device__", "__launch_bounds__(4)", "#define X", "\\\n", "\n", "\n#if __CUDA_ARCH__ > 3\n"),
    *("\n#ifdef __CUDACC__\n", "\n#else\n", "\n#endif\n", "\n#include <cuda.h>\n", '\n#include "cuda_runtime.h"\n'),
    *("// c\n", "/* c */", "/*", '"s"', '"', "'", 'R"(', ')"', "#pragma once\n", "\r\n", "##", "é", "\udcff", "$"),
]
SOUP = st.lists(st.sampled_from(TOKENS), max_size=40).map(" ".join)


@given(st.one_of(SOUP.map(lambda text: text.encode("utf-8", "surrogateescape")), st.binary(max_size=300)))
@settings(max_examples=400, deadline=None)
@example(b"#define")
@example(b"<<<")
@example(b"k<<<1,2>>>(")
@example(b"#include <cuda.h>")
def test_any_input_is_translated_and_then_stays(data: bytes) -> None:
    context = Context(TABLES)
    once = convert_source(data, "x.cu", context).data
    assert convert_source(once, "x.cu", context).data == once


@given(st.text(st.characters(blacklist_categories=("Cs",)), max_size=200), st.sampled_from(["ggl", "chevron"]))
@settings(deadline=None)
def test_text_without_cuda_stays_byte_for_byte(text: str, launch: str) -> None:
    if any(name in text for name in ("cu", "CU", "__", "<<", "blockIdx", "threadIdx")):
        reject()
    if TABLES.names.keys() & re.findall(r"\w+", text):  # such as rsqrt
        reject()
    data = text.encode()
    conversion = convert_source(data, "x.cpp", Context(TABLES, Options(launch)))  # type: ignore[arg-type]
    assert conversion.data == data
    assert {found.code for found in conversion.diagnostics} <= {"HP116"}  # unclosed brackets and strings


def test_comments_and_strings_of_any_content_stay(tables: Tables) -> None:
    text = (
        '#include <hip/hip_runtime.h>\n// cudaMalloc k<<<1, 2>>>()\nauto s = "cudaFree", r = R"x(cudaFree)" k<<<)x";\n'
    )
    assert convert_source(text.encode(), "x.cu", Context(tables)).data == text.encode()


def test_conversion_says_what_a_project_needs_to_know(tables: Tables) -> None:
    data = b'#include <a/b.h>\n#include "c.cuh"\n#define cudaFree mine\nstatic int cudaMalloc(int) { cudaMemset(0); }\n'
    conversion = convert_source(data, "x.h", Context(tables))
    assert conversion.includes == ("a/b.h", "c.cuh")
    assert conversion.defines == {"cudaFree", "cudaMalloc", "std=has"}  # a/b.h may bring any container
    assert conversion.uses == {"cudaFree", "cudaMalloc", "cudaMemset", "hip/hip_runtime.h", "=numbered", "=says"}


def test_names_that_included_files_define_stay(tables: Tables) -> None:
    data = b"int a = cudaFree(p), b = cudaMemset(p);\n"
    context = Context(tables, foreign=frozenset({"cudaFree"}))
    assert convert_source(data, "x.cpp", context).data == b"int a = cudaFree(p), b = hipMemset(p);\n"


def test_line_map_points_at_the_source(tables: Tables) -> None:
    data = b"#include <cuda.h>\n#include <cuda_runtime.h>\nint a = cudaSuccess;\n"
    conversion = convert_source(data, "x.cu", Context(tables))
    assert conversion.data.splitlines()[1] == b"int a = hipSuccess;"
    assert conversion.line_map == ((1, 1), (2, 3))


@pytest.mark.parametrize("data", [b"k<<<" * 2000, b"(" * 50000, b"<<<" * 20000, b"{" * 20000 + b"cudaFree(0);"])
def test_deep_nesting_neither_crashes_nor_hangs(tables: Tables, data: bytes) -> None:
    assert convert_source(data, "x.cu", Context(tables)).data


def test_results_travel_between_processes(tables: Tables) -> None:
    conversion = convert_source(b"cudaGraphicsD3D9RegisterResource();", "x.cpp", Context(tables))
    assert conversion.diagnostics
    assert pickle.loads(pickle.dumps(conversion)) == conversion


@pytest.mark.parametrize(
    ("code", "made"),
    [
        ("#endif\n  ::cudaFree(p);\n", "::hipFree(p);"),
        ("#include <cstdio>\n::cudaError_t f();\n", "::hipError_t f();"),
        ("template <typename T>\n::cudaError_t f(T t);\n", "::hipError_t f(T t);"),
        ("#define FREE ::cudaFree\n", "#define FREE ::hipFree"),
        ("#define release ::cudaFree\n", "#define release ::hipFree"),
        ("#define release(p) ::cudaFree(p)\n", "#define release(p) ::hipFree(p)"),
        ("#define release own::cudaFree\n", "#define release own::cudaFree"),
        ("Box<int>::cudaStream_t s;\n", "Box<int>::cudaStream_t s;"),
    ],
)
def test_a_name_of_the_global_scope_is_cuda_s(code: str, made: str, tables: Tables) -> None:
    source = f"#include <cuda_runtime.h>\n#if 1\n{'' if code.startswith('#endif') else '#endif' + chr(10)}{code}"
    assert made in convert_source(source.encode(), "x.cu", Context(tables)).data.decode()
