"""A guard contains a whole declaration or none of it, whatever precedes its name."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from hipport.diagnostics import Severity
from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.conversion import Conversion
from hipport.translate.convert import convert_source
from tests.translate.passes.guarded import FOREIGN, HEADER, Piece, pieces, tokens, without_guarded

FIRST_OVERLOAD = "const char* text(cudaError_t e) { return 0; }\n"
NAMES = {"cudaError_t": "hipError_t", "CUresult": "hipError_t"}
PRODUCT = "float2 operator*(float2 a, float2 b)"
BODY = "{ return make_float2(a.x * b.x, a.y * b.y); }"
OTHER = "{ return make_float2(a.x * b.y, a.y * b.x); }"


def converted(text: str, tables: Tables) -> Conversion:
    return convert_source(text.encode(), "x.cuh", Context(tables))


def made(kind: str, seed: int, count: int = 6) -> list[Piece]:
    before = FIRST_OVERLOAD if kind == "overload" else ""
    return [Piece(HEADER + before), *pieces(random.Random(f"{kind} {seed}"), kind, count)]


def words(text: str) -> list[str]:
    """Return the tokens after the includes, with HIP's names."""
    return [NAMES.get(word, word) for word in tokens(text.partition('#include "macros.h"')[2] or text)]


def codes(conversion: Conversion) -> list[tuple[str, str]]:
    found = ((each.code, each.severity.value) for each in conversion.diagnostics)
    return [each for each in found if each[0] in ("HP109", "HP110", "HP111")]


@pytest.mark.parametrize("kind", ["operator", "atomic"])
@pytest.mark.parametrize("seed", range(20))
def test_the_whole_declaration_is_left_out(kind: str, seed: int, tables: Tables) -> None:
    parts = made(kind, seed)
    conversion = converted("".join(part.text for part in parts), tables)
    seen, hidden = without_guarded(conversion.data.decode())
    assert words(seen) == words("".join(part.text for part in parts if not part.guarded))
    assert tokens("".join(hidden)) == tokens(" ".join(part.text for part in parts if part.guarded))
    assert not [each for each in codes(conversion) if each[1] == Severity.ERROR.value]


def test_overloads_are_left_out_whole_or_not_at_all(tables: Tables) -> None:
    """At least 95% of the overloads are left out: those that the grammar recognizes."""
    taken = total = 0
    for seed in range(40):
        for function in (part for part in made("overload", seed, 2) if part.guarded):
            _, hidden = without_guarded(converted(HEADER + FIRST_OVERLOAD + function.text, tables).data.decode())
            assert hidden == [] or words(hidden[0]) == words(function.text)
            taken, total = taken + len(hidden), total + 1
    assert taken >= 0.95 * total


UNCLEAR = {
    "a macro that may be a statement": f"UNHEARD_OF\n__device__ {PRODUCT} {BODY}\n",
    "a macro with arguments that may be one": f"unheard_of(1)\n__device__ {PRODUCT} {BODY}\n",
    "a signature in two branches": f"#if X\n__device__ {PRODUCT}\n#else\n__host__ {PRODUCT}\n#endif\n{BODY}\n",
    "a body in two branches": f"__device__ {PRODUCT}\n#if X\n{BODY}\n#else\n{OTHER}\n#endif\n",
    "a declaration in a branch of what is in front": f"#if X\nstatic\n#else\nint a; inline\n#endif\n{PRODUCT} {BODY}\n",
    "a condition that goes on": f"#if X\ninline\n{PRODUCT} {{\n#else\n{{\n#endif\n{BODY[1:]}\n",
    "a macro that is defined inside": f"__device__ {PRODUCT} {{\n#define INSIDE 1\n{BODY[1:]}\n",
    "an argument of a macro": f"WRAPPED(__device__ {PRODUCT} {BODY})\n",
}


@pytest.mark.parametrize("case", UNCLEAR)
def test_what_cannot_be_left_out_whole_is_reported(case: str, tables: Tables) -> None:
    conversion = converted(f"#include <cuda_runtime.h>\n{UNCLEAR[case]}", tables)
    assert without_guarded(conversion.data.decode())[1] == []
    assert ("HP109", "error") in codes(conversion)


