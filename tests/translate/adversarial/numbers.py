"""CUDA kernels of functions of numbers at the edges of their types: one function, many operands.

An NVIDIA GPU is the oracle, as in warps.py. `number_functions.txt` has the functions, made of CUDA 13's headers, with
the units in the last place by which CUDA's manual lets the approximate ones be wrong. `python -m
tests.translate.adversarial.numbers SEED` prints a program with a tenth of them; `numbers.txt` has what a GPU printed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from tests.translate.adversarial.recorded import MAIN

RECORD = Path(__file__).with_name("numbers.txt")
FUNCTIONS = Path(__file__).with_name("number_functions.txt")
SEEDS = 10
"""Programs with other functions; further seeds give these other operands."""
OPERANDS = 1024
OWN_ULPS = 4
"""Allowed in addition for the other side of a comparison: AMD's functions have errors of their own."""
LISTED = 64
"""Operands of functions whose results are not all bits: the record has the results themselves."""


@dataclass(frozen=True, slots=True)
class Function:
    """A computation of CUDA code with operands `a`, `b` and so on; `ulps` is 0 if each bit is defined.

    `left_out` says that a diagnostic reports it for AMD GPUs (`!` in the table), or that results may differ (`?`): CUDA
    does not define them, they are only near in absolute terms, or HIP's are less precise.
    """

    result: str
    code: str
    operands: tuple[str, ...]
    ulps: int
    left_out: bool

    @property
    def count(self) -> int:
        return LISTED if self.ulps else OPERANDS


@dataclass(frozen=True, slots=True)
class Format:
    """The bits of a type: as integer, and those of the mantissa and of exponents near 1 if it has them."""

    spelling: str
    bits: int
    edges: tuple[int, ...]
    mantissa: int = 0
    exponent_one: int = 0


def _floats(spelling: str, bits: int, mantissa: int) -> Format:
    """Return a binary floating-point type with its edges: zeros, denormals, ones, ties, limits, infinities, NaNs."""
    bias = (1 << (bits - 2 - mantissa)) - 1
    one, top = bias << mantissa, (2 * bias + 1) << mantissa
    half_way = 1 << (mantissa - 1)
    positive = (
        0, 1, 2, (1 << mantissa) - 1, 1 << mantissa, one - (1 << mantissa), one - 1, one, one + 1, one + half_way,
        one + (1 << mantissa) + half_way // 2, one + (1 << mantissa) + half_way, one + (7 << mantissa) - 1,
        one + (15 << mantissa), top - (1 << mantissa), top - 1, top, top | half_way,
    )  # fmt: skip
    signed = (*positive, *(number | 1 << (bits - 1) for number in positive))
    wide = (
        one + (width << mantissa) - less | sign << (bits - 1)
        for width, less, sign in ((31, 0, 0), (31, 0, 1), (31, 1, 0), (32, 0, 0), (63, 0, 0), (63, 0, 1), (64, 1, 0))
        if bias > 64
    )
    return Format(spelling, bits, (*signed, *wide), mantissa, one)


def _integers(spelling: str, bits: int) -> Format:
    """Return an integer type with its edges."""
    top = 1 << (bits - 1)
    numbers = (0, 1, 2, 3, 5, 7, 31, 100, top - 1, top, top + 1, top // 2, top - 129 % top, 2 * top - 1, 2 * top - 2,
               2 * top - 7, 0x0123456789ABCDEF, 0xFF00FF007F807F80, 0x8000800080008000, 0xBFFFFF8000000001)  # fmt: skip
    return Format(spelling, bits, tuple(dict.fromkeys(number % (2 * top) for number in numbers)))


FORMATS = {
    "half": _floats("half", 16, 10),
    "bf16": _floats("__nv_bfloat16", 16, 7),
    "float": _floats("float", 32, 23),
    "double": _floats("double", 64, 52),
    "schar": _integers("signed char", 8),
    "uchar": _integers("unsigned char", 8),
    "short": _integers("short", 16),
    "ushort": _integers("unsigned short", 16),
    "int": _integers("int", 32),
    "unsigned": _integers("unsigned", 32),
    "long": _integers("long", 64),
    "ulong": _integers("unsigned long", 64),
    "ll": _integers("long long", 64),
    "ull": _integers("unsigned long long", 64),
}
PAIRS = {"half2": ("half2", "half", "half"), "bf162": ("__nv_bfloat162", "__nv_bfloat16", "bf16")}
"""Types of two numbers: their spelling, that of a number, and its name in the table."""
_WORDS = {8: "unsigned char", 16: "unsigned short", 32: "unsigned", 64: "unsigned long long"}

