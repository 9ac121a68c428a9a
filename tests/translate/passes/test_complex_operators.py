"""Operators of CUDA's complex numbers, which are vectors with operators of their own in HIP: types x bodies."""

from __future__ import annotations

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

TYPES = {"cuComplex": "f", "cuFloatComplex": "f", "cuDoubleComplex": "", "cufftComplex": "f"}
SAME = (
    "a = cuC{word}{f}(a, b); return a;",
    "return a = cuC{word}{f}(a, b);",
    "a.x {sign}= b.x; a.y {sign}= b.y; return a;",
    "a = make_{type}(cuCreal{f}(a) {sign} cuCreal{f}(b), cuCimag{f}(a) {sign} cuCimag{f}(b)); return a;",
    "a = make_{type}(a.x {sign} b.x, a.y {sign} b.y); return a;",
)
OTHER = (
    "a = cuCmul{f}(a, b); return a;",
    "a = cuC{word}{f}(b, b); return a;",
    "a.x {sign}= b.x; a.y {sign}= b.x; return a;",
    "a.x {sign} b.x; a.y {sign} b.y; return a;",
    "a = make_{type}(cuCreal{f}(a) {sign} cuCreal{f}(b), cuCreal{f}(a) {sign} cuCimag{f}(b)); return a;",
    "return a = a * b;",
)


def codes(tables: Tables, text: str) -> tuple[list[str], bool]:
    made = convert_source(text.encode(), "a.cu", Context(tables))
    return [each.code for each in made.diagnostics], b"__HIP_PLATFORM_AMD__" in made.data


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize(("word", "sign"), [("add", "+"), ("sub", "-")])
def test_bodies(tables: Tables, kind: str, word: str, sign: str) -> None:
    for bodies, expected in ((SAME, ([], True)), (OTHER, (["HP109"], False))):
        for form in bodies:
            body = form.format(word=word, sign=sign, type=kind, f=TYPES[kind])
            text = f"__device__ {kind} &operator{sign}=({kind} &a, const {kind} &b) {{ {body} }}\n"
            assert codes(tables, text) == expected, body


@pytest.mark.parametrize("kind", TYPES)
def test_products_and_what_hip_declares_as_templates(tables: Tables, kind: str) -> None:
    f = TYPES[kind]
    product = f"__device__ {kind} operator*({kind} a, {kind} b) {{ return cuCmul{f}(a, b); }}\n"
    assert codes(tables, product) == (["HP109"], False)
    for alias in ("typedef {0} C;\n", "using C = ::{0};\n"):
        for name, head in (("C", alias.format(kind)), (kind, "")):
            plus = f"{head}__device__ {name} operator+({name} a, {name} b) {{ return cuCadd{f}(a, b); }}\n"
            assert codes(tables, plus) == ([], True)
            other = f"{head}__device__ bool operator==(const {name}& a, const {name}& b) {{ return a.x == b.x; }}\n"
            assert codes(tables, other) == (["HP109"], False)
    for text in (
        f"__device__ {kind} operator*({kind} a, float b) {{ a.x *= b; a.y *= b; return a; }}\n",
        f"__device__ {kind} &operator+=({kind} &a, float b) {{ a.x += b; return a; }}\n",
    ):
        assert codes(tables, text) == ([], False)
