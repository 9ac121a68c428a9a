"""Kernels that read and write memory: cache hints, vectors, bytes, local arrays, shared memory, bit fields, unions."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from tests.translate.adversarial.fields import Case

HEAD = """\
#include <cstdint>
__device__ inline ull taken(ull sum, ull x) { return mixed(sum ^ x); }
template <typename T>
__device__ ull taken_bytes(ull sum, const T& x) {
  const uchar* bytes = (const uchar*)&x;
  for (size_t i = 0; i < sizeof(T); ++i) sum = (sum ^ bytes[i]) * 1099511628211ull;
  return sum;
}
union Views {
  ull whole;
  unsigned words[2];
  unsigned short halves[4];
  signed char bytes[8];
  double number;
  float numbers[2];
};
"""

_VECTORS = (
    "char", "signed char", "short", "int", "long long", "uchar", "unsigned short", "unsigned", "ull", "float", "double",
    "char2", "char4", "short2", "short4", "int2", "int4", "longlong2", "uchar2", "uchar4", "ushort2", "ushort4",
    "uint2", "uint4", "ulonglong2", "float2", "float4", "double2",
)  # fmt: skip
"""Types that the functions with cache hints take."""
_PLAIN = (*_VECTORS, "char1", "char3", "uchar3", "short3", "ushort1", "int3", "uint3", "float1", "float3", "double1",
          "long2", "ulong1", "longlong1", "ulonglong3", "double3")  # fmt: skip
_LOADS = ("__ldg", "__ldcg", "__ldca", "__ldcs", "__ldlu", "__ldcv")
_STORES = ("__stwb", "__stcg", "__stcs", "__stwt")
_NUMBERS = ("uchar", "signed char", "short", "unsigned short", "int", "unsigned", "long long", "ull", "float", "double")


class _Kernel:
    """Writes statements of a kernel: `in` has 16,384 bytes, `out` as many; `sum` is a thread's result."""

    def __init__(self, choose: random.Random):
        self.choose, self.names = choose, 0

    def one(self, *of: str) -> str:
        return self.choose.choice(of)

    def hints(self) -> Iterator[str]:
        kind = self.one(*_VECTORS)
        yield f"const {kind} x = {self.one(*_LOADS)}((const {kind}*)in + {self.one('t', '(t * 5) % 256', '255 - t')});"
        yield "sum = taken_bytes(sum, x);"

    def stores(self) -> Iterator[str]:
        kind = self.one(*_VECTORS)
        yield f"const {kind} x = ((const {kind}*)in)[(t * {self.one('3', '7')}) % 256];"
        yield f"{self.one(*_STORES)}(({kind}*)(out + {self.choose.randrange(3)} * 4096) + t, x); __syncthreads();"

    def vectors(self) -> Iterator[str]:
        kind = self.one(*_PLAIN)
        yield f"const {kind} x = *((const {kind}*)in + (t + {self.choose.randrange(99)}) % 256);"
        yield f"{kind} y[3] = {{x, x, ((const {kind}*)in)[t]}}; y[t % 3] = ((const {kind}*)in)[t ^ 1];"
        yield "sum = taken_bytes(sum, y[(t >> 1) % 3]);"

    def permutes(self) -> Iterator[str]:
        yield "const unsigned* words = (const unsigned*)in;"
        selector = self.one("words[t + 9]", "0x5410", "0x3276", "t", "0x9ab8", "0xcdef")
        mode = self.one("b32", "b32.f4e", "b32.b4e", "b32.rc8", "b32.ecl", "b32.ecr", "b32.rc16")
        yield self.one(
            f"sum = taken(sum, __byte_perm(words[t], words[t + 1], {selector}));",
            "sum = taken(sum, __funnelshift_l(words[t], words[t + 3], words[t + 5]));",
            "sum = taken(sum, __funnelshift_rc(words[t], words[t + 3], words[t + 5] & 63));",
            f'unsigned r; asm("prmt.{mode} %0, %1, %2, %3;" : "=r"(r) : "r"(words[t]), "r"(words[t + 2]), '
            f'"r"({selector})); sum = taken(sum, r);',
        )

    def copies(self) -> Iterator[str]:
        kind, at = self.one("int", "double", "float3", "uint4", "ull", "short"), self.choose.randrange(1, 16)
        yield f"{kind} x; memcpy(&x, in + {at} + t * {self.one('1', '3', '13')}, sizeof x); sum = taken_bytes(sum, x);"
        yield f"memcpy(out + 8192 + t * 17 + {at % 3}, &x, sizeof(x) < 17 ? sizeof(x) : 17);"

    def local(self) -> Iterator[str]:
        kind, count = self.one(*_NUMBERS), self.choose.choice((3, 8, 20, 65))
        yield f"{kind} kept[{count}]; for (int i = 0; i < {count}; ++i) kept[i] = ({kind})(in[t + i] + i);"
        order = self.one(f"(i * 3 + t) % {count}", f"({count} - 1 - i)", f"in[t + i] % {count}")
        yield f"for (int i = 0; i < {count}; ++i) {{ {kind}& a = kept[{order}]; a = ({kind})(a + kept[i]); }}"
        yield f"for (int i = 0; i < {count}; ++i) sum = taken_bytes(sum, kept[i]);"

    def matrix(self) -> Iterator[str]:
        kind = self.one("int", "float", "uchar", "short4", "double")
        yield f"{kind} rows[4][5]; {kind}(*row)[5] = rows; memset(rows, t, sizeof rows);"
        yield f"for (int i = 0; i < 4; ++i, ++row) (*row)[(t + i) % 5] = ((const {kind}*)in)[t + i];"
        yield f"for (int i = 0; i < 20; ++i) sum = taken_bytes(sum, ((const {kind}*)rows)[i]);"

    def carved(self) -> Iterator[str]:
        first, second = self.one("double", "ull", "int4"), self.one("short", "uchar", "float", "int3")
        yield f"extern __shared__ {self.one('', '__align__(16) ')}uchar pool[]; __syncthreads();"
        yield f"{first}* a = ({first}*)pool; {second}* b = ({second}*)(a + blockDim.x);"
        yield f"a[t] = (({first} const*)in)[t]; b[t] = (({second} const*)in)[t + 2]; __syncthreads();"
        yield "sum = taken_bytes(sum, a[(t + 1) % blockDim.x]); sum = taken_bytes(sum, b[t ^ 3]); __syncthreads();"

    def shared(self) -> Iterator[str]:
        kind = self.one("uchar", "short", "int", "double", "float4", "Views", "char3")
        yield f"__shared__ {kind} rows[8][33]; rows[t / 32][t % 32] = ((const {kind}*)in)[t]; __syncthreads();"
        yield "sum = taken_bytes(sum, rows[(t * 5) % 8][(t / 8) % 32]); __syncthreads();"

    def bits(self) -> Iterator[str]:
        widths = [self.choose.randint(1, 17) for _ in range(4)]
        kinds = [self.one("unsigned", "int", "ull", "short") for _ in widths]
        widths = [min(width, 15) if kind == "short" else width for width, kind in zip(widths, kinds, strict=True)]
        extra = self.one("", "uchar z; ", "unsigned : 0; ")
        fields = " ".join(f"{kind} m{i} : {width};" for i, (kind, width) in enumerate(zip(kinds, widths, strict=True)))
        yield f"struct Fields {{ {fields} {extra}unsigned last : 7; }} f; memcpy(&f, in + t * 4, sizeof f);"
        yield f"f.m1 = f.m1 + t; f.last ^= in[t]; f.m{self.choose.randrange(4)} = -1 - t; f.m3++;"
        yield "sum = taken(sum, (ull)(long long)f.m0 + 3 * (ull)(long long)f.m1 + 7 * (ull)(long long)f.m2);"
        yield "sum = taken(sum, (ull)(long long)f.m3 * 5 + f.last + sizeof f);"

    def unions(self) -> Iterator[str]:
        yield "Views v; v.whole = ((const ull*)in)[t];"
        yield self.one(
            "v.bytes[t % 8] += 3; v.halves[1] ^= v.halves[2];", "v.words[1] = __brev(v.words[0]);",
            "v.number = (double)v.words[0] / 3;", "v.numbers[t & 1] = (float)v.bytes[2];",
            "v.halves[t & 3] = (unsigned short)v.bytes[7];",
        )  # fmt: skip
        yield "sum = taken(sum, v.whole);"

    def pointers(self) -> Iterator[str]:
        kind = self.one("const uchar*", "const short*", "const int4*")
        yield f"{kind} p = ({kind})in + t; {kind} q = ({kind})(in + 4096);"
        yield "const uchar* table[3] = {in, in + 64, in + 128};"
        yield "sum = taken(sum, (ull)(q - p)); sum = taken(sum, table[t % 3][t]); sum = taken(sum, p < q);"

    def statements(self, count: int) -> Iterator[str]:
        kinds: Sequence[Callable[[], Iterator[str]]] = (
            self.hints, self.hints, self.stores, self.vectors, self.vectors, self.permutes, self.permutes, self.copies,
            self.local, self.local, self.matrix, self.carved, self.shared, self.bits, self.bits, self.unions,
            self.pointers,
        )  # fmt: skip
        for kind in self.choose.sample(kinds, count):
            yield "  {"
            yield from (f"    {line}" for line in kind())
            yield "  }"


