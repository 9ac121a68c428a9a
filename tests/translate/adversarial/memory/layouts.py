"""Structs of random members: their layout on host and device, as arguments, symbols and in memory."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tests.translate.adversarial.fields import Case

HEAD = """\
#include <cstddef>
#include <cuComplex.h>
#include <cuda_fp8.h>
struct Empty {};
struct Inner {
  char a;
  double b;
};
struct __align__(8) Aligned {
  short a;
};
template <typename T>
struct Pair {
  T a;
  char b;
};
"""

_SCALARS = ("char", "uchar", "short", "int", "long", "long long", "float", "double", "bool", "void*", "size_t")
_NUMBERS = ("char", "uchar", "short", "ushort", "int", "uint", "float")
_WIDE = ("long", "ulong", "longlong", "ulonglong", "double")
_VECTORS = tuple(
    f"{kind}{count}"
    for kind in (*_NUMBERS, *_WIDE)
    for count in (1, 2, 3, 4)
    if count < 4 or kind in _NUMBERS  # CUDA 13 deprecates the others
)
_SPECIAL = ("half", "half2", "__nv_bfloat16", "__nv_bfloat162", "__nv_fp8_e4m3", "__nv_fp8x2_e5m2", "cuFloatComplex",
            "cuDoubleComplex", "dim3", "Inner", "Aligned", "Pair<short>", "Pair<float4>", "Empty", "cudaExtent",
            "cudaPos")  # fmt: skip
_PADDED = ("Inner", "Aligned", "Pair<short>", "Pair<float4>", "Empty")
_QUALIFIERS = ("", "", "", "", "__align__(16) ", "alignas(32) ", "__align__(4) ")


class _Struct:
    """Makes the members of a struct: their declarations, and the names whose place can be asked for."""

    def __init__(self, choose: random.Random):
        self.choose, self.names, self.without_padding = choose, list[str](), list[str]()

    def members(self) -> Iterator[str]:
        for number in range(self.choose.randint(3, 8)):
            kind = self.choose.choice((self.choose.choice(_SCALARS), self.choose.choice(_VECTORS),
                                       self.choose.choice(_SPECIAL)))  # fmt: skip
            if self.choose.random() < 0.2:
                width = self.choose.randint(1, 12)
                yield f"  {self.choose.choice(('unsigned', 'int', 'unsigned short'))} m{number} : {width};"
                continue
            self.names.append(f"m{number}")
            if kind not in _PADDED:
                self.without_padding.append(f"m{number}")
            array = self.choose.choice(("", "", "", "[2]", "[3]", "[2][3]"))
            # An alignment below the type's own is refused by C++, and CUDA's and GCC's differ about it.
            aligned = self.choose.choice(_QUALIFIERS) if kind in _SCALARS[:7] else ""
            if aligned == "__align__(4) " and kind not in ("char", "uchar", "short", "int", "float"):
                aligned = ""
            yield f"  {aligned}{kind} m{number}{array};"


def layouts(choose: random.Random, number: int) -> Case:
    """Return a case of a struct's sizes and places on both sides, and of its bytes by value and as a symbol."""
    made = _Struct(choose)
    members = "\n".join(made.members())
    name, base = f"Struct{number}", choose.choice(("", "", " : Inner", " : Empty"))
    of_all = ["sizeof(S)", "alignof(S)", *(f"offsetof(S, {member})" for member in made.names),
              *(f"alignof(decltype(S::{member}))" for member in made.names)]  # fmt: skip
    device = " ".join(f"out[{i}] = {expression};" for i, expression in enumerate(of_all))
    compared = "\n".join(
        f"  for (size_t i = offsetof(S, {member}); i < offsetof(S, {member}) + sizeof s.{member}; ++i)\n"
        f"    if (bytes[i] != held{number}[i]) sum += 256;"
        for member in made.without_padding
    )
    declared = (
        f"struct {choose.choice(('', '', '__align__(16) '))}{name}{base} {{\n{members}\n}};\n"
        f"__constant__ uchar held{number}[sizeof({name})];\n"
        f"__global__ void places{number}(ull* out, int before, {name} s, {choose.choice(_SCALARS)} after) {{\n"
        f"  typedef {name} S;\n  {device}\n  const uchar* bytes = (const uchar*)&s;\n  ull sum = before;\n{compared}\n"
        f"  out[{len(of_all)}] = sum + (ull)(size_t)after; }}"
    )
    lines = [
        f"typedef {name} S; ull host[] = {{{', '.join(of_all)}}}; S s; uchar bytes[sizeof(S)];",
        "for (size_t i = 0; i < sizeof(S); ++i) bytes[i] = (uchar)(i * 7 + 1); memcpy((void*)&s, bytes, sizeof s);",
        f"cudaMemcpyToSymbol(held{number}, bytes, sizeof bytes);",
        f"ull* out; cudaMallocManaged(&out, {len(of_all) + 1} * 8);",
        f"places{number}<<<1, 1>>>(out, 5, s, 0); put(cudaDeviceSynchronize());",
        f"for (int i = 0; i < {len(of_all)}; ++i) {{ put(host[i]); if (out[i] != host[i]) put(out[i] + 0xd0000); }}",
        f"put(out[{len(of_all)}]); cudaFree(out);",
    ]
    return Case(lines, declared)
