"""Casts to integers of 8 and 16 bits on the CPU target."""

from __future__ import annotations

import pytest

from hipport.translate.for_cpu.convert import standard_cxx


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("(unsigned char)x", " ::hipport::cpu::narrow<unsigned char>(x)"),
        ("(uint8_t)(x * 2)", " ::hipport::cpu::narrow<uint8_t>((x * 2))"),
        ("(short)-x[1].y", " ::hipport::cpu::narrow<short>(-x[1].y)"),
        ("-(char)f(x) * 2", "- ::hipport::cpu::narrow<char>(f(x)) * 2"),
        ("(int)(unsigned char)x", "(int) ::hipport::cpu::narrow<unsigned char>(x)"),
        ("(signed char)(short)x", " ::hipport::cpu::narrow<signed char>( ::hipport::cpu::narrow<short>(x))"),
        ("static_cast<unsigned short>(x)", "::hipport::cpu::narrow<unsigned short>(x)"),
        ("static_cast<std::int16_t>(x)", "::hipport::cpu::narrow<std::int16_t>(x)"),
        ("(int)x", "(int)x"),
        ("(unsigned char*)x", "(unsigned char*)x"),
        ("static_cast<char*>(x)", "static_cast<char*>(x)"),
        ("(char)'a' + (short)3", "(char)'a' + (short)3"),
        ("sizeof(char) * x", "sizeof(char) * x"),
    ],
)
def test_casts(code: str, expected: str) -> None:
    source = "__global__ void k() {{ y = {}; }}\n"
    data = standard_cxx(source.format(code).encode(), "a.hip").decode()
    assert data == standard_cxx(source.format("0").encode(), "a.hip").decode().replace("y = 0", f"y = {expected}")


@pytest.mark.parametrize(
    ("function", "changed"),
    [
        ("__device__ char f(float x)", True),
        ("__host__ __device__ inline char f(float x)", True),
        ("template <typename T> __global__ void f(T x)", True),
        ("char f(float x)", False),
        ("inline char f(float x)", False),
    ],
)
def test_only_device_functions_need_hips_headers(function: str, changed: bool) -> None:
    data = standard_cxx(f"{function} {{ y = (char)x + static_cast<short>(x); }}\n".encode(), "a.h").decode()
    assert data.count("::hipport::cpu::narrow<") == (2 if changed else 0)


@pytest.mark.parametrize("kind", ["char", "uchar", "short", "uint8_t"])
@pytest.mark.parametrize(
    "rest", ["(*row)[5] = rows;", "(*f)(int) = g;", "(&r)[4] = rows;", "(x) = 3;", "(*p);", "(*rows[4])[2];"]
)
@pytest.mark.parametrize("front", ["", "int i; ", "if (n) { ", "for (;;) { "])
def test_declarations_in_parentheses_are_no_casts(front: str, rest: str, kind: str) -> None:
    source = f"__global__ void k(int n) {{ {front}{kind} {rest} {'}' * front.count('{')} }}\n"
    assert "narrow" not in standard_cxx(source.encode(), "a.hip").decode()


def test_a_cast_within_a_statement_is_rewritten() -> None:
    source = "__global__ void k(float x) { int y; y = uchar(x); f(uchar(x)); return g(1, short(x + 1)); }\n"
    assert standard_cxx(source.encode(), "a.hip").decode().count("::hipport::cpu::narrow<") == 3
