"""Random kernels without races, in one program that prints a checksum for each.

Threads write shared memory at their own index only, and read what others wrote only behind a barrier, so that every
order in which threads run gives the same results.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

_HEAD = """#include <hip/hip_runtime.h>
#include <cstdio>
#include <vector>
#define SIZE 256
constexpr int kSteps = 5;
__constant__ float factor = 1.5f;
__device__ float twice(float x) { return 2.0f * x; }
__device__ void increase(float& x) { x += 0.25f; }
"""
_MAIN = """
int main() {
  const int n = %d;
  std::vector<float> in(4096), out(4096);
  for (int i = 0; i < 4096; ++i) in[i] = static_cast<float>(i * 2654435761u %% 1000) / 64.0f - 7.0f;
  double sum;
%s  return hipGetLastError() != hipSuccess;
}
"""
_CALL = """  out.assign(4096, 0.0f);
  hipLaunchKernelGGL({name}, dim3({grid}), dim3{block}, 0, 0, in.data(), out.data(), n, {scale});
  sum = 0.0;
  for (int i = 0; i < 4096; ++i) sum += out[i] * (i % 89 + 1);
  std::printf("{name} %.9g\\n", sum);
"""
_BLOCKS = ("(64)", "(100)", "(16, 4)", "(5, 3, 2)", "(256)", "(1)", "(33, 2)")


@dataclass
class _Kernel:
    """Writes one kernel: `floats` and `integers` are the variables of a thread, `shared` the arrays of the block."""

    choose: random.Random
    floats: list[str] = field(default_factory=list)
    integers: list[str] = field(default_factory=lambda: ["t", "n"])
    readable: list[str] = field(default_factory=list)  # arrays that no thread writes before the next barrier
    writable: list[str] = field(default_factory=list)
    names: int = 0

    def name(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def text(self, name: str) -> str:
        shared = [self.name("tile") for _ in range(self.choose.randint(1, 2))]
        self.writable = list(shared)
        lines = [f"__global__ void {name}(const float* in, float* out, int n, float scale) {{"]
        lines += [f"  __shared__ float {one}[SIZE];" for one in shared]
        lines += [
            "  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);",
            "  const int all = blockDim.x * blockDim.y * blockDim.z;",
            *(f"  {one}[t] = in[(blockIdx.x * all + t) & 4095];" for one in shared),
        ]
        if self.choose.random() < 0.3:
            lines.append("  if (t % 7 == 3 || t > n) return;")
            self.writable.clear()  # what the threads that left have not written is not read
        lines += [f"  {line}" for line in self.block(3, self.choose.randint(3, 7))]
        result = " + ".join(self.floats or ["scale"])
        return "\n".join(
            [*lines, f"  out[(blockIdx.x * all + t) & 4095] = {result} + {self.choose.choice(self.integers)};", "}", ""]
        )

    def block(self, depth: int, count: int) -> Iterator[str]:
        floats, integers = list(self.floats), list(self.integers)
        for _ in range(count):
            yield from self.statement(depth)
        if depth < 3:
            self.floats, self.integers = floats, integers

    def statement(self, depth: int) -> Iterator[str]:
        kinds = [
            self.declare,
            self.declare,
            self.change,
            self.barrier,
            self.branch,
            self.loop,
            self.array,
            self.strided,
        ]
        if depth > 0:
            kinds += [self.waiting_loop, self.waiting_loop, self.halving]
        yield from self.choose.choice(kinds)(depth)

    def integer(self) -> str:
        return self.choose.choice(
            [*self.integers, "all", "kSteps", "3", "static_cast<int>(threadIdx.x)", "int(blockIdx.x)"]
        )

    def value(self) -> str:
        terms = [
            *self.floats,
            "scale",
            "0.5f",
            "factor",
            f"in[({self.integer()} + t) & 4095]",
            f"twice({self.plain()})",
        ]
        terms += [f"{one}[({self.integer()} + {self.integer()} & 0xffff) % all]" for one in self.readable]
        a, b = self.choose.choice(terms), self.choose.choice(terms)
        return self.choose.choice([f"{a} + {b}", f"{a} * 0.5f - {b}", f"fminf({a}, {b})", f"({a} > {b} ? {a} : 0.25f)"])

    def plain(self) -> str:
        return self.choose.choice([*self.floats, "scale", "0.75f"])

    def declare(self, depth: int) -> Iterator[str]:
        if self.choose.random() < 0.4:
            name = self.name("i")
            kind = self.choose.choice(["const int", "int", "const auto"])
            yield f"{kind} {name} = ({self.integer()} + {self.integer()} * 3) & 1023;"
            self.integers.append(name)
            return
        first, second = self.name("f"), self.name("f")
        yield f"float {first} = {self.value()}, {second} = {self.value()};"
        self.floats += [first, second]

    def change(self, depth: int) -> Iterator[str]:
        if not self.floats:
            yield "scale += 0.125f;" if self.choose.random() < 0.3 else "scale *= t % 2 ? 0.5f : 0.75f;"
            return
        name = self.choose.choice(self.floats)
        yield self.choose.choice([f"{name} = {self.value()};", f"{name} += {self.value()};", f"increase({name});"])

    def barrier(self, depth: int) -> Iterator[str]:
        if depth < 1:
            return
        yield "__syncthreads();"
        self.readable, self.writable = [*self.readable, *self.writable], []
        if self.choose.random() < 0.5 and self.readable:
            yield f"const float {self.name('unused')} = {self.value()};"
            yield "__syncthreads();"
            name = self.readable.pop()
            yield f"{name}[t] = {self.value()};"
            self.writable.append(name)

    def branch(self, depth: int) -> Iterator[str]:
        yield f"if ({self.integer()} % 3 < 2) {{"
        yield from self.inner(0)
        yield "}"

    def inner(self, depth: int) -> Iterator[str]:
        """Write statements that do not wait, in a scope of their own."""
        for line in self.block(depth, self.choose.randint(1, 2)):
            yield f"  {line}"

    def loop(self, depth: int) -> Iterator[str]:
        counter = self.name("j")
        bound = self.choose.choice(["4", "kSteps", "n % 7", "t % 5", "int(gridDim.x)"])
        yield f"for (int {counter} = 0; {counter} < {bound}; ++{counter}) {{"
        self.integers.append(counter)
        yield from self.inner(0)
        self.integers.remove(counter)
        yield "}"

    def strided(self, depth: int) -> Iterator[str]:
        if not self.floats:
            return
        counter, name = self.name("s"), self.choose.choice(self.floats)
        start = self.choose.choice(["threadIdx.x", "blockIdx.x * blockDim.x + threadIdx.x", "t"])
        step = self.choose.choice(["blockDim.x", "all", "gridDim.x * blockDim.x", "1"])
        kind, relation = self.choose.choice(["int", "unsigned", "size_t"]), self.choose.choice(["<", "<="])
        yield f"for ({kind} {counter} = {start}; {counter} {relation} n; {counter} += {step}) {name} += in[{counter}];"

    def array(self, depth: int) -> Iterator[str]:
        name, sum_ = self.name("a"), self.name("f")
        yield f"float {name}[4] = {{0.0f}};"
        yield f"for (int k = 0; k < 4; ++k) {name}[(k + t) % 4] += {self.value()};"
        if depth > 0:
            yield from self.barrier(depth)
        yield f"float {sum_} = {name}[0] + {name}[t % 4];"
        self.floats.append(sum_)

    def waiting_loop(self, depth: int) -> Iterator[str]:
        counter = self.name("w")
        bound = self.choose.choice(["3", "kSteps", "n % 4 + 1", "int(blockDim.x) % 3 + 1"])
        yield f"for (int {counter} = 0; {counter} < {bound}; ++{counter}) {{"
        self.integers.append(counter)
        yield "  __syncthreads();"
        self.readable, self.writable = [*self.readable, *self.writable], []
        yield from (f"  {line}" for line in self.block(depth - 1, self.choose.randint(1, 3)))
        yield "  __syncthreads();"
        self.readable, self.writable = [*self.readable, *self.writable], []
        self.integers.remove(counter)
        yield "}"

    def halving(self, depth: int) -> Iterator[str]:
        if not self.readable and not self.writable:
            return
        name, half = (self.readable or self.writable)[0], self.name("h")
        yield "__syncthreads();"
        yield f"int {half} = all / 2;"
        yield f"while ({half} > 0) {{"
        yield f"  if (t < {half}) {name}[t] += {name}[t + {half}];"
        yield "  __syncthreads();"
        yield f"  {half} /= 2;"
        yield "}"
        self.readable, self.writable = [*self.readable, *self.writable], []


def program(seed: int, kernels: int) -> str:
    """Return the source of a program with random kernels."""
    choose = random.Random(seed)
    texts, calls = [], []
    for number in range(kernels):
        name = f"kernel{number}"
        texts.append(_Kernel(choose).text(name))
        scale = f"{choose.randint(1, 9)}.5f"
        calls.append(_CALL.format(name=name, grid=choose.randint(1, 3), block=choose.choice(_BLOCKS), scale=scale))
    return _HEAD + "".join(texts) + _MAIN % (choose.randint(20, 900), "".join(calls))
