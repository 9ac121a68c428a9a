"""The CUDA program that records the results of device functions at the inputs of the grid."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence

from scripts.values import grid
from scripts.values.grid import Words
from scripts.values.signatures import Signature
from scripts.values.types import Type

_HEAD = """// Records the results of device functions: PROGRAM OUTPUT
#include <cstdio>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

template <class T> __device__ T load(const unsigned long long* words) {
    T value;
    memcpy(&value, words, sizeof(T));
    return value;
}

// Words instead of bytes: on sm_90, bytes of half and bfloat16 numbers that nvcc 13.0 stores one by one came out wrong.
template <class T> __device__ unsigned long long* save(unsigned long long* place, const T& value) {
    unsigned long long words[(sizeof(T) + 7) / 8] = {};
    memcpy(words, &value, sizeof(T));
    for (unsigned long long word : words) *place++ = word;
    return place;
}
"""
_MAIN = """
template <class Kernel> bool record(Kernel kernel, int points, int size, std::FILE* file) {
    unsigned long long* results;
    const size_t bytes = size_t(points) * size * sizeof(*results);
    if (cudaMallocManaged(&results, bytes) != cudaSuccess) return false;
    kernel<<<(points + 127) / 128, 128>>>(results);
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) std::fprintf(stderr, "%s\\n", cudaGetErrorString(error));
    const bool done = error == cudaSuccess && std::fwrite(results, 1, bytes, file) == bytes;
    cudaFree(results);
    return done;
}

int main(int count, char** words) {
    std::FILE* file = count > 1 ? std::fopen(words[1], "wb") : nullptr;
    if (!file) return std::fprintf(stderr, "usage: %s OUTPUT\\n", words[0]), 2;
    std::fputs("DIGEST\\n", file);
    bool done = true;
CALLS
    done = std::fclose(file) == 0 && done;
    std::puts(done ? "recorded" : "failed");
    return done ? 0 : 1;
}
"""


def program(signatures: Sequence[Signature]) -> str:
    """Return the program for these functions."""
    tables = dict.fromkeys(table for one in signatures for table in _tables(one))
    kernels = [_kernel(place, one) for place, one in enumerate(signatures)]
    calls = [
        f"    done = done && record(k{place}, {points(one)}, {size(one)}, file);"
        for place, one in enumerate(signatures)
    ]
    main = _MAIN.replace("DIGEST", digest(signatures)).replace("CALLS", "\n".join(calls))
    return "\n".join((_HEAD, *(_table(*one) for one in tables), *kernels)) + main


def points(signature: Signature) -> int:
    """Return the number of inputs of a function."""
    return math.prod(len(table) for table in grid.tables(signature))


def size(signature: Signature) -> int:
    """Return the number of 64-bit words that the results for one input take."""
    return sum(one.words for one in signature.results)


def digest(signatures: Sequence[Signature]) -> str:
    """Return a digest of the functions and their inputs; a record starts with it."""
    text = "\n".join(f"{one} {grid.tables(one)}" for one in signatures)
    return hashlib.sha256(text.encode()).hexdigest()


def _tables(signature: Signature) -> list[tuple[Type, tuple[Words, ...]]]:
    return list(zip(signature.inputs, grid.tables(signature), strict=True))


def _name(kind: Type, table: tuple[Words, ...]) -> str:
    return f"t_{kind.cuda.replace(' ', '_')}_{len(table)}"


def _table(kind: Type, table: tuple[Words, ...]) -> str:
    words = ", ".join(f"{word:#x}ull" for value in table for word in value)
    return f"__device__ const unsigned long long {_name(kind, table)}[] = {{{words}}};"


def _kernel(place: int, signature: Signature) -> str:
    lines, left = [], ["i"]
    for position, (kind, table) in reversed(list(enumerate(_tables(signature)))):
        index = f"({left[0]}) % {len(table)}"
        left[0] = f"({left[0]}) / {len(table)}"
        lines.append(
            f"const {kind.cuda} a{position} = load<{kind.cuda}>({_name(kind, table)} + {kind.words} * ({index}));"
        )
    outputs = [one for one in signature.parameters if one.endswith("*")]
    lines += [f"{one[:-1]} o{number} = {{}};" for number, one in enumerate(outputs)]
    lines.append(f"unsigned long long* place = results + (size_t)i * {size(signature)};")
    call = signature.call
    lines.append(f"{call};" if signature.result == "void" else f"place = save<{signature.result}>(place, {call});")
    lines += [f"place = save(place, o{number});" for number in range(len(outputs))]
    body = "\n    ".join(lines)
    return (
        f"// {signature}\n__global__ void k{place}(unsigned long long* results) {{\n"
        f"    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        f"    if (i >= {points(signature)}) return;\n    {body}\n}}\n"
    )
