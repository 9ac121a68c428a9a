"""Atomic functions: what memory has at the end, and that the values returned are those of some order.

Whatever the order, the values before and after all operations differ by two: the first and the last. So a sum of
hash(after) - hash(returned) over the threads is hash(last) - hash(first), which the host checks.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from tests.translate.adversarial.fields import Case, mixed

CELLS = 8

HEAD = """\
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
template <typename T>
__host__ __device__ ull hash_of(T x) {
  ull words[2] = {0, 0};
  memcpy(words, &x, sizeof x);
  return mixed(words[0] + 0x1234567 * words[1]);
}
template <typename T>
__host__ __device__ T from_int(long long x) { return (T)x; }
template <>
__host__ __device__ half from_int<half>(long long x) { return __float2half((float)x); }
template <>
__host__ __device__ __nv_bfloat16 from_int<__nv_bfloat16>(long long x) { return __float2bfloat16((float)x); }
template <>
__host__ __device__ half2 from_int<half2>(long long x) { return __floats2half2_rn((float)x, (float)(x % 3)); }
template <>
__host__ __device__ __nv_bfloat162 from_int<__nv_bfloat162>(long long x) {
  return __floats2bfloat162_rn((float)x, (float)(x % 3));
}
template <>
__host__ __device__ float2 from_int<float2>(long long x) { return make_float2((float)x, (float)(x % 3)); }
template <>
__host__ __device__ float4 from_int<float4>(long long x) {
  return make_float4((float)x, (float)(x % 3), (float)(x % 5), (float)(-x));
}
struct alignas(16) Wide {
  ull low, high;
};
template <>
__host__ __device__ Wide from_int<Wide>(long long x) { return Wide{(ull)x, (ull)x * 3}; }
"""


@dataclass(frozen=True, slots=True)
class Operation:
    """An atomic function: its call, what it makes of `r` and `v` in C++, and the same in Python."""

    call: str
    after: str
    model: Callable[[int, int], int] | None
    types: str
    expression: str = ""


_INTEGERS = "int unsigned ull"
_BITS = {"int": 32, "unsigned": 32, "ull": 64, "long long": 64, "unsigned short": 16}
OPERATIONS = (
    Operation("atomicAdd{s}(p, v)", "from_int<T>(r + v)", lambda r, v: r + v, _INTEGERS + " float double"),
    Operation("atomicSub{s}(p, v)", "r - v", lambda r, v: r - v, "int unsigned"),
    Operation("atomicMin{s}(p, v)", "v < r ? v : r", min, _INTEGERS + " long_long"),
    Operation("atomicMax{s}(p, v)", "v > r ? v : r", max, _INTEGERS + " long_long"),
    Operation("atomicAnd{s}(p, v)", "r & v", lambda r, v: r & v, _INTEGERS),
    Operation("atomicOr{s}(p, v)", "r | v", lambda r, v: r | v, _INTEGERS),
    Operation("atomicXor{s}(p, v)", "r ^ v", lambda r, v: r ^ v, _INTEGERS),
    Operation("atomicInc{s}(p, v)", "r >= v ? 0 : r + 1", None, "unsigned"),
    Operation("atomicDec{s}(p, v)", "r == 0 || r > v ? v : r - 1", None, "unsigned"),
    Operation("atomicExch{s}(p, v)", "v", None, _INTEGERS + " float"),
)  # fmt: skip
"""Functions of CUDA with the suffixes of scopes in place of `{s}`."""

_REFERENCES = (
    Operation("a.fetch_add(v{o})", "r + v", lambda r, v: r + v, _INTEGERS + " long_long float double"),
    Operation("a.fetch_sub(v{o})", "r - v", lambda r, v: r - v, _INTEGERS + " float double"),
    Operation("a.fetch_and(v{o})", "r & v", lambda r, v: r & v, _INTEGERS),
    Operation("a.fetch_or(v{o})", "r | v", lambda r, v: r | v, _INTEGERS),
    Operation("a.fetch_xor(v{o})", "r ^ v", lambda r, v: r ^ v, _INTEGERS),
    Operation("a.fetch_min(v{o})", "v < r ? v : r", min, _INTEGERS + " long_long"),
    Operation("a.fetch_max(v{o})", "v > r ? v : r", max, _INTEGERS + " long_long"),
    Operation("a.exchange(v{o})", "v", None, _INTEGERS + " float double"),
    Operation("a += v", "", lambda r, v: r + v, _INTEGERS),
    Operation("a++", "", lambda r, v: r + 1, _INTEGERS),
)  # fmt: skip
_FLOATING = (
    ("half", "atomicAdd(p, v)"), ("__nv_bfloat16", "atomicAdd(p, v)"), ("half2", "atomicAdd(p, v)"),
    ("__nv_bfloat162", "atomicAdd(p, v)"), ("float2", "atomicAdd(p, v)"), ("float4", "atomicAdd(p, v)"),
)  # fmt: skip
"""Sums of small whole numbers, which are exact; what single parts return is in no order."""
_ORDERS = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
_SCOPES = ("system", "device", "block")


def _spelled(name: str) -> str:
    return name.replace("_", " ") if name == "long_long" else name


def _values(choose: random.Random, kind: str) -> tuple[str, Callable[[int], int]]:
    """Return the operand of thread t in C++ and Python."""
    if kind in ("float", "double"):
        return "from_int<T>((int)(mixed(t) % 97) - 40)", lambda t: mixed(t) % 97 - 40
    seed = choose.randrange(1000)
    if choose.random() < 0.3:
        return f"(T)(mixed(t + {seed}) & 15)", lambda t: mixed(t + seed) & 15
    return f"(T)mixed(t + {seed})", lambda t: mixed(t + seed)


def _wrapped(value: int, kind: str) -> int:
    if kind in ("float", "double"):
        return value
    bits = _BITS[kind]
    value %= 1 << bits
    return value - (1 << bits) if kind in ("int", "long long") and value >> (bits - 1) else value


def _finals(operation: Operation, kind: str, value: Callable[[int], int], threads: int, first: int) -> str:
    """Return what the cells have at the end as `put` prints it; nothing if that depends on the order."""
    if operation.model is None:
        return ""
    cells = [first] * CELLS
    for t in range(threads):
        cells[t % CELLS] = _wrapped(operation.model(cells[t % CELLS], _wrapped(value(t), kind)), kind)
    return " ".join(f"{each % (1 << 64):x}" for each in cells)


def _memory(choose: random.Random, scope: str) -> str:
    return choose.choice(("shared", "global") if scope == "block" else ("global", "global", "managed", "mapped"))


def _case(number: int, threads: tuple[int, int], memory: str, kernel: str, host: str, expected: str) -> Case:
    """Return a case of a kernel with `T* cells`, in shared memory if it says so, and a sum per cell."""
    blocks, size = threads
    shared = "__shared__ T kept[8]; if (t < 8) kept[t] = cells[t]; __syncthreads();" if memory == "shared" else ""
    back = "__syncthreads(); if (t < 8) cells[t] = kept[t];" if shared else ""
    declared = (
        f"__global__ void kernel{number}(T{number}* cells, ull* sums) {{\n  typedef T{number} T;\n"
        f"  const int t = blockIdx.x * blockDim.x + threadIdx.x;\n  {shared}\n"
        f"  T* p = {'kept' if shared else 'cells'} + t % 8;\n{kernel}\n  {back}\n}}"
    )
    made = {
        "managed": "cudaMallocManaged(&cells, 8 * sizeof(T));",
        "mapped": "cudaHostAlloc(&on_host, 8 * sizeof(T), cudaHostAllocMapped); "
        "cudaHostGetDevicePointer(&cells, on_host, 0);",
    }.get(memory, "cudaMalloc(&cells, 8 * sizeof(T));")
    freed = "cudaFreeHost(on_host);" if memory == "mapped" else "cudaFree(cells);"
    lines = [
        f"typedef T{number} T; T *cells, *on_host = nullptr; ull* sums; T first[8], last[8]; ull found[8];",
        f"{made} cudaMalloc(&sums, 64); cudaMemset(sums, 0, 64);",
        host,
        "cudaMemcpy(cells, first, sizeof first, cudaMemcpyDefault);",
        f"kernel{number}<<<{1 if shared else blocks}, {size}>>>(cells, sums);",
        "cudaMemcpy(last, cells, sizeof last, cudaMemcpyDefault); cudaMemcpy(found, sums, 64, cudaMemcpyDefault);",
    ]
    if expected.startswith("order"):
        lines.append("for (int i = 0; i < 8; ++i) put(found[i] - (hash_of(last[i]) - hash_of(first[i])));")
    elif expected.startswith("sums"):
        lines.append("for (int i = 0; i < 8; ++i) put(found[i]);")
    if "values" in expected:
        lines.append("for (int i = 0; i < 8; ++i) put((ull)(long long)last[i]);")
    if "bytes" in expected:
        lines.append("hashed(last, sizeof last);")
    return Case([*lines, f"{freed} cudaFree(sums);"], declared)


def _expected(case: Case, checks: str, finals: str) -> Case:
    return Case(case.statements, case.declarations, " ".join(filter(None, (checks, finals, "0"))))


def functions(choose: random.Random, number: int) -> Case:
    """Return a case of a function such as atomicAdd_system."""
    operation = choose.choice(OPERATIONS)
    kind = _spelled(choose.choice(operation.types.split()))
    scope = choose.choice(("", "", "system", "block"))
    memory = _memory(choose, scope or "device")
    threads = (1 if scope == "block" else choose.randint(1, 3), choose.choice((32, 64, 96, 256)))
    text, value = _values(choose, kind)
    call = operation.call.format(s=f"_{scope}" if scope else "")
    check = f"const T after = {operation.after}; atomicAdd(&sums[t % 8], hash_of(after) - hash_of(r));"
    kernel = f"  const T v = {text}; const T r = {call}; {check}"
    first = choose.choice((0, 1, 77, 100000))
    host = f"for (int i = 0; i < 8; ++i) first[i] = (T){first};"
    finals = _finals(operation, kind, value, (1 if memory == "shared" else threads[0]) * threads[1], first)
    made = _case(number, threads, memory, kernel, host, "order" + (" values" if finals else ""))
    return _expected(_typed(made, number, kind), " ".join("0" * CELLS), finals)


def references(choose: random.Random, number: int) -> Case:
    """Return a case of cuda::atomic_ref, or of cuda::atomic in place."""
    operation = choose.choice(_REFERENCES)
    kind = _spelled(choose.choice(operation.types.split()))
    scope = choose.choice(_SCOPES)
    memory = _memory(choose, scope)
    threads = (1 if scope == "block" else choose.randint(1, 3), choose.choice((32, 64, 160)))
    text, value = _values(choose, kind)
    orders = (f", cuda::{std}memory_order_{one}" for one in _ORDERS for std in ("", "std::"))
    order = choose.choice(("", *orders))
    made = choose.choice((
        f"cuda::atomic_ref<T, cuda::thread_scope_{scope}> a(*p);",
        f"auto& a = *reinterpret_cast<cuda::atomic<T, cuda::thread_scope_{scope}>*>(p);",
    ))  # fmt: skip
    call = operation.call.format(o=order)
    if operation.after:
        check = f"const T after = {operation.after}; atomicAdd(&sums[t % 8], hash_of(after) - hash_of(r));"
        kernel = f"  const T v = {text}; {made} const T r = {call}; {check}"
    else:
        kernel = f"  const T v = {text}; (void)v; {made} {call};"
    first = choose.choice((0, 5, 1234))
    host = f"for (int i = 0; i < 8; ++i) first[i] = (T){first};"
    finals = _finals(operation, kind, value, (1 if memory == "shared" else threads[0]) * threads[1], first)
    what = ("order" if operation.after else "") + (" values" if finals else "")
    case = _typed(_case(number, threads, memory, kernel, host, what), number, kind)
    return _expected(case, " ".join("0" * CELLS) if operation.after else "", finals)


def sums(choose: random.Random, number: int) -> Case:
    """Return a case of sums of floating-point numbers and pairs."""
    kind, call = choose.choice(_FLOATING)
    memory = _memory(choose, "device")
    if kind in ("half", "__nv_bfloat16"):
        memory = choose.choice((memory, "shared"))
    most = 3 if "bfloat" in kind else 9
    threads = (1, choose.choice((32, 64, 128)))
    kernel = f"  const T v = from_int<T>((int)(mixed(t) % {most})); {call};"
    host = f"for (int i = 0; i < 8; ++i) first[i] = from_int<T>({choose.randrange(4)} + i);"
    return _typed(_case(number, threads, memory, kernel, host, "bytes"), number, kind)


def swaps(choose: random.Random, number: int) -> Case:
    """Return a case of a loop around a compare and swap: a product of odd numbers, which is the same in any order."""
    kind = choose.choice(("int", "unsigned", "ull", "unsigned short"))
    scope = choose.choice(("", "_block", "_system"))
    by = choose.randrange(3, 99, 2)
    product = f"(T)(old * (T)((t / 8) * 2 + {by}))"
    loops = {
        "atomicCAS": f"T old = *p, seen; do {{ seen = old; old = atomicCAS{scope}(p, seen, {product}); }} "
        "while (old != seen);",
        "weak": "cuda::atomic_ref<T, cuda::thread_scope_device> a(*p); T old = a.load();\n"
        f"  while (!a.compare_exchange_weak(old, {product})) {{}}",
        "strong": "cuda::atomic_ref<T, cuda::thread_scope_block> a(*p); T old = a.load(cuda::memory_order_relaxed);\n"
        f"  while (!a.compare_exchange_strong(old, {product}, cuda::memory_order_acq_rel, "
        "cuda::memory_order_acquire)) {}",
    }
    form = choose.choice([*loops] if kind != "unsigned short" else ["atomicCAS"])
    block = form == "strong" or scope == "_block"
    size = choose.choice((32, 64, 96))
    memory = _memory(choose, "block" if block else "device")
    threads = (1 if block or memory == "shared" else choose.randint(1, 2), size)
    first = choose.randrange(1, 50, 2)
    host = f"for (int i = 0; i < 8; ++i) first[i] = (T){first};"
    cells = [first] * CELLS
    for t in range(threads[0] * size):
        cells[t % CELLS] = _wrapped(cells[t % CELLS] * ((t // 8) * 2 + by), kind)
    finals = " ".join(f"{each % (1 << 64):x}" for each in cells)
    if kind == "unsigned short":
        loops["atomicCAS"] = loops["atomicCAS"].replace(scope, "") if scope else loops["atomicCAS"]
    case = _typed(_case(number, threads, memory, f"  {loops[form]}", host, "values"), number, kind)
    return _expected(case, "", finals)


def wide(choose: random.Random, number: int) -> Case:
    """Return a case of 16 bytes at once (sm_90): the chain of values that threads exchange."""
    check = "atomicAdd(&sums[t % 8], hash_of({after}) - hash_of(r));"
    form = choose.choice((
        f"const T v = from_int<T>((long long)(mixed(t) >> 8)); const T r = atomicExch(p, v); {check.format(after='v')}",
        "T seen, r = *p; do { seen = r; r = atomicCAS(p, seen, T{seen.low + 1, seen.high + t}); } "
        f"while (r.low != seen.low || r.high != seen.high); const T v = {{r.low + 1, r.high + t}}; "
        f"{check.format(after='v')}",
    ))  # fmt: skip
    host = f"for (int i = 0; i < 8; ++i) first[i] = T{{{choose.randrange(100)}u + i, 7u}};"
    case = _case(number, (choose.randint(1, 2), 64), "global", f"  {form}", host, "order")
    return _expected(_typed(case, number, "Wide"), " ".join("0" * CELLS), "")


def _typed(case: Case, number: int, kind: str) -> Case:
    return Case(case.statements, f"typedef {kind} T{number};\n{case.declarations}")
