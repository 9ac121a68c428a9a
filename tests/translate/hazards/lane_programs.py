"""Generated CUDA programs whose warp code is split over functions, each with a convention for the lanes of a warp.

A program is right in CUDA, where 32 and `warpSize` are the same. It has a helper, a caller, and a connection between
them; or it keeps a ballot somewhere; or its host code sizes a launch. Lines marked `/* lanes */` are those where a
finding about it is in the right place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

MARK = "/* lanes */"


@dataclass(frozen=True, slots=True)
class LaneProgram:
    """A program: `main.cu` with `bool run()`, maybe headers. `name` tells its parts."""

    name: str
    files: Mapping[str, str]

    def lines(self, file: str) -> set[int]:
        """Return the lines of a file that a finding may point at."""
        return {at for at, line in enumerate(self.files[file].split("\n"), 1) if MARK in line}


@dataclass(frozen=True, slots=True)
class _Helper:
    """Statements on `v`, a reference to an int, and declarations they need."""

    name: str
    body: str
    before: str = ""


_ALL = "0xffffffffu"
_TILE = "auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());"
_GROUPS = "#include <cooperative_groups.h>\n"


def _tree(start: str, end: str = "d > 0", step: str = "d /= 2", call: str = "__shfl_down_sync", last: str = "") -> str:
    return f"for (int d = {start}; {end}; {step}) v += {call}({_ALL}, v, d{last});"


def _steps(call: str, steps: tuple[int, ...]) -> str:
    return " ".join(f"v += {call}({_ALL}, v, {step});" for step in steps)


_LANEID = 'asm("mov.u32 %0, %%laneid;" : "=r"(lane));'
_SCANS = {
    "and31": ("const int lane = threadIdx.x & 31;", "32", ""),
    "hex31": ("const int lane = threadIdx.x & 0x1f;", "32", ""),
    "laneid": (f"int lane; {_LANEID}", "32", ""),
    "wave": ("const int lane = threadIdx.x % warpSize;", "warpSize", ""),
    "wavemask": ("const int lane = threadIdx.x & (warpSize - 1);", "warpSize", ", warpSize"),
    "mixedbound": ("const int lane = threadIdx.x % warpSize;", "32", ""),
    "mixedlane": ("const int lane = threadIdx.x & 31;", "warpSize", ""),
    "mixedwidth": ("const int lane = threadIdx.x & 0x1f;", "32", ", warpSize"),
    "mixedlaneid": (f"int lane; {_LANEID}", "warpSize", ""),
}

HELPERS: Mapping[str, tuple[_Helper, ...]] = {
    "reduce": (
        _Helper("steps16", _tree("16")),
        _Helper("bound32", _tree("1", "d < 32", "d *= 2", "__shfl_xor_sync")),
        _Helper("boundle", _tree("1", "d <= 16", "d <<= 1", "__shfl_xor_sync")),
        _Helper("named", _tree("kLanes / 2"), "constexpr int kLanes = 32;"),
        _Helper("width32", _tree("16", last=", 32")),
        _Helper("five", f"for (int i = 0; i < 5; ++i) v += __shfl_xor_sync({_ALL}, v, 1 << i);"),
        _Helper("unrolled", _steps("__shfl_down_sync", (16, 8, 4, 2, 1))),
        _Helper("upward", _steps("__shfl_xor_sync", (1, 2, 4, 8, 16))),
        _Helper("tile", f"{_TILE} for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_down(v, d);", _GROUPS),
        _Helper("wave", _tree("warpSize / 2")),
        _Helper("waveshift", _tree("warpSize >> 1", "d >= 1", "d >>= 1")),
        _Helper("wavebound", _tree("1", "d < warpSize", "d *= 2", "__shfl_xor_sync")),
        _Helper("wavewidth", _tree("warpSize / 2", last=", warpSize")),
        _Helper("wavestart16", _tree("16", last=", warpSize")),
    ),
    "scan": tuple(
        _Helper(
            name,
            f"{lane} for (int d = 1; d < {bound}; d *= 2) "
            f"{{ const int o = __shfl_up_sync({_ALL}, v, d{width}); if (lane >= d) v += o; }}",
        )
        for name, (lane, bound, width) in _SCANS.items()
    ),
    "first": (
        _Helper("neutral", f"v = __shfl_sync({_ALL}, v, 0);"),
        _Helper("width32", f"v = __shfl_sync({_ALL}, v, 0, 32);"),
        _Helper("wavewidth", f"v = __shfl_sync({_ALL}, v, 0, warpSize);"),
        _Helper("ffs", f"v = __shfl_sync({_ALL}, v, __ffs(__ballot_sync({_ALL}, 1)) - 1);"),
    ),
    "last": (
        _Helper("constant31", f"v = __shfl_sync({_ALL}, v, 31);"),
        _Helper("wave", f"v = __shfl_sync({_ALL}, v, warpSize - 1);"),
    ),
    "lane": (
        _Helper("and31", "v = threadIdx.x & 31;"),
        _Helper("mod32", "v = threadIdx.x % 32;"),
        _Helper("laneid", f"int lane; {_LANEID} v = lane;"),
        _Helper("wave", "v = threadIdx.x % warpSize;"),
        _Helper("wavemask", "v = threadIdx.x & (warpSize - 1);"),
    ),
}


@dataclass(frozen=True, slots=True)
class _Caller:
    """How a kernel numbers lanes and warps."""

    name: str
    lane: str
    warp: str
    size: str
    before: str = ""


CALLERS = (
    _Caller("and31", "threadIdx.x & 31", "threadIdx.x >> 5", "32"),
    _Caller("mod32", "threadIdx.x % 32u", "threadIdx.x / 32u", "32"),
    _Caller("named", "threadIdx.x % kWarp", "threadIdx.x / kWarp", "kWarp", "const int kWarp = 32;"),
    _Caller("wave", "threadIdx.x % warpSize", "threadIdx.x / warpSize", "warpSize"),
    _Caller("wavemask", "threadIdx.x & (warpSize - 1)", "threadIdx.x / warpSize", "warpSize"),
    _Caller("wavemacro", "threadIdx.x % LANES", "threadIdx.x / LANES", "LANES", "#define LANES warpSize"),
    _Caller("mixed", "threadIdx.x & 31", "threadIdx.x / warpSize", "warpSize"),
    _Caller("laneid", "lane_id()", "threadIdx.x / 32", "32", "@laneid"),
)
_LANE_ID = f"__device__ __forceinline__ int lane_id() {{ int lane; {_LANEID} return lane; }} {MARK}"

_REDUCE = """
__global__ void kernel(const int* in, int* out) {
  __shared__ int sums[64];
  const int lane = LANE;
  const int warp = WARP;
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
  CALL
  if (lane == 0) sums[warp] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    int total = 0;
    for (int i = 0; i < static_cast<int>(blockDim.x) / SIZE; ++i) total += sums[i];
    out[blockIdx.x] = total;
  }
}
"""
_CHECK_REDUCE = """
  for (int block = 0; block < 2; ++block) {
    int sum = 0;
    for (int i = 0; i < 128; ++i) sum += in[block * 128 + i];
    if (out[block] != sum) return false;
  }
  return true;
