"""Random CUDA kernels of CUB's functions for warps and blocks, which give one result for the same threads and numbers.

An NVIDIA GPU is the oracle, as in warps.py. `python -m tests.translate.adversarial.blocks SEED` prints a program;
`blocks.txt` has what an H200 has printed (CUDA 13.0).
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.translate.adversarial.recorded import MAIN

RECORD = Path(__file__).with_name("blocks.txt")
KERNELS = 12
"""Kernels of a program."""

_BLOCKS = (32, 64, 96, 128)
_TILES = (2, 4, 8, 16, 32)
_REDUCTIONS = ("BLOCK_REDUCE_RAKING", "BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY", "BLOCK_REDUCE_WARP_REDUCTIONS")
_SCANS = ("BLOCK_SCAN_RAKING", "BLOCK_SCAN_RAKING_MEMOIZE", "BLOCK_SCAN_WARP_SCANS")
_LOADS = ("DIRECT", "STRIPED", "VECTORIZE", "TRANSPOSE", "WARP_TRANSPOSE", "WARP_TRANSPOSE_TIMESLICED")
_EXCHANGES = ("StripedToBlocked", "BlockedToStriped", "BlockedToWarpStriped")

HEAD = """\
#include <cstdio>
#include <cstdlib>
#include <cub/block/block_shuffle.cuh>
#include <cub/cub.cuh>
#include <cuda_runtime.h>