HEAD = """\
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

typedef signed char schar;
typedef unsigned char uchar;
typedef long long ll;
typedef unsigned long long ull;
typedef __nv_bfloat16 bf16;
typedef __nv_bfloat162 bf162;

__device__ ull mixed(ull x) {
  x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ull + 0x2545f4914f6cdd1dull;
  return (x ^ x >> 29) * 0xbf58476d1ce4e5b9ull;
}
template <typename To, typename From>
__device__ To as(From from) {
  static_assert(sizeof(To) == sizeof(From), "same bits");
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}
// Edges of all operands of a function with each other, then random bits and random numbers near 1.
template <typename Word>
__device__ Word chosen(const Word* edges, int count, int mantissa, ull one, int i, int position, int operands) {
  const bool paired = operands > 1;
  const int first = paired ? i % count : i, all = paired ? count * count : count;
  if (i < all && position == 0) return edges[first];
  if (i < all && position == 1) return edges[i / count];
  const ull random = mixed(mixed(i + SEED) + position);
  if (i < all) return edges[random % count];
  if (mantissa == 0) return (Word)(i % 2 ? random : (random >> (random & 63)));
  const ull top = (ull)1 << (8 * sizeof(Word) - 1), fraction = ((ull)1 << mantissa) - 1;
  const ull near = (random & (top | fraction)) | (one + (((random >> 56 & 15) - 7) << mantissa));
  const ull exponent = (top - 1) & ~fraction;
  const ull quiet = (random & exponent) == exponent ? (ull)1 << (mantissa - 1) : 0;
  return (Word)(i % 2 ? near : random | quiet);
}
template <typename T>
struct Operand;
template <typename T>
__device__ T operand(int i, int position, int operands) {
  return Operand<T>::at(i, position, operands);
}

// One bit pattern for all NaNs: their payload and sign are not defined.
template <typename T>
__device__ ull bits(T x) { return (ull)x; }
__device__ ull bits(float x) { return x != x ? 0x7fffffff : __float_as_uint(x); }
__device__ ull bits(double x) { return x != x ? 0x7fffffffffffffff : (ull)__double_as_longlong(x); }
__device__ ull bits(half x) { return __hisnan(x) ? 0x7fff : __half_as_ushort(x); }
__device__ ull bits(bf16 x) { return __hisnan(x) ? 0x7fff : __bfloat16_as_ushort(x); }
__device__ ull bits(half2 x) { return bits(__low2half(x)) | bits(__high2half(x)) << 16; }
__device__ ull bits(bf162 x) { return bits(__low2bfloat16(x)) | bits(__high2bfloat16(x)) << 16; }
__device__ ull bits(float2 x) { return bits(x.x) | bits(x.y) << 32; }

template <typename T>
__device__ T ranged(T x) { return x > -4 && x < 4 ? x : 1; }
__device__ float frexp_number(float x) { int n; return frexpf(x, &n); }
__device__ double frexp_number(double x) { int n; return frexp(x, &n); }
template <typename T>
__device__ int frexp_exponent(T x) {
  int n;
  frexp(x, &n);
  return isfinite(x) ? n : 0;
}
__device__ float modf_fraction(float x) { float whole; return modff(x, &whole); }
__device__ double modf_fraction(double x) { double whole; return modf(x, &whole); }
__device__ float modf_whole(float x) { float whole; modff(x, &whole); return whole; }
__device__ double modf_whole(double x) { double whole; modf(x, &whole); return whole; }
__device__ float remquo_rest(float x, float y) { int n; return remquof(x, y, &n); }
__device__ double remquo_rest(double x, double y) { int n; return remquo(x, y, &n); }
template <typename T>
__device__ int remquo_bits(T x, T y) {
  int n = 0;
  remquo(x, y, &n);
  return isfinite(x) && !isnan(y) && y != 0 ? n : 0;
}
__device__ float sincos_sine(float x) { float s, c; sincosf(x, &s, &c); return s; }
__device__ double sincos_sine(double x) { double s, c; sincos(x, &s, &c); return s; }
__device__ float sincos_cosine(float x) { float s, c; sincosf(x, &s, &c); return c; }
__device__ double sincos_cosine(double x) { double s, c; sincos(x, &s, &c); return c; }
__device__ float sincospif_sine(float x) { float s, c; sincospif(x, &s, &c); return s; }
__device__ double sincospi_sine(double x) { double s, c; sincospi(x, &s, &c); return s; }
__device__ float norm_of_three(float x, float y, float z) { const float all[3] = {x, y, z}; return normf(3, all); }
__device__ int vibmax_s32(int a, int b) { bool p; const int r = __vibmax_s32(a, b, &p); return r ^ p << 30; }
__device__ int vibmin_s32(int a, int b) { bool p; const int r = __vibmin_s32(a, b, &p); return r ^ p << 30; }
#define SINGLE(name)                                 \\
  __device__ unsigned name(unsigned a, unsigned b) { \\
    bool p;                                          \\
    const unsigned r = __##name(a, b, &p);           \\
    return r ^ p;                                    \\
  }
SINGLE(vibmax_u32)
SINGLE(vibmin_u32)
#define PAIRED(name)                                     \\
  __device__ unsigned name(unsigned a, unsigned b) {     \\
    bool high, low;                                      \\
    const unsigned r = __##name(a, b, &high, &low);      \\
    return r ^ (unsigned)high << 9 ^ (unsigned)low << 4; \\
  }
PAIRED(vibmax_s16x2)
PAIRED(vibmin_s16x2)
PAIRED(vibmax_u16x2)
PAIRED(vibmin_u16x2)
"""