def accesses(choose: random.Random, number: int) -> Case:
    """Return a case of a kernel of a block of 256 threads; its dynamic shared memory holds 40 bytes a thread."""
    text = "\n".join(_Kernel(choose).statements(choose.randint(4, 7)))
    declared = (
        f"__global__ void kernel{number}(const uchar* __restrict__ in, uchar* out, ull* sums) {{\n"
        f"  const int t = threadIdx.x;\n  ull sum = t;\n{text}\n  sums[t] = sum;\n}}"
    )
    return Case(
        [
            "std::vector<uchar> bytes(16384);",
            f"for (int i = 0; i < 16384; ++i) bytes[i] = (uchar)mixed(i + {choose.randrange(1000)});",
            "for (int i = 0; i < 4096; i += 8) bytes[i + 7] &= 0xbf, bytes[i + 3] &= 0xbf;  // no NaN",
            "uchar *in, *out; ull* sums; cudaMalloc(&in, 16384); cudaMalloc(&out, 16384); cudaMalloc(&sums, 2048);",
            "cudaMemcpy(in, bytes.data(), 16384, cudaMemcpyHostToDevice); cudaMemset(out, 0, 16384);",
            f"kernel{number}<<<1, 256, 256 * 40>>>(in, out, sums); put(cudaGetLastError());",
            "std::vector<ull> found(256); cudaMemcpy(found.data(), sums, 2048, cudaMemcpyDeviceToHost);",
            "cudaMemcpy(bytes.data(), out, 16384, cudaMemcpyDeviceToHost); hashed(found); hashed(bytes);",
            "cudaFree(in), cudaFree(out), cudaFree(sums);",
        ],
        declared,
    )
