"""Copies of CUDA's own headers give way to HIP's; projects' headers of the same names stay."""

from __future__ import annotations

import pytest

from hipport.mappings.tables import Tables
from hipport.translate.context import Context
from hipport.translate.convert import check_source, convert_source

LICENSE = "/*\n * Copyright 1993-2018 NVIDIA Corporation.  All rights reserved.\n *\n * NOTICE TO LICENSEE:\n */\n"
TYPES = "#if !defined(__VECTOR_TYPES_H__)\n#define __VECTOR_TYPES_H__\nstruct float2 { float x; float y; };\n#endif\n"
FLAGS = "#ifndef __HOST_DEFINES_H__\n#define __HOST_DEFINES_H__\n#define __host__\n#endif\n"


@pytest.mark.parametrize(
    ("name", "text", "header"),
    [
        ("third/vector_types.h", TYPES, "hip/hip_runtime.h"),
        ("third/crt/host_defines.h", FLAGS, "hip/hip_runtime.h"),
        ("cuComplex.h", TYPES.replace("__VECTOR_TYPES_H__", "CU_COMPLEX_H_"), "hip/hip_complex.h"),
    ],
)
def test_a_copy_includes_the_header_of_hip(name: str, text: str, header: str, tables: Tables) -> None:
    data = (LICENSE + text).encode()
    converted = convert_source(data, name, Context(tables))
    lines = converted.data.decode().splitlines()
    assert [line for line in lines if line.startswith("#")] == ["#pragma once", f"#include <{header}>"]
    assert [found.code for found in converted.diagnostics] == ["HP108"]
    assert check_source(data, name, Context(tables)).data == data
    assert convert_source(converted.data, name, Context(tables)).data == converted.data


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("vector_types.h", TYPES),  # a project's stand-in for CUDA
        ("vector_types.h", LICENSE + TYPES.replace("__VECTOR_TYPES_H__", "PROJECT_TYPES_H")),
        ("my_vector_types.h", LICENSE + TYPES.replace("__VECTOR_TYPES_H__", "MY_VECTOR_TYPES_H")),
    ],
)
def test_other_headers_stay(name: str, text: str, tables: Tables) -> None:
    assert b"struct float2" in convert_source(text.encode(), name, Context(tables)).data


def test_lines_end_as_in_the_copy(tables: Tables) -> None:
    data = (LICENSE + TYPES).replace("\n", "\r\n").encode()
    assert convert_source(data, "vector_types.h", Context(tables)).data.count(b"\r\n") == 3
