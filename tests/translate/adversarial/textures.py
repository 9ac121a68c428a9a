"""Random CUDA textures and surfaces: shapes, element types, read, filter and address modes, levels, boundary modes.

An NVIDIA GPU is the oracle, as in warps.py. Coordinates and texels are multiples of powers of two, so that a linear
filter is exact but for normalized integers. `python -m tests.translate.adversarial.textures SEED` prints a program;
`textures.txt` has what a GPU has printed, without what the CPU target computes otherwise: layers of cubes that are not
there, border colors as normalized integers, levels between clamps that cross, means of levels.
"""

from __future__ import annotations

import random
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.translate.adversarial.recorded import MAIN

RECORD = Path(__file__).with_name("textures.txt")
KERNELS = 32
"""Kernels of a program."""

THREADS = 64
_ADDRESSES = ("Wrap", "Clamp", "Mirror", "Border")
_BYTES = ("uchar1", "uchar2", "uchar4", "char1", "char2", "char4")
_SHORTS = ("ushort1", "ushort2", "ushort4", "short1", "short2", "short4")
_INTS = ("int1", "int2", "int4", "uint1", "uint2", "uint4")
_FLOATS = ("float1", "float2", "float4")
_LEFT_OUT = re.compile(r"surfCubemap|tex[12]DLayeredLod|list\(")
"""Functions that HIP lacks, which a diagnostic tells, and filters that are not exact."""
_OTHERWISE_ON_AMD = re.compile(r"texCubemap")
"""Functions whose results differ on AMD GPUs, which a note tells."""
_SCALARS = {"uchar1": "unsigned char", "char1": "char", "ushort1": "unsigned short", "short1": "short",
            "int1": "int", "uint1": "unsigned", "float1": "float"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shape:
    """A kind of array: the suffix of its functions, its coordinates and flags, and whether it has levels."""

    suffix: str
    coordinates: str
    flags: tuple[str, ...] = ()
    layers: int = 0


SHAPES = (
    Shape("1D", "x"),
    Shape("2D", "xy"),
    Shape("3D", "xyz"),
    Shape("1DLayered", "xl", ("Layered",), 3),
    Shape("2DLayered", "xyl", ("Layered",), 3),
    Shape("Cubemap", "xyz", ("Cubemap",), 6),
    Shape("CubemapLayered", "xyzl", ("Cubemap", "Layered"), 12),
)

HEAD = """\
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <type_traits>
#include <vector>

__host__ __device__ unsigned mixed(unsigned x) { return (x ^ x >> 15) * 0x2c1b3c6du + 0x9e3779b9u; }
__device__ unsigned bits(float x) { return x != x ? 0x7fffffff : __float_as_uint(x + 0.0f); }
template <typename T>
__device__ unsigned bits(T x) { return (unsigned)(int)x; }
template <typename T>
__device__ void put(unsigned* out, T v) { out[0] = bits(v); }
#define PUT(type)                                                                                       \\
  __device__ void put(unsigned* out, type##1 v) { out[0] = bits(v.x); }                                 \\
  __device__ void put(unsigned* out, type##2 v) { out[0] = bits(v.x), out[1] = bits(v.y); }             \\
  __device__ void put(unsigned* out, type##4 v) {                                                       \\
    out[0] = bits(v.x), out[1] = bits(v.y), out[2] = bits(v.z), out[3] = bits(v.w);                     \\
  }
PUT(char) PUT(uchar) PUT(short) PUT(ushort) PUT(int) PUT(uint) PUT(float)

template <typename T>
void fill(T* texels, size_t count, unsigned seed, std::true_type) {
  float* values = (float*)texels;
  for (size_t i = 0; i < count * (sizeof(T) / 4); ++i)
    values[i] = ((int)(mixed(mixed(i + seed)) >> 8) % 129 - 64) / 4.0f;
}
template <typename T>
void fill(T* texels, size_t count, unsigned seed, std::false_type) {
  unsigned char* values = (unsigned char*)texels;
  for (size_t i = 0; i < count * sizeof(T); ++i) values[i] = mixed(mixed(i + seed)) >> 8;
}
template <typename T>
std::vector<T> texels(size_t count, unsigned seed) {
  std::vector<T> made(count);
  fill(made.data(), count, seed, std::integral_constant<bool, T::floating>());
  return made;
}
template <typename V>
struct Texel : V {
  static constexpr bool floating = std::is_same<decltype(V::x), float>::value;
};
static void expect(cudaError_t error, const char* what) {
  if (error != cudaSuccess) printf("%s: %d\\n", what, (int)error);
}
#define CHECK(call) expect(call, #call)

template <typename V>
void copy_in(cudaArray_t array, cudaExtent extent, unsigned seed) {
  const size_t height = extent.height ? extent.height : 1, depth = extent.depth ? extent.depth : 1;
  const auto values = texels<Texel<V>>(extent.width * height * depth, seed);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr((void*)values.data(), extent.width * sizeof(V), extent.width, height);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(extent.width, height, depth);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
}
template <typename V>
cudaResourceDesc in_array(cudaExtent extent, unsigned flags, unsigned seed) {
  const cudaChannelFormatDesc channel = cudaCreateChannelDesc<V>();
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  CHECK(cudaMalloc3DArray(&resource.res.array.array, &channel, extent, flags));
  copy_in<V>(resource.res.array.array, extent, seed);
  return resource;
}
template <typename V>
cudaResourceDesc in_levels(cudaExtent extent, unsigned flags, unsigned seed, unsigned levels) {
  const cudaChannelFormatDesc channel = cudaCreateChannelDesc<V>();
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  cudaMipmappedArray_t& all = resource.res.mipmap.mipmap;
  CHECK(cudaMallocMipmappedArray(&all, &channel, extent, levels, flags));
  for (unsigned level = 0; level < levels; ++level) {
    cudaArray_t one;
    CHECK(cudaGetMipmappedArrayLevel(&one, all, level));
    copy_in<V>(one, extent, seed + 1000 * level);
    extent.width = extent.width > 1 ? extent.width / 2 : 1;
    if (extent.height) extent.height = extent.height > 1 ? extent.height / 2 : 1;
    if (extent.depth && !(flags & (cudaArrayLayered | cudaArrayCubemap)))
      extent.depth = extent.depth > 1 ? extent.depth / 2 : 1;
  }
  return resource;
}
template <typename V>
cudaResourceDesc in_memory(size_t width, unsigned seed) {
  const auto values = texels<Texel<V>>(width, seed);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  CHECK(cudaMalloc(&resource.res.linear.devPtr, width * sizeof(V)));
  CHECK(cudaMemcpy(resource.res.linear.devPtr, values.data(), width * sizeof(V), cudaMemcpyHostToDevice));
  resource.res.linear.desc = cudaCreateChannelDesc<V>();
  resource.res.linear.sizeInBytes = width * sizeof(V);
  return resource;
}
template <typename V>
cudaResourceDesc in_rows(size_t width, size_t height, unsigned seed) {
  const auto values = texels<Texel<V>>(width * height, seed);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  auto& rows = resource.res.pitch2D;
  CHECK(cudaMallocPitch(&rows.devPtr, &rows.pitchInBytes, width * sizeof(V), height));
  const size_t row = width * sizeof(V);
  CHECK(cudaMemcpy2D(rows.devPtr, rows.pitchInBytes, values.data(), row, row, height, cudaMemcpyHostToDevice));
  rows.desc = cudaCreateChannelDesc<V>();
  rows.width = width;
  rows.height = height;
  return resource;
}
static cudaTextureObject_t textured(const cudaResourceDesc& resource, const cudaTextureDesc& how) {
  cudaTextureObject_t made = 0;
  CHECK(cudaCreateTextureObject(&made, &resource, &how, nullptr));
  return made;
}
static cudaSurfaceObject_t surfaced(const cudaResourceDesc& resource) {
  cudaSurfaceObject_t made = 0;
  CHECK(cudaCreateSurfaceObject(&made, &resource));
  return made;
}
"""


class _Case:
    """Writes a kernel that reads a texture or writes a surface, and the code that calls it."""

    def __init__(self, choose: random.Random, name: str, number: int):
        self.choose, self.name, self.number = choose, name, number
        self.seed = choose.randrange(100000)

    def one(self, *of: str) -> str:
        return self.choose.choice(of)

    def sizes(self, shape: Shape, powers: bool) -> list[int]:
        """Return width, height and depth; 0 where there is none."""
        choices = (4, 8, 16) if powers else (1, 3, 4, 5, 7, 8, 12)
        width, height, depth = (self.choose.choice(choices) for _ in range(3))
        if "Cubemap" in shape.suffix:
            return [width, width, shape.layers]
        return [
            width,
            height if "y" in shape.coordinates else 0,
            depth if "z" in shape.coordinates else shape.layers,
        ]

    def texel(self) -> str:
        return self.choose.choice((*_FLOATS, *_FLOATS, *_BYTES, *_SHORTS, *_INTS))

    def spelling(self, texel: str) -> str:
        """Return the type that the code names: vectors of one component are numbers, too."""
        scalar = _SCALARS.get(texel)
        return self.choose.choice((texel, scalar)) if scalar else texel

    def text(self) -> tuple[str, str]:
        """Return the kernels and the statements of the caller."""
        return self.choose.choices(
            (self.fetched, self.sampled, self.rows, self.levels, self.gathered, self.written), (2, 9, 2, 4, 2, 5)
        )[0]()

    def kernel(self, body: list[str], parameter: str) -> str:
        lines = "\n".join(f"  {line}" for line in body)
        return (
            f"__global__ void kernel{self.number}(unsigned* out, {parameter}) {{\n"
            f"  const int i = threadIdx.x;\n{lines}\n}}"
        )

    def caller(self, resource: str, modes: list[str], listed: bool) -> str:
        show = f'{"list" if listed else "show"}("{self.name}", kernel{self.number}, {THREADS}, {4 * THREADS}, 1'
        lines = [f"const cudaResourceDesc resource = {resource};", "cudaTextureDesc how = {};", *modes]
        return "\n".join(f"    {line}" for line in (*lines, f"{show}, textured(resource, how));"))

    def modes(self, texel: str, coordinates: int, normalized: bool) -> tuple[list[str], str, bool]:
        """Return how the texture is read, the type that reads give, and whether the filter is linear."""
        small = texel in (*_BYTES, *_SHORTS)
        floats = small and self.choose.random() < 0.5
        linear = (floats or texel in _FLOATS) and self.choose.random() < 0.5
        lines = [f"how.addressMode[{axis}] = cudaAddressMode{self.one(*_ADDRESSES)};" for axis in range(coordinates)]
        lines.append(f"how.readMode = cudaReadMode{'NormalizedFloat' if floats else 'ElementType'};")
        lines.append(f"how.filterMode = cudaFilterMode{'Linear' if linear else 'Point'};")
        lines.append(f"how.normalizedCoords = {int(normalized)};")
        if self.choose.random() < 0.4 and (floats or texel in _FLOATS):
            lines.extend(f"how.borderColor[{i}] = {self.choose.choice((0.25, 0.5, 1.0))}f;" for i in range(4))
        read = f"float{texel[-1]}" if floats else texel
        return lines, self.spelling(read), linear

    def place(self, axis: str, size: int, normalized: bool, linear: bool) -> str:
        """Return the coordinate of thread `i`: in eighths of texels, some outside, none between texels."""
        texels = f"(int)(mixed(i * 7 + {self.choose.randrange(1000)}) >> 8) % {24 * size + 8}"
        shift = f" - {8 * size + 4}"
        eighths = f"({texels}{shift}) / 8.0f"
        at = eighths if linear else f"{eighths} + 0.0625f"
        return f"const float {axis} = ({at}){f' / {size}' if normalized else ''};"

    def places(self, shape: Shape, sizes: list[int], normalized: bool, linear: bool) -> list[str]:
        if "Cubemap" in shape.suffix:
            lines = [
                f"const float {axis} = "
                f"((int)(mixed(i * 7 + {self.choose.randrange(1000)}) >> 8) % 15 - 7) / 8.0f{plus};"
                for axis, plus in zip("xyz", ("", " + 1 / 64.0f", " + 1 / 32.0f"), strict=True)
            ]
        else:
            lines = [
                self.place(axis, size, normalized, linear)
                for axis, size in zip("xyz", sizes, strict=True)
                if axis in shape.coordinates
            ]
        if "l" in shape.coordinates:
            layers = shape.layers // 6 if "Cubemap" in shape.suffix else shape.layers
            lines.append(f"const int l = (int)(mixed(i + 5) >> 8) % {layers + 2};")
        return lines

    def flags(self, shape: Shape, *more: str) -> str:
        return " | ".join(f"cudaArray{flag}" for flag in (*shape.flags, *more)) or "cudaArrayDefault"

    def fetched(self) -> tuple[str, str]:
        texel, width = self.texel(), self.choose.choice((16, 24, 40))
        lines, read, _ = self.modes(texel, 1, False)
        lines = [line for line in lines if "filterMode" not in line and "border" not in line]
        body = [f"put(out + 4 * i, tex1Dfetch<{read}>(texture, i - {self.choose.choice((0, 3, 9))}));"]
        caller = self.caller(f"in_memory<{texel}>({width}, {self.seed})", lines, False)
        return self.kernel(body, "cudaTextureObject_t texture"), caller

    def sampled(self) -> tuple[str, str]:
        shape, texel = self.choose.choice(SHAPES), self.texel()
        normalized = "Cubemap" in shape.suffix or self.choose.random() < 0.5
        lines, read, linear = self.modes(texel, 3, normalized)
        sizes = self.sizes(shape, normalized)
        at = self.one("", "", "Lod")
        body = self.places(shape, sizes, normalized, linear)
        call = f"tex{shape.suffix}{at}<{read}>(texture, {', '.join(shape.coordinates)}{', 0.0f' if at else ''})"
        body.append(f"put(out + 4 * i, {call});")
        extent = f"make_cudaExtent({', '.join(map(str, sizes))})"
        caller = self.caller(
            f"in_array<{texel}>({extent}, {self.flags(shape)}, {self.seed})", lines, self.inexact(lines, shape, linear)
        )
        return self.kernel(body, "cudaTextureObject_t texture"), caller

    def inexact(self, lines: list[str], shape: Shape, linear: bool) -> bool:
        return linear and ("Cubemap" in shape.suffix or any("NormalizedFloat" in line for line in lines))

    def rows(self) -> tuple[str, str]:
        texel, normalized = self.texel(), self.choose.random() < 0.5
        shape = SHAPES[1]
        lines, read, linear = self.modes(texel, 2, normalized)
        sizes = self.sizes(shape, normalized)
        body = [*self.places(shape, sizes, normalized, linear), f"put(out + 4 * i, tex2D<{read}>(texture, x, y));"]
        caller = self.caller(
            f"in_rows<{texel}>({sizes[0]}, {sizes[1]}, {self.seed})", lines, self.inexact(lines, shape, linear)
        )
        return self.kernel(body, "cudaTextureObject_t texture"), caller

    def levels(self) -> tuple[str, str]:
        shape, texel = self.choose.choice(SHAPES[:5]), self.texel()
        lines, read, linear = self.modes(texel, 3, True)
        between = (texel in _FLOATS or read.startswith("float")) and self.choose.random() < 0.5
        lines.append(f"how.mipmapFilterMode = cudaFilterMode{'Linear' if between else 'Point'};")
        lines.append(f"how.maxMipmapLevelClamp = {self.choose.choice((0, 1, 2, 5))};")
        lines.append(f"how.minMipmapLevelClamp = {self.choose.choice((0, 0, 0.5, 1))};")
        lines.append(f"how.mipmapLevelBias = {self.choose.choice((0, 0, 0.5, -1))};")
        sizes = [size and 8 for size in self.sizes(shape, True)[:2]] + [
            shape.layers or (8 if "z" in shape.coordinates else 0)
        ]
        body = self.places(shape, sizes, True, linear)
        body.append(f"const float level = ((int)(mixed(i + 77) >> 8) % 21 - 4) / 4.0f{'' if between else ' + 0.125f'};")
        body.append(f"put(out + 4 * i, tex{shape.suffix}Lod<{read}>(texture, {', '.join(shape.coordinates)}, level));")
        extent = f"make_cudaExtent({', '.join(map(str, sizes))})"
        resource = f"in_levels<{texel}>({extent}, {self.flags(shape)}, {self.seed}, 3)"
        caller = self.caller(resource, lines, self.inexact(lines, shape, linear or between))
        return self.kernel(body, "cudaTextureObject_t texture"), caller

    def gathered(self) -> tuple[str, str]:
        shape, texel, normalized = SHAPES[1], self.texel(), self.choose.random() < 0.5
        lines, read, _ = self.modes(texel, 2, normalized)
        lines = [line for line in lines if "filterMode" not in line]
        four = "float4" if read.startswith("float") else f"{texel[:-1]}4"
        sizes = self.sizes(shape, normalized)
        component = self.choose.randrange(int(texel[-1]))
        body = self.places(shape, sizes, normalized, False)
        body.append(f"put(out + 4 * i, tex2Dgather<{four}>(texture, x, y, {component}));")
        extent = f"make_cudaExtent({sizes[0]}, {sizes[1]}, 0)"
        caller = self.caller(f"in_array<{texel}>({extent}, cudaArrayTextureGather, {self.seed})", lines, False)
        return self.kernel(body, "cudaTextureObject_t texture"), caller

    def written(self) -> tuple[str, str]:
        """Write and read a surface, by one thread in order: texels that are written twice have the last value."""
        shape, texel = self.choose.choice(SHAPES), self.texel()
        sizes = self.sizes(shape, False)
        cube = "Cubemap" in shape.suffix
        sides = {
            "x": sizes[0],
            "y": sizes[1],
            "z": 6 if cube else sizes[2],
            "l": shape.layers // 6 if cube else shape.layers,
        }
        names = shape.coordinates if not cube else "xyz"
        names = names.replace("z", "f") if cube else names
        inner = self.boundary(shape, names, {**sides, "f": shape.layers if cube else 6}, texel)
        extent = f"make_cudaExtent({', '.join(map(str, sizes))})"
        lines = [
            f"const cudaResourceDesc resource = in_array<{texel}>({extent}, "
            f"{self.flags(shape, 'SurfaceLoadStore')}, {self.seed});",
            f'show("{self.name}", kernel{self.number}, 1, {4 * THREADS}, 1, surfaced(resource));',
        ]
        return self.kernel(inner, "cudaSurfaceObject_t surface"), "\n".join(f"    {line}" for line in lines)

    def boundary(self, shape: Shape, names: str, sides: dict[str, int], texel: str) -> list[str]:
        def place(axis: str, outside: int) -> str:
            index = f"(int)(mixed(k * 5 + {self.choose.randrange(1000)}) >> 8) % {sides[axis] + 2 * outside}"
            return f"{index} - {outside}" if outside else index

        def access(mode: str) -> str:
            outside = 0 if mode == "Trap" else 2
            places = [place(axis, 0 if axis in "lf" else outside) for axis in names]
            places[0] = f"({places[0]}) * (int)sizeof({texel})"
            said = "" if mode == "Trap" and self.choose.random() < 0.5 else f", cudaBoundaryMode{mode}"
            return f"surface, {', '.join(places)}{said}"

        written, read = self.one("Trap", "Clamp", "Zero"), self.one("Trap", "Clamp", "Zero")
        type_ = self.spelling(texel)
        value = f"{type_} value = surf{shape.suffix}read<{type_}>({access(read)});"
        if self.choose.random() < 0.4:
            value = f"{type_} value; surf{shape.suffix}read(&value, {access(read)});"
        return [
            f"for (int k = 0; k < {THREADS}; ++k) {{",
            f"  {value}",
            "  put(out + 4 * k, value);",
            f"  surf{shape.suffix}write(value, {access(written)});",
            "}",
            f"for (int k = 0; k < {THREADS}; ++k) {{",
            "  unsigned kept[4] = {0, 0, 0, 0};",
            f"  put(kept, surf{shape.suffix}read<{type_}>({access('Clamp')}));",
            "  for (int c = 0; c < 4; ++c) out[4 * k + c] = mixed(out[4 * k + c]) ^ kept[c];",
            "}",
        ]


def kernels(seed: int) -> dict[int, tuple[str, str]]:
    """Return the kernels of a program, each with the statements that call it, by number."""
    made = {n: _Case(random.Random(f"{seed}, {n}"), f"{seed}.{n}", n).text() for n in range(KERNELS)}
    return {n: each for n, each in made.items() if _LEFT_OUT.search("\n".join(each)) is None}


def same_on_amd(seed: int) -> frozenset[int]:
    """Return the numbers of the kernels whose results AMD GPUs compute, too."""
    return frozenset(n for n, (kernel, _) in kernels(seed).items() if _OTHERWISE_ON_AMD.search(kernel) is None)


def program(seed: int) -> str:
    """Return a program that prints what each kernel's results hash to."""
    made = kernels(seed).values()
    calls = "".join(f"  {{\n{caller}\n  }}\n" for _, caller in made)
    return "\n".join((HEAD, MAIN, *(kernel for kernel, _ in made), f"int main() {{\n{calls}}}\n"))


if __name__ == "__main__":
    print(program(int(sys.argv[1])))
