"""Texture and surface objects: what files that include a declaration are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.project.request import Mode
from hipport.project.run import run
from hipport.translate.convert import convert_source
from tests.project.fake import build, request

_HEADER = "#pragma once\nstruct Linear { cudaSurfaceObject_t tex; cudaTextureObject_t fine; };\n"


@pytest.mark.parametrize(
    ("use", "found"),
    [
        ("cudaDestroyTextureObject(linear.tex);", True),
        ("cudaCreateTextureObject(&linear->tex, r, t, 0);", True),
        ("cudaDestroySurfaceObject(linear.fine);", True),
        ("cudaDestroyTextureObject(linear.fine);", False),
        ("cudaDestroySurfaceObject(linear.tex);", False),
        ("show<<<1, 1, 0, get(0)>>>(3, get(linear).tex);", True),
        ("show<<<1, 1, 0, get(0)>>>(3, linear.fine);", False),
        ("show<int><<<1, 1>>>\n(3, linear->tex);", True),
        ("other<<<1, 1>>>(3, linear.tex);", False),
        ("cudaTextureObject_t tex; cudaDestroyTextureObject(tex);", False),
    ],
)
def test_members_that_a_header_declares(tmp_path: Path, use: str, found: bool) -> None:
    between = '#pragma once\n#include "linear.h"\n'
    kernel = "__global__ void show(int n, cudaTextureObject_t object);\n"
    source = f'#include "between.h"\n{kernel}void f() {{ {use} }}\n'
    build(tmp_path, {"linear.h": _HEADER, "between.h": between, "a.cu": source})
    report = run(request(Mode.CHECK, tmp_path), lambda done, total: None, convert_source)
    assert [each.code for each in report.diagnostics if each.code == "HP237"] == ["HP237"] * found


@pytest.mark.parametrize(
    ("declared", "use", "found"),
    [
        ("struct Held { unsigned long long tex; };", "tex2D<float>(held.tex, 0, 0)", True),
        ("struct Held { uint64_t tex; };", "tex1Dfetch<float>(held.tex, 0)", True),
        ("__device__ float get(unsigned long long surf);", "surf1Dread<float>(surf, 0)", True),
        ("struct Held { cudaTextureObject_t tex; }; void f(size_t tex);", "tex2D<float>(held.tex, 0, 0)", False),
        ("struct Held { unsigned long long key; };", "tex2D<float>(held.tex, 0, 0)", False),
        ("struct Held { unsigned tex; };", "tex2D<float>(held.tex, 0, 0)", False),
    ],
)
def test_numbers_that_hold_objects(tmp_path: Path, declared: str, use: str, found: bool) -> None:
    build(tmp_path, {"a.cu": f"{declared}\n__global__ void k(Held held, float* o) {{ *o = {use}; }}\n"})
    report = run(request(Mode.CHECK, tmp_path), lambda done, total: None, convert_source)
    assert [each.code for each in report.diagnostics if each.code == "HP237"] == ["HP237"] * found
