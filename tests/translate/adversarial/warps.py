"""Random CUDA kernels of warp-level code: shuffles, votes, matches, reductions, groups, PTX, in branches and loops.

What they compute is defined by CUDA for warps of 32 lanes: an operation names exactly the lanes that execute it. So an
NVIDIA GPU is the oracle. `python -m tests.translate.adversarial.warps SEED` prints a program, which prints a line for
each kernel: `warps.txt` has those of an H100, which an H200 gave, too (CUDA 13.0); the same with -O0 and -O3.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.translate.adversarial.recorded import MAIN

RECORD = Path(__file__).with_name("warps.txt")
KERNELS = 24
"""Kernels of a program."""

_BLOCKS = ("32", "64", "96", "128", "dim3(16, 4)", "dim3(8, 8)", "dim3(4, 4, 8)", "dim3(32, 3)")
_LANES = ("t & 31", "t % 32", "t & (WARP - 1)", "t - t / WARP * WARP", "lane_id()", "(int)special_lane()")
_FULL = ("0xffffffff", "~0u", "-1", "FULL", "0xFFFFFFFFu", "everyone")
_EVERYONE = ("__activemask()", "__ballot_sync(FULL, 1)", "0xffffffff", "UINT32_MAX")
_BELOW = ("((1u << lane) - 1)", "lanes_below()", "((1 << lane) - 1)", "(everyone >> 1 >> (31 - lane))")
_CONDITIONS = (
    "a & 1", "b % 3 == 0", "lane < 13", "lane & 4", "f > 0.0f", "(a ^ b) & 8", "t % 7 > 3", "lane >= 16", "c & 0x100",
    "lane == 5", "(int)c < 0",
)  # fmt: skip
_SHUFFLED = ("a", "b", "c", "f", "(double)f", "(long long)a << 20", "(int)b",
             "(unsigned long long)c * 12345678901ull", "__float2half(f)", "(long)b")  # fmt: skip
_OPERATIONS = {"add": "& 0xffff", "min": "", "max": "", "and": "| 0xff", "or": "& 0xf0f0", "xor": ""}
_FUNCTIONS = ("plus", "less", "greater", "bit_and", "bit_or", "bit_xor")

HEAD = """\
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define WARP 32
#define FULL 0xffffffffu
#define BALLOT(mask, x) __ballot_sync(mask, (x) != 0)

namespace cg = cooperative_groups;