"""
_SCAN = """
__global__ void kernel(const int* in, int* out) {
  __shared__ int sums[64];
  const int lane = LANE;
  const int warp = WARP;
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
  CALL
  if (lane == SIZE - 1) sums[warp] = v;
  __syncthreads();
  for (int i = 0; i < warp; ++i) v += sums[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
"""
_CHECK_SCAN = """
  for (int block = 0; block < 2; ++block) {
    int sum = 0;
    for (int i = 0; i < 128; ++i) {
      sum += in[block * 128 + i];
      if (out[block * 128 + i] != sum) return false;
    }
  }
  return true;
"""
_FIRST = """
__device__ int cursor;
__global__ void start() { cursor = 0; }
__global__ void kernel(const int* in, int* out) {
  const int lane = LANE;
  int v = 0;
  if (lane == LEADER) v = atomicAdd(&cursor, SIZE);
  CALL
  out[v + lane] = in[blockIdx.x * blockDim.x + threadIdx.x];
}
"""
_CHECK_FIRST = """
  long long wanted = 0, sum = 0;
  for (int i = 0; i < 256; ++i) {
    wanted += static_cast<long long>(in[i]) * in[i];
    sum += static_cast<long long>(out[i]) * out[i];
  }
  return wanted == sum;
"""
_LANE_OF = """
__global__ void kernel(const int* in, int* out) {
  __shared__ int sums[64];
  int v = 0;
  CALL
  const int lane = v;
  v = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int d = SIZE / 2; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (lane == 0) sums[WARP] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    int total = 0;
    for (int i = 0; i < static_cast<int>(blockDim.x) / SIZE; ++i) total += sums[i];
    out[blockIdx.x] = total;
  }
}
"""
_KERNELS = {
    "reduce": (_REDUCE, _CHECK_REDUCE),
    "scan": (_SCAN, _CHECK_SCAN),
    "first": (_FIRST, _CHECK_FIRST),
    "last": (_FIRST.replace("LEADER", "SIZE - 1"), _CHECK_FIRST),
    "lane": (_LANE_OF, _CHECK_REDUCE),
}
_HOST = """
bool run() {
  int in[256], out[256] = {};
  for (int i = 0; i < 256; ++i) in[i] = 1 + (i * 37) % 101;
  int *from = nullptr, *to = nullptr;
  cudaMalloc(&from, sizeof(in));
  cudaMalloc(&to, sizeof(out));
  cudaMemcpy(from, in, sizeof(in), cudaMemcpyHostToDevice);
  cudaMemcpy(to, out, sizeof(out), cudaMemcpyHostToDevice);
LAUNCH
  if (cudaDeviceSynchronize() != cudaSuccess) return false;
  cudaMemcpy(out, to, sizeof(out), cudaMemcpyDeviceToHost);
  cudaFree(from);
  cudaFree(to);
CHECK
}
"""
_LAUNCH = "  kernel<<<2, 128>>>(from, to);"


def _connections(helper: _Helper) -> Iterator[tuple[str, Mapping[str, str], str, str]]:
    """Yield a name, headers, declarations, and the statements that call the helper on `v`."""
    body, own = helper.body, helper.before
    value = f"(int v) {{ {body} return v; }}"
    plain = f"{own}\n__device__ inline int helper{value} {MARK}\n"
    direct = f"v = helper(v); {MARK}"
    yield "direct", {}, plain, direct
    yield "reference", {}, f"{own}\n__device__ void helper(int& v) {{ {body} }} {MARK}\n", f"helper(v); {MARK}"
    template = f"{own}\ntemplate <typename T>\n__device__ T helper(T v) {{ {body} return v; }} {MARK}\n"
    yield "template", {}, template, f"v = helper<int>(v); {MARK}"
    yield "header", {"warp.cuh": f"#pragma once\n{plain}"}, '#include "warp.cuh"\n', direct
    name_space = f"{own}\nnamespace detail {{\n__device__ inline int helper{value} {MARK}\n}}\n"
    yield "namespace", {}, name_space, f"v = detail::helper(v); {MARK}"
    method = f"{own}\nstruct Warp {{\n  static __device__ int helper{value} {MARK}\n}};\n"
    yield "method", {}, method, f"v = Warp::helper(v); {MARK}"
    member = (
        f"struct Warp {{\n  int bias;\n  __device__ int helper(int v) const {{ {body} return v + bias; }} {MARK}\n}};"
    )
    yield "member", {"warp.cuh": f"{own}\n{member}\n"}, '#include "warp.cuh"\n', f"Warp w{{0}}; v = w.helper(v); {MARK}"
    functor = (
        f"{own}\nstruct Helper {{\n  __device__ int operator(){value.replace(') {', ') const {', 1)} {MARK}\n}};\n"
    )
    yield "functor", {}, functor, f"v = Helper()(v); {MARK}"
    apply = "template <typename F>\n__device__ int apply(F f, int v) { return f(v); }\n"
    yield "handed", {}, f"{functor}{apply}", f"Helper helper; v = apply(helper, v); {MARK}"
    yield "lambda", {}, own, f"auto sum = [](int v) {{ {body} return v; }}; {MARK}\n  v = sum(v); {MARK}"
    if "asm" not in body:
        yield "macro", {}, f"{own}\n#define HELPER(v) {{ {body} }} {MARK}\n", f"HELPER(v); {MARK}"
        macro = f"{own}\n#define HELPER(v) {{ {body} }} {MARK}\n"
        yield "macroheader", {"warp.cuh": macro}, '#include "warp.cuh"\n', f"HELPER(v); {MARK}"
    middle = f"__device__ inline int middle(int v) {{ return helper(v); }} {MARK}\n"
    yield "deep", {}, plain + middle, f"v = middle(v); {MARK}"
    files = {"lanes.cuh": f"#pragma once\n{plain}", "warp.cuh": f'#pragma once\n#include "lanes.cuh"\n{middle}'}
    yield "deepheader", files, '#include "warp.cuh"\n', f"v = middle(v); {MARK}"


_PLACES = re.compile(r"\b(?:LANE|WARP|SIZE)\b")


def _kernel(text: str, caller: _Caller, call: str) -> str:
    text = text.replace("LEADER", "0").replace("CALL", call)
    text = "\n".join(f"{line} {MARK}" if _PLACES.search(line) else line for line in text.split("\n"))
    for word, value in (("LANE", caller.lane), ("WARP", caller.warp), ("SIZE", caller.size)):
        text = re.sub(rf"\b{word}\b", value, text)
    return text


def _program(name: str, headers: Mapping[str, str], text: str, check: str, launch: str = _LAUNCH) -> LaneProgram:
    main = "#include <cuda_runtime.h>\n" + text + _HOST.replace("LAUNCH", launch).replace("CHECK", check.strip("\n"))
    return LaneProgram(name, {"main.cu": main, **headers})


def connected() -> Iterator[LaneProgram]:
    """Yield helper x caller x connection."""
    for kind, helpers in HELPERS.items():
        kernel, check = _KERNELS[kind]
        launch = f"  start<<<1, 1>>>();\n{_LAUNCH}" if "start" in kernel else _LAUNCH
        for helper in helpers:
            for connection, headers, before, call in _connections(helper):
                for caller in CALLERS:
                    own = caller.before.replace("@laneid", _LANE_ID)
                    text = f"{before}\n{own}\n{_kernel(kernel, caller, call)}"
                    name = f"{kind}-{helper.name}-{connection}-{caller.name}"
                    yield _program(name, headers, text, check, launch)


_TREE_OF = {"down": _tree("W / 2", last=", W"), "xor": _tree("1", "d < W", "d *= 2", "__shfl_xor_sync")}
_SIZED = (
    ("targument", "template <int W>\n__device__ int helper(int v) {{ {body} return v; }}", "v = helper<{size}>(v);"),
    ("tdefault", "template <int W = {size}>\n__device__ int helper(int v) {{ {body} return v; }}", "v = helper(v);"),
    (
        "targuments",
        "template <typename T, int W>\n__device__ T helper(T v) {{ {body} return v; }}",
        "v = helper<int, {size}>(v);",
    ),
    (
        "tclass",
        "template <int W>\nstruct Warp {{\n  static __device__ int helper(int v) {{ {body} return v; }}\n}};",
        "v = Warp<{size}>::helper(v);",
    ),
    ("argument", "__device__ int helper(int v, int W) {{ {body} return v; }}", "v = helper(v, {size});"),
    ("default", "__device__ int helper(int v, int W = {size}) {{ {body} return v; }}", "v = helper(v);"),
    (
        "forwarded",
        "template <int W>\n__device__ int helper(int v) {{ {body} return v; }}\n"
        "__device__ int middle(int v) {{ return helper<{size}>(v); }}",
        "v = middle(v);",
    ),
)


def sized() -> Iterator[LaneProgram]:
    """Yield helpers that get the number of lanes from their callers, in the file or in a header."""
    for tree, body in _TREE_OF.items():
        for passed, text, call in _SIZED:
            for size in ("32", "kLanes", "warpSize"):
                if size == "warpSize" and passed != "argument":  # not a constant
                    continue
                helper = re.sub(r"$", f" {MARK}", text.format(body=body, size=size), flags=re.MULTILINE)
                before = f"constexpr int kLanes = 32;\n{helper}\n"
                for where in ("file", "header"):
                    headers = {} if where == "file" else {"warp.cuh": f"#pragma once\n{before}"}
                    in_file = before if where == "file" else '#include "warp.cuh"\n'
                    for caller in CALLERS:
                        own = caller.before.replace("@laneid", _LANE_ID)
                        kernel = _kernel(_REDUCE, caller, f"{call.format(size=size)} {MARK}")
                        name = f"sized-{tree}-{passed}-{size}-{where}-{caller.name}"
                        yield _program(name, headers, f"{in_file}{own}\n{kernel}", _CHECK_REDUCE)


_COMPACT = """
__device__ int cursor;
__global__ void start() { cursor = 0; }
BEFORE
__global__ void kernel(const int* in, int* out) {
  const int lane = LANE;
  const int value = in[blockIdx.x * blockDim.x + threadIdx.x];
  const int p = value & 1;
  HOLD
  int base = 0;
  if (lane == 0) base = atomicAdd(&cursor, COUNT);
  base = __shfl_sync(0xffffffffu, base, 0);
  if (p) out[base + RANK] = value;
}
"""
_CHECK_COMPACT = """
  long long wanted = 0, sum = 0;
  for (int i = 0; i < 256; ++i) {
    wanted += in[i] & 1 ? static_cast<long long>(in[i]) * in[i] : 0;
    sum += static_cast<long long>(out[i]) * out[i];
  }
  return wanted == sum;
"""
_BALLOT = f"__ballot_sync({_ALL}, p)"


@dataclass(frozen=True, slots=True)
class _Storage:
    """How a ballot of `p` gets into an expression `mask`."""

    name: str
    before: str
    hold: str
    mask: str = "m"


STORAGES = (
    _Storage("local", "", f"unsigned m = {_BALLOT}; {MARK}"),
    _Storage("signed", "", f"int m = {_BALLOT}; {MARK}"),
    _Storage("assigned", "", f"unsigned m; {MARK}\n  m = {_BALLOT}; {MARK}"),
    _Storage("two", "", f"unsigned none = 0, m = {_BALLOT} | none; {MARK}"),
    _Storage("local_auto", "", f"const auto m = {_BALLOT}; {MARK}"),
    _Storage("wide", "", f"unsigned long long m = {_BALLOT}; {MARK}"),
    _Storage("cast", "", f"unsigned long long m = (unsigned){_BALLOT}; {MARK}"),
    _Storage("static_cast", "", f"auto m = static_cast<unsigned>({_BALLOT}); {MARK}"),
    _Storage(
        "returned", f"__device__ unsigned votes(int p) {{ return {_BALLOT}; }} {MARK}", f"auto m = votes(p); {MARK}"
    ),
    _Storage(
        "returned_local",
        f"__device__ unsigned votes(int p) {{ unsigned all = {_BALLOT}; return all; }} {MARK}",
        f"const unsigned m = votes(p); {MARK}",
    ),
    _Storage(
        "returned_auto", f"__device__ auto votes(int p) {{ return {_BALLOT}; }} {MARK}", f"auto m = votes(p); {MARK}"
    ),
    _Storage(
        "returned_wide",
        f"__device__ unsigned long long votes(int p) {{ return {_BALLOT}; }} {MARK}",
        f"unsigned m = votes(p); {MARK}",
    ),
    _Storage(
        "returned_twice",
        f"__device__ unsigned votes(int p) {{ return {_BALLOT}; }} {MARK}\n"
        f"__device__ unsigned again(int p) {{ return votes(p); }} {MARK}",
        f"auto m = again(p); {MARK}",
    ),
    _Storage(
        "method",
        f"struct Voter {{\n  static __device__ unsigned votes(int p) {{ return {_BALLOT}; }} {MARK}\n}};",
        f"auto m = Voter::votes(p); {MARK}",
    ),
    _Storage(
        "lambda", "", f"auto votes = [](int p) -> unsigned {{ return {_BALLOT}; }}; {MARK}\n  auto m = votes(p); {MARK}"
    ),
    _Storage("typedef", f"typedef unsigned int mask_t; {MARK}", f"mask_t m = {_BALLOT}; {MARK}"),
    _Storage("using", f"using Mask = unsigned; {MARK}", f"Mask m = {_BALLOT}; {MARK}"),
    _Storage("macro_type", f"#define MASK unsigned {MARK}", f"MASK m = {_BALLOT}; {MARK}"),
    _Storage(
        "member", f"struct Vote {{ unsigned mask; int lane; }}; {MARK}", f"Vote m; m.mask = {_BALLOT}; {MARK}", "m.mask"
    ),
    _Storage(
        "member_braced",
        f"struct Vote {{ unsigned mask; int lane; }}; {MARK}",
        f"Vote m{{{_BALLOT}, lane}}; {MARK}",
        "m.mask",
    ),
    _Storage(
        "member_list",
        f"struct Vote {{ unsigned mask; int lane; }}; {MARK}",
        f"Vote m = {{static_cast<unsigned>({_BALLOT}), lane}}; {MARK}",
        "m.mask",
    ),
    _Storage(
        "member_init",
        f"struct Vote {{\n  unsigned mask; {MARK}\n  __device__ Vote(int p) : mask({_BALLOT}) {{}} {MARK}\n}};",
        f"Vote m(p); {MARK}",
        "m.mask",
    ),
    _Storage(
        "member_method",
        f"struct Vote {{\n  unsigned mask_; {MARK}\n  __device__ void take(int p) {{ mask_ = {_BALLOT}; }} {MARK}\n}};",
        f"Vote m; {MARK}\n  m.take(p); {MARK}",
        "m.mask_",
    ),
    _Storage(
        "member_pointer",
        f"struct Vote {{ unsigned mask; int lane; }}; {MARK}",
        f"Vote vote; Vote* m = &vote; m->mask = {_BALLOT}; {MARK}",
        "m->mask",
    ),
    _Storage("array", "", f"unsigned m[2]; {MARK}\n  m[0] = {_BALLOT}; {MARK}", "m[0]"),
    _Storage("array_braced", "", f"unsigned m[] = {{(unsigned){_BALLOT}, 0u}}; {MARK}", "m[0]"),
    _Storage(
        "shared",
        "",
        f"__shared__ unsigned m[8]; {MARK}\n  {{ const unsigned long long all = {_BALLOT}; {MARK}\n"
        f"    if (lane == 0) m[WARP] = all; }} {MARK}\n  __syncthreads();",
        "m[WARP]",
    ),
    _Storage(
        "shared_direct",
        "",
        f"__shared__ unsigned m[8]; {MARK}\n  m[WARP] = {_BALLOT}; {MARK}\n  __syncthreads();",
        "m[WARP]",
    ),
    _Storage(
        "reference",
        f"__device__ void votes(unsigned& m, int p) {{ m = {_BALLOT}; }} {MARK}",
        f"unsigned m; {MARK}\n  votes(m, p); {MARK}",
    ),
    _Storage(
        "pointer",
        f"__device__ void votes(unsigned* m, int p) {{ *m = {_BALLOT}; }} {MARK}",
        f"unsigned m; {MARK}\n  votes(&m, p); {MARK}",
    ),
    _Storage(
        "pointer_element",
        f"__device__ void votes(unsigned* m, int p) {{ m[0] = {_BALLOT}; }} {MARK}",
        f"unsigned m[1]; {MARK}\n  votes(m, p); {MARK}",
        "m[0]",
    ),
    _Storage("local_reference", "", f"unsigned m; {MARK}\n  unsigned& same = m; {MARK}\n  same = {_BALLOT}; {MARK}"),
    _Storage("local_pointer", "", f"unsigned m; {MARK}\n  unsigned* same = &m; {MARK}\n  *same = {_BALLOT}; {MARK}"),
    _Storage("or_assigned", "", f"unsigned m = 0; {MARK}\n  m |= {_BALLOT}; {MARK}"),
    _Storage("atomic", "", f"unsigned m = 0; {MARK}\n  atomicOr(&m, (unsigned){_BALLOT}); {MARK}"),
    _Storage("pair", "", f"uint2 m = make_uint2({_BALLOT}, 0u); {MARK}", "m.x"),
    _Storage("pair_member", "", f"uint2 m; {MARK}\n  m.y = {_BALLOT}; {MARK}", "m.y"),
)
"""Ways to keep a ballot in 32 bits, and near misses."""

_PASSED = (
    ("inline", "", "__popc(MASK)", "__popc(MASK & ((1u << lane) - 1u))"),
    ("inline64", "", "__popcll(MASK)", "__popcll(MASK & ((1ull << lane) - 1))"),
    (
        "parameter",
        f"__device__ int count(unsigned mask) {{ return __popc(mask); }} {MARK}\n"
        f"__device__ int rank(unsigned mask, int lane) {{ return __popc(mask & ((1u << lane) - 1u)); }} {MARK}",
        "count(MASK)",
        "rank(MASK, lane)",
    ),
    (
        "template",
        f"template <typename M>\n__device__ int count(M mask) {{ return __popc(mask); }} {MARK}\n"
        f"template <typename M>\n__device__ int rank(M mask, int lane) {{ {MARK}\n"
        f"  return __popc(mask & ((M(1) << lane) - 1)); {MARK}\n}}",
        "count(MASK)",
        "rank(MASK, lane)",
    ),
    (
        "byref",
        f"__device__ int count(const unsigned& mask) {{ return __popc(mask); }} {MARK}\n"
        f"__device__ int rank(const unsigned& mask, int lane) {{ return __popc(mask & ((1u << lane) - 1u)); }} {MARK}",
        "count(MASK)",
        "rank(MASK, lane)",
    ),
    (
        "loop",
        f"__device__ int rank(unsigned mask, int lane) {{ {MARK}\n  int before = 0;\n"
        f"  while (mask) {{ before += __ffs(mask) - 1 < lane; mask &= mask - 1; }} {MARK}\n  return before;\n}}",
        "__popc(MASK)",
        "rank(MASK, lane)",
    ),
)


def kept() -> Iterator[LaneProgram]:
    """Yield storage of a ballot x use of it x caller, with functions and types in the file or in a header."""
    for storage in STORAGES:
        for passed, before, count, rank in _PASSED:
            if (storage.name, passed) == ("signed", "inline64"):  # extends the sign: wrong in CUDA, too
                continue
            for caller in (CALLERS[0], CALLERS[3]):
                outside = f"{storage.before}\n{before}\n"
                text = re.sub(r".*\b(?:COUNT|RANK)\b.*", lambda line: f"{line[0]} {MARK}", _COMPACT)
                text = text.replace("HOLD", storage.hold).replace("COUNT", count).replace("RANK", rank)
                text = text.replace("(MASK", f"({storage.mask}")
                for where in ("file", "header") if outside.strip() else ("file",):
                    in_file = outside if where == "file" else '#include "masks.cuh"\n'
                    headers = {} if where == "file" else {"masks.cuh": f"#pragma once\n{outside}"}
                    name = f"kept-{storage.name}-{passed}-{caller.name}-{where}"
                    kernel = _kernel(text.replace("BEFORE", in_file), caller, "")
                    yield _program(name, headers, kernel, _CHECK_COMPACT, f"  start<<<1, 1>>>();\n{_LAUNCH}")


_BY_WARPS = f"""
__global__ void kernel(const int* in, int* out) {{
  extern __shared__ int sums[];
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d); {MARK}
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v; {MARK}
  __syncthreads();
  if (threadIdx.x == 0) {{
    int total = 0;
    for (int i = 0; i < static_cast<int>(blockDim.x) / 32; ++i) total += sums[i]; {MARK}
    out[blockIdx.x] = total;
  }}
}}
"""
_PER_WARP = f"""
__global__ void kernel(const int* in, int* out) {{
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d); {MARK}
  if (threadIdx.x % 32 == 0) out[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = v; {MARK}
}}
"""
_ONE_WARP = f"""
__global__ void kernel(const int* in, int* out) {{
  int v = in[blockIdx.x * 32 + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d); {MARK}
  if ((threadIdx.x & 31) == 0) out[blockIdx.x + threadIdx.x / 32 * 128] = v; {MARK}
}}
"""
_STRIDED = f"""
__global__ void kernel(const int* in, int* out) {{
  int v = 0;
  for (int i = threadIdx.x; i < 32; i += blockDim.x) v += in[blockIdx.x * 32 + i];
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d); {MARK}
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}}
"""
_CHECK_ONE_WARP = """
  for (int warp = 0; warp < 8; ++warp) {
    int sum = 0;
    for (int i = 0; i < 32; ++i) sum += in[warp * 32 + i];
    if (out[warp] != sum) return false;
  }
  return out[128] == 0;