def _function(line: str) -> Function:
    """Return what a line of the table says: `result name(types)` or `result code | types`, `~ulps`, with `!` or `?`."""
    head, _, ulps = line.lstrip("!?").partition(" ~")
    signature, _, types = head.partition(" | ")
    result, code = signature.split(" ", 1)
    if not types:
        name, _, listed = code.partition("(")
        types = listed.removesuffix(")").replace(",", "")
        code = f"{name}({', '.join('abcd'[: len(types.split())])})"
    return Function(result, code, tuple(types.split()), int(ulps or 0), line[0] in "!?")


def functions(seed: int) -> list[Function]:
    """Return the functions that the program of a seed calls."""
    return [_function(line) for line in FUNCTIONS.read_text().splitlines()[seed % SEEDS :: SEEDS]]


def differing(seed: int, expected: dict[int, str], found: dict[int, str]) -> list[str]:
    """Return the functions whose results are not those expected, within the errors that the manual allows."""
    every = [(number, of) for number, of in enumerate(functions(seed)) if not of.left_out]
    return [of.code for number, of in every if not _agree(of, expected[number], found.get(number, ""))]


def _agree(of: Function, expected: str, found: str) -> bool:
    if not of.ulps:
        return expected == found
    number = FORMATS[PAIRS[of.result][2] if of.result in PAIRS else of.result]
    given, made = ([*_numbers(result, number.bits, of.result in PAIRS)] for result in (expected, found))
    return len(given) == len(made) and all(_near(number, a, b, of.ulps) for a, b in zip(given, made, strict=True))


def _numbers(result: str, bits: int, paired: bool) -> Iterator[int]:
    """Yield the bits of the numbers that a program has listed; CUDA's status stands behind them."""
    for word in result.split()[:-1]:
        yield int(word, 16) & ((1 << bits) - 1)
        if paired:
            yield int(word, 16) >> bits


def _near(number: Format, expected: int, found: int, ulps: int) -> bool:
    """Compare numbers: NaN with NaN, others by how many numbers are between them."""
    nan = (1 << (number.bits - 1)) - 1
    if nan in (expected, found):
        return expected == found
    return abs(_place(number, expected) - _place(number, found)) <= ulps + OWN_ULPS


def _place(number: Format, word: int) -> int:
    sign = 1 << (number.bits - 1)
    return -(word - sign) if word & sign else word


def _operand(each: Format) -> str:
    word, name = _WORDS[each.bits], re.sub(r"\W", "_", each.spelling)
    edges = ", ".join(f"{number:#x}{'u' * (each.bits > 16)}{'ll' * (each.bits > 32)}" for number in each.edges)
    return (
        f"__constant__ {word} edges_of_{name}[] = {{{edges}}};\ntemplate <>\nstruct Operand<{each.spelling}> {{\n"
        f"  static __device__ {each.spelling} at(int i, int position, int operands) {{\n"
        f"    return as<{each.spelling}>(chosen(edges_of_{name}, {len(each.edges)}, {each.mantissa}, "
        f"{each.exponent_one:#x}, i, position, operands));\n  }}\n}};"
    )


def _pair(pair: str, of: str) -> str:
    return (
        f"template <>\nstruct Operand<{pair}> {{\n  static __device__ {pair} at(int i, int position, int operands) {{\n"
        f"    return {pair}(operand<{of}>(i, position, operands), "
        f"operand<{of}>({OPERANDS - 1} - i, 1 - position, operands));\n  }}\n}};"
    )


def _kernel(number: int, of: Function) -> Iterator[str]:
    yield f"__global__ void kernel{number}(ull* out) {{\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;"
    for position, operand in enumerate(of.operands):
        yield f"  const {operand} {'abcd'[position]} = operand<{operand}>(i, {position}, {len(of.operands)});"
    yield f"  out[i] = bits(({of.result})({of.code}));\n}}"


def _call(seed: int, number: int, of: Function) -> str:
    print_ = "list" if of.ulps else "show"
    return f'  {print_}<ull>("{seed}.{number}", kernel{number}, 64, {of.count}, {of.count // 64});'


def program(seed: int, everything: bool = False) -> str:
    """Return a program that prints what each function's results hash to, or are; all of them if asked for."""
    made = [(number, of) for number, of in enumerate(functions(seed)) if everything or not of.left_out]
    types = chain(map(_operand, FORMATS.values()), (_pair(*each[:2]) for each in PAIRS.values()))
    kernels = chain.from_iterable(_kernel(*each) for each in made)
    calls = "\n".join(_call(seed, *each) for each in made)
    return "\n".join((f"#define SEED {seed * OPERANDS}", HEAD, *types, *kernels, MAIN, f"int main() {{\n{calls}\n}}\n"))


if __name__ == "__main__":
    print(program(int(sys.argv[1]), everything=True))