def test_unclear_functions_are_reported(tables: Tables) -> None:
    atomic = "UNHEARD_OF\n__device__ float atomicMax(float* p, float v) { return v; }\n"
    overload = FIRST_OVERLOAD + "UNHEARD_OF\nconst char* text(CUresult e) { return 0; }\n"
    for text, code in ((atomic, "HP111"), (overload, "HP110")):
        conversion = converted(f"#include <cuda.h>\n{text}", tables)
        assert (without_guarded(conversion.data.decode())[1], codes(conversion)) == ([], [(code, "error")])


MACROS = {
    "of one type": (f"#define SUMS inline {PRODUCT} {OTHER}\nSUMS\n", True),
    "that do what HIP's do": (f"#define SUMS inline {PRODUCT} {BODY}\nSUMS\n", False),
    "for symbols": ("#define OP(op) inline float2 operator op(float2 a, float2 b) { return a; }\nOP(*)\nOP(-)\n", True),
    "for types": ("#define OPS(T) T operator+=(T &a, const T &b) { return a; }\nOPS(float4)\n", True),
    "for other types": ("#define OPS(T) T operator+=(T &a, const T &b) { return a; }\nOPS(Mine)\n", False),
    "for other symbols": ("#define OP(op) float2 operator op(float2 a, float2 b) { return a; }\nOP(%)\n", False),
    "with a number": ("#define SCALED float2 operator*(float2 a, float s) { return a; }\nSCALED\n", False),
}


@pytest.mark.parametrize("case", MACROS)
def test_macros_that_define_operators_are_reported(case: str, tables: Tables) -> None:
    text, reported = MACROS[case]
    assert codes(converted(f"#include <cuda_runtime.h>\n{text}", tables)) == [("HP109", "error")] * reported


NEAR_MISSES = (
    "template <typename T> __device__ float2 operator+(float2 a, float2 b) { return a; }\n",
    "__device__ float2 operator+(float2 a, float b) { return a; }\n",
    "float2 f(float2 a, float2 b) { return operator+(a, b); }\n",
    "struct M { M operator+(M a); };\n",
    "#ifdef __HIP_PLATFORM_NVIDIA__\n" + PRODUCT + BODY + "\n#endif\n",
)


@pytest.mark.parametrize("text", NEAR_MISSES)
def test_others_stay(text: str, tables: Tables) -> None:
    conversion = converted(text, tables)
    assert (without_guarded(conversion.data.decode())[1], codes(conversion)) == ([], [])


def test_prototypes_of_what_does_something_else_stay(tables: Tables) -> None:
    conversion = converted(f"{PRODUCT};\n__device__ {PRODUCT} {OTHER}\nfloat2 operator-(float2, float2);\n", tables)
    assert [tokens(text)[1] for text in without_guarded(conversion.data.decode())[1]] == ["operator"]
    assert codes(conversion) == [("HP109", "error")]


USES = """
__device__ void use(float2 *p) { p[0] = p[1] + p[2]; p[0] += p[1]; p[0] *= p[1]; (void)(p[0] == p[1]); }
void use_on_the_host(float2 *p) { p[0] = p[1] - p[2]; p[0] -= p[1]; p[0] /= p[1]; (void)(p[0] != p[1]); }
"""


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.parametrize("kind", ["operator", "atomic", "overload"])
def test_what_is_left_compiles(kind: str, tables: Tables, tmp_path: Path) -> None:
    (tmp_path / "macros.h").write_text(FOREIGN)
    for seed in range(2):
        count = 40 if kind == "operator" else 1
        text = "".join(part.text for part in made(kind, 1000 + seed, count))
        text = text.replace("return name(e)", "return 0")
        data = convert_source((text + USES).encode(), "x.cu", Context(tables)).data
        (tmp_path / f"{seed}.hip").write_bytes(data)
    command = ["hipcc", "--offload-arch=gfx90a", "-fsyntax-only", "-w", "-std=c++17", *(f"{n}.hip" for n in range(2))]
    environment = {**os.environ, "HIP_PLATFORM": "amd"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
