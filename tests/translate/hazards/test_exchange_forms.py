"""Forms in which real code exchanges values through shared memory without a barrier: pointers, structs, helpers.

Each form is a whole file. What is known to be missed is listed, so that a new find shows.
"""

from __future__ import annotations

import pytest

from tests.translate.hazards.test_warp_synchronous import found

FORMS: dict[str, str] = {
    "param_tid": ("__device__ void f(volatile int* s, unsigned tid) { s[tid] += s[tid + 32]; s[tid] += s[tid + 16]; }"),
    "param_template": (
        "template <unsigned N, class T> __device__ void f(volatile T* s, unsigned tid) { if (N >= 64) "
        "s[tid] += s[tid + 32]; if (N >= 32) s[tid] += s[tid + 16]; }"
    ),
    "param_plain": (
        "__device__ void f(int* s, unsigned tid) { s[tid] += s[tid + 16]; s[tid] += s[tid + 8]; } "
        "__global__ void k() { __shared__ int a[64]; a[threadIdx.x] = 1; __syncthreads(); f(a, "
        "threadIdx.x); }"
    ),
    "param_plain_offset": (
        "__device__ void f(int* s, unsigned tid) { s[tid] += s[tid + 16]; s[tid] += s[tid + 8]; } "
        "__global__ void k() { __shared__ int a[64]; a[threadIdx.x] = 1; __syncthreads(); f(a + 32, "
        "threadIdx.x); }"
    ),
    "param_plain_address": (
        "__device__ void f(int* s, unsigned tid) { s[tid] += s[tid + 16]; s[tid] += s[tid + 8]; } "
        "__global__ void k() { __shared__ int a[64]; a[threadIdx.x] = 1; __syncthreads(); f(&a[0], "
        "threadIdx.x); }"
    ),
    "param_template_arg": (
        "template <int N> __device__ void f(int* s, unsigned tid) { s[tid] += s[tid + 16]; s[tid] += "
        "s[tid + 8]; } __global__ void k() { __shared__ int a[64]; a[threadIdx.x] = 1; __syncthreads(); "
        "f<3>(a, threadIdx.x); }"
    ),
    "param_through": (
        "__device__ void f(int* s, unsigned tid) { s[tid] += s[tid + 16]; s[tid] += s[tid + 8]; } "
        "__device__ void g(int* s) { f(s, threadIdx.x); } __global__ void k() { __shared__ int a[64]; "
        "a[threadIdx.x] = 1; __syncthreads(); g(a); }"
    ),
    "param_array": (
        "__device__ void f(volatile int s[64], int lane) { s[lane] += s[lane + 16]; s[lane] += s[lane + 8]; }"
    ),
    "kernel_volatile": (
        "__global__ void k(int* o) { __shared__ int a[64]; int tid = threadIdx.x; a[tid] = 1; "
        "__syncthreads(); if (tid < 32) { volatile int* s = a; s[tid] += s[tid + 32]; s[tid] += s[tid + "
        "16]; } o[0] = a[0]; }"
    ),
    "kernel_sum": (
        "__global__ void k(float* o) { extern __shared__ float a[]; int tid = threadIdx.x; float my = "
        "o[tid]; a[tid] = my; __syncthreads(); if (tid < 32) { volatile float* s = a; s[tid] = my = my "
        "+ s[tid + 32]; s[tid] = my = my + s[tid + 16]; } }"
    ),
    "kernel_plain": (
        "__global__ void k(int* o) { __shared__ int a[64]; int tid = threadIdx.x; a[tid] = 1; "
        "__syncthreads(); if (tid < 32) { a[tid] += a[tid + 32]; a[tid] += a[tid + 16]; } }"
    ),
    "scanwarp": (
        "__device__ unsigned f(unsigned val, volatile unsigned* s, int maxlevel) { int idx = 2 * "
        "threadIdx.x - (threadIdx.x & (warpSize - 1)); s[idx] = 0; idx += warpSize; unsigned t = s[idx] "
        "= val; if (0 <= maxlevel) { s[idx] = t = t + s[idx - 1]; } if (1 <= maxlevel) { s[idx] = t = t "
        "+ s[idx - 2]; } return s[idx - 1]; }"
    ),
    "scanwarp_template": (
        "template <class T, int maxlevel> __device__ T f(T val, volatile T* s) { const int WARP_SIZE = "
        "32; int idx = 2 * threadIdx.x - (threadIdx.x & (WARP_SIZE - 1)); s[idx] = 0; idx += WARP_SIZE; "
        "T t = s[idx] = val; if (0 <= maxlevel) { s[idx] = t = t + s[idx - 1]; } return s[idx]; }"
    ),
    "offset_pointer": (
        "__global__ void k(int* o) { __shared__ int a[256]; int lane = threadIdx.x & 31, w = "
        "threadIdx.x >> 5; volatile int* s = a + w * 32; s[lane] = o[lane]; if (lane >= 1) s[lane] += "
        "s[lane - 1]; if (lane >= 2) s[lane] += s[lane - 2]; }"
    ),
    "offset_address": (
        "__global__ void k(int* o) { __shared__ int a[256]; int lane = threadIdx.x & 31, w = "
        "threadIdx.x >> 5; int* s = &a[w * 32]; s[lane] = o[lane]; if (lane >= 1) s[lane] += s[lane - "
        "1]; if (lane >= 2) s[lane] += s[lane - 2]; }"
    ),
    "own_pointer": (
        "__global__ void k(int* o) { __shared__ int a[64]; volatile int* s = a + threadIdx.x; s[0] = "
        "o[0]; s[0] += s[16]; s[0] += s[8]; }"
    ),
    "own_pointer2": (
        "__global__ void k(int* o) { __shared__ int a[64]; int* s = &a[threadIdx.x]; *s = o[0]; *s += "
        "s[16]; *s += s[8]; }"
    ),
    "deref": (
        "__global__ void k(int* o) { __shared__ int a[64]; int t = threadIdx.x; *(a + t) = o[t]; *(a + "
        "t) += *(a + t + 16); *(a + t) += *(a + t + 8); }"
    ),
    "struct_member": (
        "struct S { int v[64]; }; __global__ void k(int* o) { __shared__ S a; int t = threadIdx.x; "
        "a.v[t] = o[t]; a.v[t] += a.v[t + 16]; a.v[t] += a.v[t + 8]; }"
    ),
    "array_of_struct": (
        "struct S { int x, y; }; __global__ void k(int* o) { __shared__ S a[64]; int t = threadIdx.x; "
        "a[t].x = o[t]; a[t].x += a[t + 16].x; a[t].x += a[t + 8].x; }"
    ),
    "struct_pointer": (
        "struct S { int v[64]; }; __device__ void f(volatile S* a, int t) { a->v[t] += a->v[t + 16]; "
        "a->v[t] += a->v[t + 8]; }"
    ),
    "loop_scan": (
        "__global__ void k(int* o) { __shared__ int s[32]; int t = threadIdx.x; s[t] = o[t]; for (int d "
        "= 1; d < 32; d <<= 1) { if (t >= d) s[t] += s[t - d]; } }"
    ),
    "loop_reduce": (
        "__global__ void k(int* o) { __shared__ volatile int s[64]; int t = threadIdx.x; s[t] = o[t]; "
        "for (int d = 16; d > 0; d >>= 1) s[t] += s[t + d]; }"
    ),
    "loop_while": (
        "__device__ void f(volatile float* s, int t) { int d = 16; while (d > 0) { if (t < d) s[t] += "
        "s[t + d]; d /= 2; } }"
    ),
    "loop_unrolled": (
        "__device__ void f(volatile float* s) { \n#pragma unroll\n for (int d = 16; d > 0; d /= 2) { if "
        "(threadIdx.x < d) s[threadIdx.x] = max(s[threadIdx.x], s[threadIdx.x + d]); } }"
    ),
    "lane_minus": (
        "__device__ int f(volatile int* s, int v) { int lane = threadIdx.x & 31; s[lane] = v; if (lane "
        "> 0) v += s[lane - 1]; s[lane] = v; if (lane > 1) v += s[lane - 2]; return v; }"
    ),
    "broadcast": (
        "__global__ void k(int* o) { __shared__ volatile int s[32]; int w = threadIdx.x >> 5, lane = "
        "threadIdx.x & 31; if (lane == 0) s[w] = atomicAdd(o, 32); int base = s[w]; o[base + lane] = 1; "
        "}"
    ),
    "broadcast_plain": (
        "__global__ void k(int* o) { __shared__ int s[8]; int w = threadIdx.x / 32; if (threadIdx.x % "
        "32 == 0) s[w] = atomicAdd(o, 32); o[s[w] + threadIdx.x % 32] = 1; }"
    ),
    "row": (
        "__global__ void k(int* o) { __shared__ int s[8][32]; int w = threadIdx.x / 32, l = threadIdx.x "
        "% 32; s[w][l] = o[l]; s[w][l] += s[w][l + 16]; s[w][l] += s[w][l + 8]; }"
    ),
    "row_y": (
        "__global__ void k(int* o) { __shared__ volatile int s[8][33]; s[threadIdx.y][threadIdx.x] = "
        "o[threadIdx.x]; if (threadIdx.x < 16) s[threadIdx.y][threadIdx.x] += "
        "s[threadIdx.y][threadIdx.x + 16]; }"
    ),
    "flat_y": (
        "__global__ void k(int* o) { __shared__ volatile int s[8 * 32]; int i = threadIdx.y * 32 + "
        "threadIdx.x; s[i] = o[i]; if (threadIdx.x < 16) { s[i] += s[i + 16]; s[i] += s[i + 8]; } }"
    ),
    "tid_xy": (
        "__global__ void k(int* o) { __shared__ int s[256]; int tid = threadIdx.x + blockDim.x * "
        "threadIdx.y; s[tid] = o[tid]; __syncthreads(); if (tid < 32) { s[tid] += s[tid + 32]; s[tid] "
        "+= s[tid + 16]; } }"
    ),
    "xor_": (
        "__global__ void k(int* o) { __shared__ int s[32]; int t = threadIdx.x; s[t] = o[t]; int p = "
        "s[t ^ 1]; o[t] = p; }"
    ),
    "reverse": (
        "__global__ void k(int* o) { __shared__ int s[32]; int t = threadIdx.x; s[t] = o[t]; o[t] = s[31 - t]; }"
    ),
    "macro_step": (
        "#define STEP(n) s[t] += s[t + n]\n__device__ void f(volatile int* s, int t) { STEP(16); STEP(8); STEP(4); }"
    ),
    "macro_step2": (
        "#define STEP(s, t, n) if (t < n) s[t] += s[t + n];\n__global__ void k(int* o) { __shared__ int "
        "a[64]; int t = threadIdx.x; a[t] = o[t]; __syncthreads(); STEP(a, t, 16) STEP(a, t, 8) }"
    ),
    "func_op": (
        "template <class Op> __device__ void f(volatile int* s, int t, Op op) { s[t] = op(s[t], s[t + "
        "16]); s[t] = op(s[t], s[t + 8]); }"
    ),
    "func_min": (
        "__device__ void f(volatile float* s, int t) { s[t] = fminf(s[t], s[t + 16]); s[t] = fminf(s[t], s[t + 8]); }"
    ),
    "func_own": (
        "__device__ float comb(float a, float b) { return a + b; } __device__ void f(volatile float* s, "
        "int t) { s[t] = comb(s[t], s[t + 16]); s[t] = comb(s[t], s[t + 8]); }"
    ),
    "if_compare": (
        "__device__ void f(volatile float* s, volatile int* id, int t) { if (s[t] < s[t + 16]) { s[t] = "
        "s[t + 16]; id[t] = id[t + 16]; } if (s[t] < s[t + 8]) { s[t] = s[t + 8]; id[t] = id[t + 8]; } "
        "}"
    ),
    "temp": (
        "__device__ void f(volatile float* s, int t) { float a = s[t]; float b = s[t + 16]; s[t] = a + "
        "b; b = s[t + 8]; s[t] = a + b; }"
    ),
    "tid_local": (
        "__device__ void f(volatile float* s) { const unsigned int tid = threadIdx.x; s[tid] += s[tid + "
        "16]; s[tid] += s[tid + 8]; }"
    ),
    "lane_fn": (
        "__device__ int lane_id() { return threadIdx.x & 31; } __device__ void f(volatile float* s) { "
        "int l = lane_id(); s[l] += s[l + 16]; s[l] += s[l + 8]; }"
    ),
    "struct_method": (
        "struct W { volatile int* s; int t; __device__ void red() { s[t] += s[t + 16]; s[t] += s[t + 8]; } };"
    ),
    "template_T": (
        "template <class T> __device__ __forceinline__ void f(volatile T* __restrict__ s, const "
        "unsigned int tid) { s[tid] += s[tid + 16]; s[tid] += s[tid + 8]; }"
    ),
    "cast_pointer": (
        "__global__ void k(int* o) { extern __shared__ char raw[]; int* s = (int*)raw; int t = "
        "threadIdx.x; s[t] = o[t]; s[t] += s[t + 16]; s[t] += s[t + 8]; }"
    ),
    "cast_pointer2": (
        "__global__ void k(int* o) { extern __shared__ char raw[]; volatile int* s = "
        "reinterpret_cast<volatile int*>(raw); int t = threadIdx.x; s[t] = o[t]; s[t] += s[t + 16]; "
        "s[t] += s[t + 8]; }"
    ),
    "cast_pointer3": (
        "__global__ void k(int* o, int n) { extern __shared__ int raw[]; int* s = (int*)&raw[n]; int* r "
        "= s + n; int t = threadIdx.x; r[t] = o[t]; r[t] += r[t + 16]; r[t] += r[t + 8]; }"
    ),
    "warp_offset_index": (
        "__global__ void k(int* o) { __shared__ int s[256]; int lane = threadIdx.x & 31, w = "
        "threadIdx.x >> 5; s[w * 32 + lane] = o[lane]; int x = s[w * 32 + lane + 1]; o[lane] = x; }"
    ),
    "call_scan": (
        "__device__ int scan(volatile int* s, int idx) { int lane = idx & 31; if (lane >= 1) s[idx] = "
        "s[idx - 1] + s[idx]; if (lane >= 2) s[idx] = s[idx - 2] + s[idx]; return lane > 0 ? s[idx - 1] "
        ": 0; }"
    ),
    "call_scan_template": (
        "template <class OP, class T> __device__ T scan(volatile T* ptr, const unsigned int idx = "
        "threadIdx.x) { const unsigned int lane = idx & 31; if (lane >= 1) ptr[idx] = OP::apply(ptr[idx "
        "- 1], ptr[idx]); if (lane >= 2) ptr[idx] = OP::apply(ptr[idx - 2], ptr[idx]); return ptr[idx]; "
        "}"
    ),
    "global_tid": (
        "__global__ void k(int* o) { __shared__ int s[64]; int gid = blockIdx.x * blockDim.x + "
        "threadIdx.x; int t = gid % 64; s[t] = o[gid]; s[t] += s[t + 16]; s[t] += s[t + 8]; }"
    ),
    "two_d_value": (
        "__global__ void k(float4* o) { __shared__ float s[4][32]; int t = threadIdx.x; s[0][t] = "
        "o[t].x; s[0][t] += s[0][t + 16]; s[0][t] += s[0][t + 8]; }"
    ),
    "lane_macro": (
        "#define laneId (threadIdx.x & (32 - 1))\n__device__ int f(volatile int* p, int v) { p[laneId] "
        "= v; for (int i = 0; i < 5; ++i) { const int o = 1 << i; p[laneId] += p[laneId - o]; } return "
        "p[31]; }"
    ),
    "emusync": (
        "#ifdef __DEVICE_EMULATION__\n#define EMUSYNC __syncthreads()\n#else\n#define "
        "EMUSYNC\n#endif\n__global__ void k(float* o) { __shared__ float s[64]; int tid = threadIdx.x; "
        "s[tid] = o[tid]; __syncthreads(); if (tid < 32) { s[tid] += s[tid + 32]; EMUSYNC; s[tid] += "
        "s[tid + 16]; EMUSYNC; } }"
    ),
    "helper_pair": (
        "__device__ void mm(int i, int j, volatile float3* s) { s[i].x = fminf(s[i].x, s[j].x); } "
        "__global__ void k() { __shared__ volatile float3 s[64]; int t = threadIdx.x; s[t].x = t; "
        "__syncthreads(); if (t < 16) { mm(t, t + 16, s); mm(t, t + 8, s); mm(t, t + 4, s); } }"
    ),
}
"""Files with such an exchange."""