__device__ __forceinline__ unsigned special_lane() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
__device__ __forceinline__ unsigned lanes_below() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}
__device__ int thread_id() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__device__ int lane_id() { return thread_id() % WARP; }
__device__ unsigned mixed(unsigned x) { return (x ^ x >> 15) * 0x2c1b3c6du + 0x9e3779b9u; }
template <typename T>
__device__ T sum_of_warp(T x) {
  for (int distance = WARP / 2; distance > 0; distance /= 2) x += __shfl_down_sync(FULL, x, distance);
  return __shfl_sync(FULL, x, 0);
}
template <int Lanes, typename T>
__device__ T largest(T x) {
#pragma unroll
  for (int mask = Lanes / 2; mask >= 1; mask >>= 1) {
    const T other = __shfl_xor_sync(0xffffffff, x, mask, Lanes);
    x = x > other ? x : other;
  }
  return x;
}
__device__ unsigned scanned(unsigned x, int lane) {
  for (int i = 1; i < 32; i *= 2) {
    const unsigned before = __shfl_up_sync(0xffffffff, x, i);
    if (lane >= i) x += before;
  }
  return x;
}
"""


class _Kernel:
    """Writes the statements of a kernel."""

    def __init__(self, choose: random.Random):
        self.choose, self.names = choose, 0

    def name(self, start: str) -> str:
        self.names += 1
        return f"{start}{self.names}"

    def one(self, *of: str) -> str:
        return self.choose.choice(of)

    def condition(self) -> str:
        return self.one(*_CONDITIONS)

    def full(self) -> str:
        return self.one(*_FULL)

    def block(self, count: int, mask: str) -> Iterator[str]:
        """Statements; `mask` names the lanes that execute them, and is empty where all do."""
        anywhere = [
            self.vote,
            self.vote,
            self.match,
            self.reduction,
            self.leader,
            self.change,
            self.active,
            self.special,
        ]
        whole = [self.shuffle, self.shuffle, self.helper, self.branch, self.branch, self.loop, self.tile, self.tile,
                 self.halves, self.partition, self.shared, self.wide, self.block_vote]  # fmt: skip
        kinds: Sequence[Callable[[str], Iterator[str]]] = anywhere if mask else anywhere + whole
        for _ in range(count):
            yield from self.choose.choice(kinds)(mask)

    def change(self, mask: str) -> Iterator[str]:
        yield self.one(
            "a = mixed(a);", "b += mixed(c);", "c ^= a * 3;", "f = (float)(a & 255) - 100.0f;", "b ^= lane << 3;"
        )

    def vote(self, mask: str) -> Iterator[str]:
        m, condition = mask or self.full(), self.condition()
        ballot = self.one(f"__ballot_sync({m}, {condition})", f"BALLOT({m}, {condition})")
        yield self.one(
            f"b ^= {ballot};",
            f"c += __popc({ballot});",
            f"c += __popc({ballot} & {self.one(*_BELOW)});",
            f"a += __ffs({ballot});",
            f"a ^= 31 - __clz({ballot});",
            f"if (__any_sync({m}, {condition})) a += 77;",
            f"b += __all_sync({m}, {condition}) ? 5 : 9;",
            f"a += {ballot} >> lane & 1;",
            f"{{ const auto votes = {ballot}; b = votes == {mask or 'everyone'} ? b : b + (votes >> 7); }}",
            f"b ^= __brev({ballot});",
        )

    def match(self, mask: str) -> Iterator[str]:
        m = mask or self.full()
        key = self.one("a & 3", "b % 5", "c >> 30", "f", "(unsigned long long)a << 32 & 0x300000000ull", "lane / 5")
        own = self.name("same")
        yield self.one(
            f"b ^= __match_any_sync({m}, {key});",
            f"c += __popc(__match_any_sync({m}, {key}) & {self.one(*_BELOW)});",
            f"{{ int {own}; a ^= __match_all_sync({m}, {self.one(key, 'lane / 32', 'a >> 31 >> 1')}, &{own}); "
            f"b += {own}; }}",
        )

    def reduction(self, mask: str) -> Iterator[str]:
        name, kept = self.choose.choice([*_OPERATIONS.items()])
        kind = self.one("unsigned", "int") if name in ("add", "min", "max") else "unsigned"
        yield f"{self.one('b', 'c')} ^= __reduce_{name}_sync({mask or self.full()}, ({kind})(a {kept}));"

    def leader(self, mask: str) -> Iterator[str]:
        m, own, key = mask or self.full(), self.name("peers"), self.one("a & 3", "b % 3", "lane / 9")
        leads = self.one(f"__ffs({own}) - 1", f"31 - __clz({own})")
        yield f"{{ const unsigned {own} = __match_any_sync({m}, {key});"
        yield f"  const int leader = {leads};"
        yield f"  c {self.one('+', '^')}= __shfl_sync({own}, {self.one('a', 'b + lane', '(int)c')}, leader);"
        yield f"  if (lane == leader) b += __popc({own}); }}"

    def active(self, mask: str) -> Iterator[str]:
        if not mask:
            yield "a += __popc(__activemask()); b ^= __activemask() >> lane;"
            return
        g = self.name("active")
        yield f"{{ const auto {g} = cg::coalesced_threads();"
        yield "  " + self.one(
            f"a += {g}.size() * 3 + {g}.thread_rank();",
            f"b ^= {g}.shfl(a, 0);",
            f"b ^= {g}.shfl(c, {g}.size() - 1);",
            f"c += {g}.ballot({self.condition()});",
            f"a += {g}.any({self.condition()}) + 2 * {g}.all({self.condition()});",
            f"c ^= cg::reduce({g}, a & 0xffff, cg::plus<unsigned>());",
            f"b += {g}.shfl_down(a, 1) + ({g}.thread_rank() + 1 < {g}.size() ? 1 : 0);",
            f"b += {g}.shfl_up(a, 2);",
            f"c ^= {g}.match_any(a & 1);",
            f"c += cg::exclusive_scan({g}, a & 0xff);",
        )
        yield "}"

    def special(self, mask: str) -> Iterator[str]:
        m, x = f'"r"({mask or self.full()})', self.name("x")
        forms = [
            ("vote.sync.ballot.b32 %0, p, %1;", f'{m}, "r"((int)(({self.condition()}) != 0))', True),
            ("mov.u32 %0, %%lanemask_ge;", "", False),
            ("mov.u32 %0, %%lanemask_eq;", "", False),
            ("mov.u32 %0, %%lanemask_le;", "", False),
            ("match.any.sync.b32 %0, %1, %2;", f'"r"(b & 3), {m}', False),
            ("redux.sync.add.u32 %0, %1, %2;", f'"r"(a & 0xfff), {m}', False),
        ]
        if not mask:
            clamp = self.choose.choice((0x1F, 0x181F, 0x101F, 0x1C1F))
            forms += [
                (f"shfl.sync.bfly.b32 %0, %1, {self.choose.choice((1, 3, 8))}, {clamp}, %2;", f'"r"(a), {m}', False),
                (f"shfl.sync.idx.b32 %0, %1, {self.choose.choice((0, 5, 31))}, {clamp}, %2;", f'"r"(b), {m}', False),
                (f"shfl.sync.down.b32 %0, %1, 2, {clamp}, %2;", f'"r"(c), {m}', False),
                (f"shfl.sync.up.b32 %0, %1, 1, {clamp & ~0x1F}, %2;", f'"r"(a), {m}', False),
            ]
        code, given, votes = self.choose.choice(forms)
        if votes:
            code = "{\\n.reg .pred p;\\nsetp.ne.b32 p, %2, 0;\\n" + code + "\\n}"
        inputs = f" : {given}" if given else ""
        yield f'{{ unsigned {x}; asm volatile("{code}" : "=r"({x}){inputs}); b ^= {x}; }}'

    def shuffle(self, mask: str) -> Iterator[str]:
        m, width = self.full(), self.choose.choice((0, 0, 0, 2, 4, 8, 16, 32))
        w = f", {width}" if width else ""
        v = self.one(*_SHUFFLED)
        n = self.choose.choice((1, 2, 3, 7, 8, 16, 31))
        call = self.one(
            f"__shfl_sync({m}, {v}, {self.one(str(n), 'b & 31', 'lane + 1', 'lane ^ 1', '(lane + 9) % 32')}{w})",
            f"__shfl_up_sync({m}, {v}, {n}{w})",
            f"__shfl_down_sync({m}, {v}, {n}{w})",
            f"__shfl_xor_sync({m}, {v}, {n}{w})",
        )
        if "half" in v:
            call = f"__half2float({call})"
        yield self.one(f"a += (unsigned)(long long){call};", f"{{ auto r = {call}; c ^= (unsigned)(long long)r; }}")

    def helper(self, mask: str) -> Iterator[str]:
        yield self.one(
            "b += sum_of_warp(a & 0xffff);",
            "f += sum_of_warp((float)(b & 255));",
            f"c ^= largest<{self.choose.choice((4, 8, 16, 32))}>(a);",
            f"a += (unsigned)largest<{self.choose.choice((2, 32))}>(f);",
            "c += scanned(b & 0xff, lane);",
        )

    def branch(self, mask: str) -> Iterator[str]:
        m, condition = self.name("m"), self.condition()
        yield f"{{ const bool taken = {condition};"
        yield f"  const unsigned {m} = __ballot_sync({self.full()}, taken);"
        yield "  if (taken) {"
        yield from (f"    {line}" for line in self.block(self.choose.randint(1, 4), self.one(m, "__activemask()")))
        if self.choose.random() < 0.5:
            yield "  } else {"
            yield from (f"    {line}" for line in self.block(self.choose.randint(1, 3), f"~{m}"))
        yield "  } __syncwarp(); }"

    def loop(self, mask: str) -> Iterator[str]:
        m, n = self.name("left"), self.name("n")
        yield f"{{ unsigned {m} = {self.full()}; int {n} = {self.one('a & 3', 'b % 4', 'lane & 1')};"
        yield f"  while (true) {{ {m} = __ballot_sync({m}, {n} > 0); if ({n} <= 0) break; --{n};"
        yield from (f"    {line}" for line in self.block(self.choose.randint(1, 3), m))
        yield "  } __syncwarp(); }"

    def tile(self, mask: str) -> Iterator[str]:
        g, size = self.name("tile"), self.choose.choice((1, 2, 4, 8, 16, 32))
        parent = self.one("cg::this_thread_block()", "warp_tile") if size < 32 else "cg::this_thread_block()"
        of = f"cg::tiled_partition<{size}>({parent})"
        yield f"{{ const auto {g} = {of};"
        for _ in range(self.choose.randint(1, 3)):
            yield "  " + self.group(g, size)
        yield "}"

    def group(self, g: str, size: int) -> str:
        function = self.one(*_FUNCTIONS)
        return self.one(
            f"a += {g}.shfl(b, {self.choose.randrange(size)});",
            f"b ^= {g}.shfl_xor(a, {self.choose.randrange(size)});",
            f"c += {g}.shfl_down(a, {self.choose.randrange(size)});",
            f"a ^= {g}.shfl_up(c, {self.choose.randrange(size)});",
            f"b += {g}.ballot({self.condition()});",
            f"c += 3 * {g}.any({self.condition()}) + {g}.all({self.condition()});",
            f"b ^= {g}.match_any(a & 3);",
            f"a += {g}.thread_rank() * 7 + {g}.meta_group_rank() * 5 + {g}.meta_group_size() + {g}.num_threads();",
            f"c ^= cg::reduce({g}, a, cg::{function}<unsigned>());",
            f"b ^= cg::inclusive_scan({g}, a, cg::{function}<unsigned>());",
            f"b += cg::exclusive_scan({g}, a & 0xff);",
            f"f = cg::reduce({g}, f, cg::greater<float>()); {g}.sync();",
        )

    def halves(self, mask: str) -> Iterator[str]:
        half = self.name("half")
        yield f"{{ const unsigned {half} = 0xffffu << (lane & 16);"
        yield "  " + self.one(
            f"a += __shfl_xor_sync({half}, b, {self.choose.choice((1, 4, 15))});",
            f"a += __shfl_sync({half}, b, lane & 16);",
            f"b ^= __ballot_sync({half}, {self.condition()});",
            f"c += __reduce_add_sync({half}, a & 0xff);",
            f"b += __any_sync({half}, {self.condition()}) + 2 * __all_sync({half}, {self.condition()});",
            f"c ^= __match_any_sync({half}, a & 1);",
        )
        yield "}"

    def partition(self, mask: str) -> Iterator[str]:
        g = self.name("part")
        by = self.one(
            f"binary_partition(warp_tile, ({self.condition()}) != 0)", "labeled_partition(warp_tile, (int)(a & 3))"
        )
        yield f"{{ const auto {g} = cg::{by};"
        yield "  " + self.one(
            f"a += {g}.size() * 11 + {g}.thread_rank();",
            f"b ^= {g}.shfl(a, 0);",
            f"c += {g}.ballot(b & 1);",
            f"c ^= cg::reduce({g}, a & 0xffff, cg::plus<unsigned>());",
            f"b += {g}.meta_group_size() + 3 * {g}.meta_group_rank();",
        )
        yield "}"

    def shared(self, mask: str) -> Iterator[str]:
        s = self.name("kept")
        yield f"{{ __shared__ unsigned {s}[128]; {s}[t] = a; "
        yield self.one(
            f"  __syncwarp(); b ^= {s}[t ^ 5]; __syncwarp(); }}",
            f"  __syncthreads(); c += {s}[(t + 32) % threads]; __syncthreads(); }}",
            f"  __syncwarp(everyone); if (lane == 0) {s}[t] = sum_of({s} + t); __syncwarp(); "
            f"b += {s}[t - lane]; __syncwarp(); }}",
            f"  __syncthreads(); if (lane == 31) {s}[warp] = c; __syncthreads(); "
            f"a ^= {s}[(warp + 1) % (threads / 32)]; __syncthreads(); }}",
        )

    def wide(self, mask: str) -> Iterator[str]:
        def ballot() -> str:
            return f"__ballot_sync({self.full()}, {self.condition()})"

        yield self.one(
            f"{{ const unsigned long long votes = {ballot()}; "
            "c += (unsigned)(votes >> 16) + (unsigned)(votes >> 33); }",
            f"{{ const uint64_t votes = (uint64_t){ballot()} << 8; b ^= __popcll(votes) + __ffsll(votes); }}",
            f"{{ int votes = {ballot()}; c += votes >> 28; }}",
            f"{{ float x = {ballot()}; c += (unsigned)(x / 3.0f); }}",
            f"c += sizeof(__ballot_sync({self.full()}, 1));",
        )

    def block_vote(self, mask: str) -> Iterator[str]:
        yield self.one(
            f"c += __syncthreads_count({self.condition()});",
            f"b ^= __syncthreads_or({self.condition()}) != 0;",
            f"a += __syncthreads_and({self.condition()}) ? 3 : 4;",
        )


def kernel(seed: int, number: int) -> tuple[str, str]:
    """Return a kernel and the block that it is launched with."""
    choose = random.Random(f"{seed}, {number}")
    body = _Kernel(choose)
    block = choose.choice(_BLOCKS)
    lines = [
        f"__global__ void kernel{number}(unsigned* out) {{",
        "  const int t = thread_id(), threads = blockDim.x * blockDim.y * blockDim.z;",
        f"  const int lane = {choose.choice(_LANES)}, warp = {choose.choice(('t / 32', 't >> 5', 't / WARP'))};",
        f"  const unsigned everyone = {choose.choice(_EVERYONE)};",
        f"  unsigned a = mixed(t + {choose.randrange(1000)}), b = mixed(a), c = mixed(b);",
        "  float f = (float)(int)(a >> 20) - 2000.0f;",
        "  const auto warp_tile = cg::tiled_partition<32>(cg::this_thread_block());",
        *(f"  {line}" for line in body.block(choose.randint(4, 9), "")),
        "  out[t] = a + 3 * b + 7 * c + (unsigned)(int)f + warp + threads + warp_tile.thread_rank();",
        "}",
    ]
    return "\n".join(lines), block


def program(seed: int, kernels: int = KERNELS) -> str:
    """Return a program that prints each kernel's name, what its results hash to, and CUDA's status."""
    made = [kernel(seed, number) for number in range(kernels)]
    extra = (
        "#include <cstdlib>\n__device__ unsigned sum_of(const unsigned* kept) {\n  unsigned sum = 0;\n"
        "  for (int i = 0; i < 32; ++i) sum += kept[i];\n  return sum;\n}\n"
    )
    calls = "".join(f'  show("{seed}.{number}", kernel{number}, {block});\n' for number, (_, block) in enumerate(made))
    return "\n".join((HEAD, extra, *(text for text, _ in made), MAIN, f"int main() {{\n{calls}}}\n"))


if __name__ == "__main__":
    print(program(int(sys.argv[1])))