__device__ unsigned mixed(unsigned x) { return (x ^ x >> 15) * 0x2c1b3c6du + 0x9e3779b9u; }
struct Larger {
  __device__ unsigned operator()(unsigned a, unsigned b) const { return a > b ? a : b; }
};
struct Below {
  __device__ bool operator()(unsigned a, unsigned b) const { return (a & 0xffff) < (b & 0xffff); }
};
struct Differs {
  __device__ bool operator()(unsigned a, unsigned b) const { return a % 5 != b % 5; }
};
struct Minus {
  __device__ unsigned operator()(unsigned a, unsigned b) const { return a - b; }
};
// Not commutative: a linear function after another.
struct After {
  __device__ uint2 operator()(uint2 a, uint2 b) const { return make_uint2(a.x * b.x, a.y * b.x + b.y); }
};
__device__ unsigned numbers[4096];
__global__ void fill() {
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) numbers[i] = mixed(i);
}
"""


class _Kernel:
    """Writes the statements of a kernel of a block of `threads` threads."""

    def __init__(self, choose: random.Random, threads: int):
        self.choose, self.threads, self.names = choose, threads, 0

    def one(self, *of: str) -> str:
        return self.choose.choice(of)

    def statements(self, count: int) -> Iterator[str]:
        kinds: Sequence[Callable[[], Iterator[str]]] = (
            self.warp_reduce, self.warp_reduce, self.warp_scan, self.warp_scan, self.block_reduce, self.block_scan,
            self.load, self.exchange, self.sort, self.flags, self.difference, self.shuffle, self.histogram, self.merge,
            self.warp_merge, self.warp_exchange, self.warp_load, self.lanes, self.pairs,
        )  # fmt: skip
        for kind in self.choose.sample(kinds, count):
            yield "  {"
            yield from (f"    {line}" for line in kind())
            yield "  }\n  __syncthreads();"

    def items(self) -> tuple[int, str]:
        """Return how many items a thread has, and their declaration."""
        count = self.choose.choice((1, 2, 3, 4))
        values = ", ".join(self.one(f"mixed(a + {i})", f"b * {2 * i + 1} + c", f"a >> {i}") for i in range(count))
        return count, f"unsigned items[{count}] = {{{values}}};"

    def taken(self, count: int) -> str:
        return f"for (int i = 0; i < {count}; ++i) c = mixed(c) ^ items[i];"

    def warp(self, template: str) -> tuple[int, Iterator[str]]:
        """Return the lanes of a logical warp, and its type and storage."""
        lanes = self.choose.choice((0, 0, *_TILES))
        size = lanes or 32
        return size, iter((
            f"typedef cub::{template}{f', {lanes}' if lanes else ''}> Warp;",
            f"__shared__ typename Warp::TempStorage storage[{self.threads // size}];",
        ))  # fmt: skip

    def warp_reduce(self) -> Iterator[str]:
        size, declared = self.warp("WarpReduce<unsigned")
        yield from declared
        of = f"Warp(storage[t / {size}])"
        call = self.one(
            f"{of}.Sum(a & 0xffff)",
            f"{of}.Reduce(b, Larger())",
            f"{of}.Sum(b & 0xfff, {self.choose.randint(1, size)})",
            f"{of}.Reduce(a, Larger(), {self.choose.randint(1, size)})",
            f"{of}.HeadSegmentedSum(a & 0xff, (int)(b & 1))",
            f"{of}.TailSegmentedSum(a & 0xff, (int)(b & 1))",
        )
        yield f"const unsigned r = {call};"
        yield f"if ((t & {size - 1}) == 0) c += r;"

    def warp_scan(self) -> Iterator[str]:
        size, declared = self.warp("WarpScan<unsigned")
        yield from declared
        of = f"Warp(storage[t / {size}])"
        yield "unsigned r = 0, all = 0;"
        yield self.one(
            f"{of}.InclusiveSum(a & 0xffff, r);",
            f"{of}.ExclusiveSum(a & 0xffff, r);",
            f"{of}.InclusiveSum(b & 0xffff, r, all);",
            f"{of}.ExclusiveSum(b & 0xffff, r, all);",
            f"{of}.InclusiveScan(a, r, Larger());",
            f"{of}.ExclusiveScan(a, r, 77u, Larger());",
            f"{of}.ExclusiveScan(a, r, 77u, Larger(), all);",
            f"r = {of}.Broadcast(a, {self.choose.randrange(size)});",
        )
        yield "c ^= r + 3 * all;"

    def block_reduce(self) -> Iterator[str]:
        count, declared = self.items()
        yield f"typedef cub::BlockReduce<unsigned, {self.threads}, cub::{self.one(*_REDUCTIONS)}> Block;"
        yield "__shared__ typename Block::TempStorage storage;"
        yield declared
        call = self.one(
            "Block(storage).Sum(a)", "Block(storage).Sum(items)", "Block(storage).Reduce(items, Larger())",
            f"Block(storage).Sum(b, {self.choose.randint(1, self.threads)})",
            f"Block(storage).Reduce(b, Larger(), {self.choose.randint(1, self.threads)})",
        )  # fmt: skip
        yield f"const unsigned r = {call};"
        yield f"if (t == 0) c += r; {self.taken(count)}"

    def block_scan(self) -> Iterator[str]:
        count, declared = self.items()
        yield f"typedef cub::BlockScan<unsigned, {self.threads}, cub::{self.one(*_SCANS)}> Block;"
        yield "__shared__ typename Block::TempStorage storage;"
        yield f"{declared} unsigned all = 0;"
        yield self.one(
            "Block(storage).InclusiveSum(items, items);", "Block(storage).ExclusiveSum(items, items);",
            "Block(storage).InclusiveSum(items, items, all);", "Block(storage).ExclusiveSum(items, items, all);",
            "Block(storage).InclusiveScan(items, items, Larger());",
            "Block(storage).ExclusiveScan(items, items, 9u, Larger());",
            "Block(storage).ExclusiveSum(b, items[0], all);",
        )  # fmt: skip
        yield f"{self.taken(count)} c ^= all;"

    def pairs(self) -> Iterator[str]:
        yield f"typedef cub::BlockScan<uint2, {self.threads}, cub::{self.one(*_SCANS)}> Block;"
        yield "__shared__ typename Block::TempStorage storage;"
        yield "uint2 r = make_uint2(0, 0);"
        yield self.one(
            "Block(storage).InclusiveScan(make_uint2(a | 1, b), r, After());",
            "Block(storage).ExclusiveScan(make_uint2(a | 1, b), r, make_uint2(1, 0), After());",
        )
        yield "c ^= r.x + 5 * r.y;"

    def load(self) -> Iterator[str]:
        count, how = self.choose.choice((1, 2, 3, 4)), self.one(*_LOADS)
        if how.startswith("WARP") and self.threads % 64:  # rocPRIM takes whole wavefronts only
            how = "TRANSPOSE"
        kind = self.one("Load", "Store")
        if (kind, how) == ("Store", "VECTORIZE"):  # shared memory is not aligned for that
            how = "DIRECT"
        yield f"typedef cub::Block{kind}<unsigned, {self.threads}, {count}, cub::BLOCK_{kind.upper()}_{how}> Block;"
        yield "__shared__ typename Block::TempStorage storage;"
        if kind == "Load":
            guarded = self.one("", f", {self.choose.randint(1, self.threads * count)}, 5u")
            yield f"unsigned items[{count}]; Block(storage).Load(numbers + 128, items{guarded});"
            yield self.taken(count)
            return
        values = ", ".join(f"mixed(t + {i})" for i in range(count))
        yield f"__shared__ unsigned kept[{self.threads * count}]; unsigned items[{count}] = {{{values}}};"
        yield f"Block(storage).Store(kept, items); __syncthreads(); c ^= kept[(t * 7) % {self.threads * count}];"

    def exchange(self) -> Iterator[str]:
        count, declared = self.items()
        yield f"typedef cub::BlockExchange<unsigned, {self.threads}, {count}> Block;"
        yield "__shared__ typename Block::TempStorage storage;"
        yield declared
        how = self.one(*_EXCHANGES)
        if how.startswith("Blocked"):
            yield f"Block(storage).{how}(items, items); __syncthreads();"
        if "WarpStriped" in how:  # only there and back: stripes are as long as a wavefront (HP233)
            yield "Block(storage).WarpStripedToBlocked(items, items);"
        elif how.startswith("Striped"):
            yield f"Block(storage).{how}(items, items);"
        yield self.taken(count)

    def sort(self) -> Iterator[str]:
        count, declared = self.items()
        valued = self.choose.random() < 0.4
        yield f"typedef cub::BlockRadixSort<unsigned, {self.threads}, {count}{', int' if valued else ''}> Block;"
        yield "__shared__ typename Block::TempStorage storage;"
        yield declared
        way = self.one("Sort", "SortDescending", "SortBlockedToStriped", "SortDescendingBlockedToStriped")
        bits = self.one("", ", 4, 20", ", 0, 8")
        if not valued:
            yield f"Block(storage).{way}(items{bits});"
        else:
            numbers = ", ".join(f"t * {count} + {i}" for i in range(count))
            yield f"int values[{count}] = {{{numbers}}}; Block(storage).{way}(items, values{bits});"
            yield f"for (int i = 0; i < {count}; ++i) c += values[i] << i;"
        yield self.taken(count)

    def flags(self) -> Iterator[str]:
        count, declared = self.items()
        yield f"typedef cub::BlockDiscontinuity<unsigned, {self.threads}> Block;"
        yield "__shared__ typename Block::TempStorage storage;"
        yield f"{declared} int flags[{count}];"
        yield self.one(
            "Block(storage).FlagHeads(flags, items, Differs());",
            "Block(storage).FlagTails(flags, items, Differs());",
            "Block(storage).FlagHeads(flags, items, Differs(), 3u);",
        )
        yield f"for (int i = 0; i < {count}; ++i) c = c * 2 + flags[i];"

    def difference(self) -> Iterator[str]:
        count, declared = self.items()
        yield f"typedef cub::BlockAdjacentDifference<unsigned, {self.threads}> Block;"
        yield "__shared__ typename Block::TempStorage storage;"
        yield declared
        yield f"Block(storage).{self.one('SubtractLeft', 'SubtractRight')}(items, items, Minus());"
        yield self.taken(count)

    def shuffle(self) -> Iterator[str]:
        yield f"typedef cub::BlockShuffle<unsigned, {self.threads}> Block;"
        yield "__shared__ typename Block::TempStorage storage;"
        yield "unsigned r = 1;"
        far = self.choose.randint(1, self.threads - 1)
        yield self.one(
            f"Block(storage).Offset(a, r, {far});", f"Block(storage).Offset(a, r, -{far});",
            f"Block(storage).Rotate(b, r, {far});",
        )  # fmt: skip
        inside = f"t + {far} < {self.threads} && t >= {far}"
        yield f"if ({inside}) c ^= r;"

    def histogram(self) -> Iterator[str]:
        count, declared = self.items()
        algorithm = self.one("BLOCK_HISTO_SORT", "BLOCK_HISTO_ATOMIC")
        yield f"typedef cub::BlockHistogram<unsigned char, {self.threads}, {count}, 64, cub::{algorithm}> Block;"
        yield "__shared__ typename Block::TempStorage storage; __shared__ unsigned bins[64];"
        yield f"{declared} unsigned char bytes[{count}];"
        yield f"for (int i = 0; i < {count}; ++i) bytes[i] = items[i] & 63;"
        yield "Block(storage).Histogram(bytes, bins); __syncthreads(); c += bins[t & 63];"

    def merge(self) -> Iterator[str]:
        if self.threads == 96:  # not a power of two
            yield from self.sort()
            return
        count, declared = self.items()
        yield f"typedef cub::BlockMergeSort<unsigned, {self.threads}, {count}> Block;"
        yield "__shared__ typename Block::TempStorage storage;"
        yield f"{declared} Block(storage).{self.one('Sort', 'StableSort')}(items, Below());"
        yield f"for (int i = 0; i < {count}; ++i) c = mixed(c) ^ (items[i] & 0xffff);"

    def warp_merge(self) -> Iterator[str]:
        count, declared = self.items()
        size, storage = self.warp(f"WarpMergeSort<unsigned, {count}")
        yield from storage
        yield f"{declared} Warp(storage[t / {size}]).Sort(items, Below());"
        yield f"for (int i = 0; i < {count}; ++i) c = mixed(c) ^ (items[i] & 0xffff);"

    def warp_exchange(self) -> Iterator[str]:
        count, declared = self.items()
        size, storage = self.warp(f"WarpExchange<unsigned, {count}")
        yield from storage
        yield f"{declared} Warp(storage[t / {size}]).{self.one('StripedToBlocked', 'BlockedToStriped')}(items, items);"
        yield self.taken(count)

    def warp_load(self) -> Iterator[str]:
        count, how = self.choose.choice((1, 2, 4)), self.one("DIRECT", "STRIPED", "VECTORIZE", "TRANSPOSE")
        lanes = self.choose.choice((0, 4, 16, 32))
        size, given = lanes or 32, f", {lanes}" if lanes else ""
        yield f"typedef cub::WarpLoad<unsigned, {count}, cub::WARP_LOAD_{how}{given}> Warp;"
        yield f"__shared__ typename Warp::TempStorage storage[{self.threads // size}];"
        yield f"unsigned items[{count}]; const int warp = t / {size};"
        yield f"Warp(storage[warp]).Load(numbers + warp * {size * count}, items);"
        yield self.taken(count)

    def lanes(self) -> Iterator[str]:
        lanes = self.choose.choice(_TILES[2:])
        yield self.one(
            f"c ^= cub::ShuffleDown<{lanes}>(a, 1, {lanes - 1}, 0xffffffff);",
            f"c ^= cub::ShuffleUp<{lanes}>(a, 2, 0, 0xffffffff);",
            f"c ^= cub::ShuffleIndex<{lanes}>(b, {self.choose.randrange(lanes)}, 0xffffffff);",
        )


def kernel(seed: int, number: int) -> tuple[str, int]:
    """Return a kernel and the threads of its block."""
    choose = random.Random(f"blocks {seed}, {number}")
    threads = choose.choice(_BLOCKS)
    lines = [
        f"__global__ void kernel{number}(unsigned* out) {{",
        "  const int t = threadIdx.x;",
        f"  unsigned a = mixed(t + {choose.randrange(1000)}), b = mixed(a), c = mixed(b);",
        *_Kernel(choose, threads).statements(choose.randint(3, 5)),
        "  out[t] = a + 3 * b + 7 * c;",
        "}",
    ]
    return "\n".join(lines), threads


def program(seed: int, kernels: int = KERNELS) -> str:
    """Return a program that prints each kernel's name, what its results hash to, and CUDA's status."""
    made = [kernel(seed, number) for number in range(kernels)]
    calls = "".join(f'  show("{seed}.{i}", kernel{i}, {threads});\n' for i, (_, threads) in enumerate(made))
    return "\n".join((HEAD, *(text for text, _ in made), MAIN, f"int main() {{\n  fill<<<1, 128>>>();\n{calls}}}\n"))


if __name__ == "__main__":
    print(program(int(sys.argv[1])))
