"""Host code that calls overloaded math functions at file scope gets <math.h>, which nvcc includes."""

from __future__ import annotations

import pytest

from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.translate.context import Context, Options
from hipport.translate.convert import convert_source

KERNEL = "#include <cuda_runtime.h>\n__global__ void kernel() {}\n"
ONE = (
    "acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 fabs floor lgamma log log10 log1p "
    "log2 logb nearbyint rint round signbit sin sinh sqrt tan tanh tgamma trunc"
)
TWO = "atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder"
CALLS = (
    *(f"{name}(x)" for name in ONE.split()),
    *(f"{name}(x, y)" for name in TWO.split()),
    *(
        "fma(x, y, x)",
        "frexp(x, &i)",
        "ldexp(x, i)",
        "modf(x, &y)",
        "remquo(x, y, &i)",
        "scalbln(x, 2l)",
        "scalbn(x, i)",
    ),
)
HOSTS = ("float f(float x, float y, int i) { return CALL; }", "#define F(x, y, i) CALL")
OTHERS = (
    "__device__ float f(float x, float y, int i) { return CALL; }",
    "float f(float x, float y, int i) { return std::CALL; }",
    "using namespace std;\nfloat f(float x, float y, int i) { return CALL; }",
    "float f(Own own, float x, float y, int i) { return own.CALL; }",
)


def includes_math(text: str) -> bool:
    context = Context(load_choice(NameChoice()), Options())
    return b"#include <math.h>" in convert_source((KERNEL + text).encode(), "a.cu", context).data


@pytest.mark.parametrize("host", HOSTS)
def test_host_code_gets_the_header(host: str) -> None:
    assert [call for call in CALLS if not includes_math(host.replace("CALL", call))] == []


@pytest.mark.parametrize("other", OTHERS)
def test_other_code_does_not(other: str) -> None:
    assert [call for call in CALLS[::7] if includes_math(other.replace("CALL", call))] == []


def test_a_file_without_device_code_does_not() -> None:
    context = Context(load_choice(NameChoice()), Options())
    assert b"math.h" not in convert_source(b"float f(float x) { return sqrt(x); }", "a.cpp", context).data