"""
_CHECK_WARPS = """
  for (int warp = 0; warp < 8; ++warp) {
    int sum = 0;
    for (int i = 0; i < 32; ++i) sum += in[warp * 32 + i];
    if (out[warp] != sum) return false;
  }
  return true;
"""
_ASKED = {
    "property": "  cudaDeviceProp prop;\n  cudaGetDeviceProperties(&prop, 0);\n  const int w = prop.warpSize; " + MARK,
    "attribute": "  int w = 0;\n  cudaDeviceGetAttribute(&w, cudaDevAttrWarpSize, 0); " + MARK,
}
_LAUNCHES = (
    ("shared", _BY_WARPS, "kernel<<<2, 128, 128 / w * sizeof(int)>>>(from, to);", _CHECK_REDUCE),
    ("grid", _PER_WARP, "kernel<<<256 / w, 32>>>(from, to);", _CHECK_WARPS),
    ("block", _ONE_WARP, "kernel<<<8, w>>>(from, to);", _CHECK_ONE_WARP),
    ("strided", _STRIDED, "kernel<<<8, w>>>(from, to);", _CHECK_WARPS),
    ("both", _PER_WARP, "kernel<<<256 / w, w>>>(from, to);", _CHECK_WARPS),
    ("dim3", _PER_WARP, "dim3 grid(256 / w); dim3 block(32, 1, 1); kernel<<<grid, block>>>(from, to);", _CHECK_WARPS),
    ("warps", _PER_WARP, "const int warps = 128 / w; kernel<<<8 / warps, warps * 32>>>(from, to);", _CHECK_WARPS),
    ("plain", _PER_WARP, "kernel<<<2, 128>>>(from, to);", _CHECK_WARPS),
)


def launched() -> Iterator[LaneProgram]:
    """Yield kernels that count 32 lanes x how the host sizes the launch."""
    for asked, ask in _ASKED.items():
        for sized, kernel, launch, check in _LAUNCHES:
            yield _program(f"launch-{sized}-{asked}", {}, kernel, check, f"{ask}\n  {launch} {MARK}")


def programs() -> list[LaneProgram]:
    """Return all programs, in a fixed order."""
    return [*connected(), *sized(), *kept(), *launched()]