OTHERS: dict[str, str] = {
    "sync": (
        "__global__ void k(int* o) { __shared__ int s[64]; int t = threadIdx.x; s[t] = o[t]; "
        "__syncthreads(); int x = s[t + 1]; __syncthreads(); s[t] = x; }"
    ),
    "own": (
        "__global__ void k(int* o) { __shared__ int s[64][4]; int t = threadIdx.x; s[t][0] = o[t]; "
        "s[t][1] = s[t][0]; o[t] = s[t][1]; }"
    ),
    "global_volatile": (
        "__global__ void k(volatile int* o, int n) { int t = threadIdx.x; o[t] = 1; while (o[t + n] == 0) {} }"
    ),
    "own_range": (
        "__global__ void k(int* o) { __shared__ int s[256]; int t = threadIdx.x; for (int i = 0; i < 4; "
        "++i) s[t * 4 + i] = i; for (int i = 0; i < 4; ++i) o[i] += s[t * 4 + i]; }"
    ),
    "stride_own": (
        "__global__ void k(int* o) { __shared__ int s[256]; int t = threadIdx.x; s[t] = o[t]; s[t + "
        "blockDim.x] = o[t + 1]; o[t] = s[t] + s[t + blockDim.x]; }"
    ),
    "syncwarp": (
        "__device__ void f(volatile int* s, int t) { s[t] += s[t + 16]; __syncwarp(); s[t] += s[t + 8]; __syncwarp(); }"
    ),
    "thread0": (
        "__global__ void k(int* o) { __shared__ int s[64]; if (threadIdx.x == 0) { for (int i = 0; i < "
        "63; ++i) { s[i] = i; s[i + 1] = s[i] + 1; } } __syncthreads(); o[threadIdx.x] = "
        "s[threadIdx.x]; }"
    ),
    "halo": (
        "__global__ void k(int* o) { __shared__ int s[66]; int t = threadIdx.x; s[t + 1] = o[t]; if (t "
        "== 0) s[0] = o[0]; if (t == 63) s[65] = 3; __syncthreads(); o[t] = s[t] + s[t + 1] + s[t + 2]; "
        "}"
    ),
    "local_pointer": (
        "__device__ void f(float* s, int t) { s[t] += s[t + 16]; s[t] += s[t + 8]; } __global__ void "
        "k(float* g) { f(g, threadIdx.x * 64); }"
    ),
    "private_rows": "__device__ void f(volatile float* s, int i) { s[i] = 1; s[i + 1] = s[i] + 1; }",
    "per_thread_ptr": (
        "__global__ void k(int* o) { __shared__ int s[256]; int* my = s + threadIdx.x * 4; my[0] = 1; "
        "my[1] = my[0]; my[2] = my[1] + my[0]; o[0] = my[2]; }"
    ),
    "spin": ("__device__ void lock(volatile int* flags, int i) { flags[i] = 1; while (flags[i + 1] != 1) {} }"),
    "helper_same": (
        "__device__ void inc(int* s, int i) { s[i] += 1; } __global__ void k() { __shared__ int s[64]; "
        "inc(s, threadIdx.x); inc(s, threadIdx.x); }"
    ),
    "helper_seq": (
        "__device__ void step(int* s, int i) { s[i] = 1; s[i + 1] = s[i] + s[i - 1]; } __global__ void "
        "k() { __shared__ int s[64]; if (threadIdx.x == 0) for (int i = 0; i < 60; ++i) step(s, i); "
        "__syncthreads(); }"
    ),
}
"""Files without one: a barrier, elements of one thread, memory of the whole grid."""

MISSED = frozenset({"broadcast", "broadcast_plain", "macro_step", "macro_step2", "struct_method"})
"""One lane that writes for all, macros with an exchange, and pointers that are members of classes."""


def test_forms_are_found() -> None:
    assert {name for name, text in FORMS.items() if not found(text)} == MISSED


@pytest.mark.parametrize("name", OTHERS)
def test_others_are_not(name: str) -> None:
    assert found(OTHERS[name]) == 0
