"""Forms of C++ that nvcc accepts: the translation compiles with HIP's headers, or the source is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.translate.dialect.comparing import Case, refused

pytestmark = [pytest.mark.toolchain]

SOURCES = {
    "__builtin_align__": """
struct __builtin_align__(16) P { float x, y, z, w;
};
__device__ float f(P p) { return p.x;
}
static_assert(sizeof(P) == 16 && alignof(P) == 16, "");
""",
    "__builtin_align__ of a typedef": """
typedef struct __device_builtin__ __builtin_align__(8) { float x, y;
} P2;
static_assert(alignof(P2) == 8, "");
""",
    "__align__": """
struct __align__(16) P { float x, y, z;
};
static_assert(alignof(P) == 16, "");
""",
    "__align__ of a variable": """
__global__ void k() { __shared__ __align__(16) char s[32];
s[0] = 1;
}
""",
    "__align__ of a typedef": """
typedef struct __align__(8) { int a, b;
} Q;
static_assert(alignof(Q) == 8, "");
""",
    "__align__ of a member": """
struct A { __align__(8) int a;
};
static_assert(alignof(A) == 8, "");
""",
    "a kernel named like its template": """
template <typename T> __global__ void k(T* p) { *p = 1;
}
__global__ void k(float* p) { *p = 2;
}
void h(float* p, int* q) { k<<<1, 1>>>(p);
k<int><<<1, 1>>>(q);
}
""",
    "a kernel named like a template for a number": """
template <int N> __global__ void k(int* p) { *p = N;
}
__global__ void k(int* p, int n) { *p = n;
}
void h(int* p) { k<3><<<1, 1>>>(p);
k<<<1, 1>>>(p, 2);
}
""",
    "a variable named like its type": """
void f() { cudaError cudaError = cudaSuccess;
if (cudaError != cudaSuccess) return;
}
""",
    "a variable named like another type": """
void f() { cudaError_t cudaError = cudaGetLastError();
if (cudaError != cudaSuccess) return;
}
""",
    "variables named like types": """
void f() { cudaStream_t cudaStream;
cudaStreamCreate(&cudaStream);
cudaEvent_t cudaEvent_t;
cudaEventCreate(&cudaEvent_t);
}
""",
    "a parameter named like its type": """
void f(cudaDeviceProp cudaDeviceProp) { int n = cudaDeviceProp.major;
(void)n;
}
""",
    "a label": """
int f() { if (cudaSetDevice(0) != cudaSuccess) goto cudaError;
return 0;
cudaError:
 return 1;
}
""",
    "a label beside calls": """
int f() { void* p;
if (cudaMalloc(&p, 4) != cudaSuccess) goto Error;
Error: cudaFree(p);
return 1;
}
""",
    "a label named like a function": """
int f() { goto cudaFree;
cudaFree: return 1;
}
""",
    "a name of two arguments": """
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
void f() { void* p;
CAT(cuda, Malloc)(&p, 4);
CAT(cuda, Free)(p);
}
#undef CAT_
#undef CAT
""",
    "a name made by a macro": """
#define CUDA(name) cuda##name
void f() { void* p;
CUDA(Malloc)(&p, 4);
CUDA(Free)(p);
}
#undef CUDA
""",
    "a call made by a macro": """
#define CALL(name, ...) if (cuda##name(__VA_ARGS__) != cudaSuccess) return
void f() { void* p;
CALL(Malloc, &p, 4);
CALL(Free, p);
CALL(DeviceSynchronize);
}
#undef CALL
""",
    "a name as text": """
#define STR(x) #x
#define CALL(f) f; const char* s = STR(f)
void g() { CALL(cudaDeviceSynchronize());
(void)s;
}
#undef STR
#undef CALL
""",
    "a name of the driver made by a macro": """
#define DRV(name) cu##name
#include <cuda.h>
void g() { DRV(Init)(0);
}
#undef DRV
""",
    "specializations of a class": """
#include <cuda.h>
template <typename T> struct Name;
template <> struct Name<cudaError_t> { static const int v = 1;
};
template <> struct Name<CUresult> { static const int v = 2;
};
int f() { return Name<cudaError_t>::v;
}
""",
    "specializations of a function": """
#include <cuda.h>
template <typename T> int name(T);
template <> inline int name<cudaError_t>(cudaError_t) { return 1;
}
template <> inline int name<CUresult>(CUresult) { return 2;
}
""",
    "specializations of a variable": """
#include <cuda.h>
template <typename T> constexpr bool is = false;
template <> constexpr bool is<cudaError_t> = true;
template <> constexpr bool is<CUresult> = true;
""",
    "overloads for streams": """
#include <cuda.h>
int code(cudaStream_t);
int code(CUstream);
""",
    "a specialization for events": """
#include <cuda.h>
template <typename T> struct D;
template <> struct D<cudaEvent_t> { int a;
};
using X = D<CUevent>;
X x;
""",
    "errors as cases": """
#include <cuda.h>
int f(int e) { switch (e) { case cudaErrorInvalidValue: return 1;
case cudaSuccess: return 0;
} return 2;
}
""",
    "cgnt": """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(unsigned* o) { auto b = cg::this_thread_block();
auto t = cg::tiled_partition<32>(b);
o[0] = t.num_threads() + b.num_threads();
}
""",
    "cgdim": """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(unsigned* o) { auto b = cg::this_thread_block();
o[0] = b.dim_threads().x + b.group_dim().y;
}
""",
    "cgg": """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(unsigned* o) { auto g = cg::this_grid();
o[0] = g.num_threads() + g.thread_rank() + g.num_blocks() + g.block_rank();
g.sync();
}
""",
    "cgg2": """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(unsigned* o) { auto g = cg::this_grid();
o[0] = g.dim_blocks().x + g.block_index().x;
}
""",
    "cgbin": """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(unsigned* o) { auto t = cg::tiled_partition<32>(cg::this_thread_block());
auto s = cg::binary_partition(t, threadIdx.x & 1);
o[0] = s.size();
}
""",
    "cglab": """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(unsigned* o) { auto t = cg::coalesced_threads();
auto s = cg::labeled_partition(t, threadIdx.x & 3);
o[0] = s.size();
}
""",
    "cgshfl": """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
struct P { float a;
int b;
};
__global__ void k(P* o) { auto t = cg::tiled_partition<32>(cg::this_thread_block());
P p = o[threadIdx.x];
p = t.shfl(p, 0);
o[0] = p;
}
""",
    "cgshfl2": """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(double* o, float4* q) { auto t = cg::tiled_partition<16>(cg::this_thread_block());
o[0] = t.shfl_down(o[1], 2);
q[0] = t.shfl_xor(q[1], 1);
q[1] = t.shfl_up(q[0], 1);
}
""",
    "cgcl": """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(unsigned* o) { auto c = cg::this_cluster();
c.sync();
o[0] = c.block_rank();
}
""",
    "cgmeta": """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(unsigned* o) { auto t = cg::tiled_partition<32>(cg::this_thread_block());
o[0] = t.meta_group_rank() + t.meta_group_size() + t.any(1) + t.all(1) + t.ballot(1);
o[1] = t.match_any(o[2]);
}
""",
    "cgmatch": """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(unsigned* o) { auto t = cg::tiled_partition<32>(cg::this_thread_block());
int p;
o[0] = t.match_all(o[1], p);
}
""",
    "cgbt": """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(unsigned* o) { auto b = cg::this_thread_block();
auto tok = b.barrier_arrive();
b.barrier_wait(std::move(tok));
}
""",
    "cgred": """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void k(int* o) { auto t = cg::tiled_partition<32>(cg::this_thread_block());
o[0] = cg::reduce(t, o[1], cg::plus<int>()) + cg::reduce(t, o[1], cg::greater<int>());
}
""",
    "cgco": """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int* o) { auto g = cg::coalesced_threads();
o[0] = g.shfl(o[1], 0) + g.num_threads() + g.ballot(1) + g.any(1);
}
""",
    "cgth": """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int* o) { cg::thread_block b = cg::this_thread_block();
cg::sync(b);
b.thread_index();
b.group_index();
o[0] = b.size() + b.thread_rank();
}
""",
    "cuda::std::swap": """
#include <cuda/std/utility>
__global__ void k(int* a, int (*b)[2]) {
  cuda::std::swap(a[0], a[1]);
  cuda::std::swap(b[0], b[1]);
  a[0] = cuda::std::exchange(a[1], 2u);
}
""",
    "cuda::std::popcount": """
#include <cuda/std/bit>
__global__ void k(unsigned* o) { o[0] = cuda::std::popcount(o[1]) +
      cuda::std::countl_zero(o[2]) +
      cuda::std::countr_zero(o[2]) +
      cuda::std::has_single_bit(o[3]) +
      cuda::std::bit_ceil(o[3]) +
      cuda::std::rotl(o[1], 3);
}
""",
    "__nv_atomic_fetch_add": """
__global__ void k(int* o) { __nv_atomic_fetch_add(o, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}
""",
    "__nv_atomic_load": """
__global__ void k(int* o) { int v;
__nv_atomic_load(o, &v, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_SYSTEM);
__nv_atomic_store_n(o, v, __NV_ATOMIC_RELEASE);
v = __nv_atomic_load_n(o, __NV_ATOMIC_RELAXED);
__nv_atomic_exchange_n(o, v, __NV_ATOMIC_ACQ_REL);
}
""",
    "__nv_atomic_compare_exchange_n": """
__global__ void k(int* o) { int e = 0;
__nv_atomic_compare_exchange_n(o, &e, 1, false, __NV_ATOMIC_SEQ_CST, __NV_ATOMIC_RELAXED);
__nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
__nv_atomic_fetch_max(o, 3, __NV_ATOMIC_RELAXED);
__nv_atomic_add(o, 1, __NV_ATOMIC_RELAXED);
}
""",
    "bf": """
#include <cuda_bf16.h>
__global__ void k(__nv_bfloat162* o, float f) { o[0] = __float2bfloat162_rn(f);
o[1] = __floats2bfloat162_rn(f, f);
}
""",
    "bf2": """
#include <cuda_bf16.h>
__global__ void k(__nv_bfloat162* o) { __nv_bfloat162 v = o[0];
o[1] = __hadd2(v, v);
o[2] = __nv_bfloat162(v.x, v.y);
float2 f = __bfloat1622float2(v);
o[3] = __float22bfloat162_rn(f);
o[4].x = __low2bfloat16(v);
o[5] = __halves2bfloat162(v.x, v.y);
}
""",
    "bf3": """
#include <cuda_bf16.h>
__global__ void k(nv_bfloat16* o, __nv_bfloat16 v) { o[0] = v;
o[1] = __float2bfloat16(1.0f);
o[2] = __hmul(v, v);
o[3] = hexp(v);
float f = __bfloat162float(v);
o[4] = __float2bfloat16_rn(f);
nv_bfloat162 p = __bfloat162bfloat162(v);
o[5] = p.x;
}
""",
    "bf4": """
#include <cuda_bf16.h>
template <typename T> struct V;
template <> struct V<__nv_bfloat16> { using type = __nv_bfloat162;
};
__device__ V<__nv_bfloat16>::type f(V<__nv_bfloat16>::type v) { return v;
}
""",
    "ptx add.cc": """
__global__ void k(unsigned* o, unsigned a, unsigned b, unsigned c, unsigned d) { unsigned lo, hi;
asm("add.cc.u32 %0, %2, %3;\\n\\taddc.u32 %1, %4, %5;" : "=r"(lo), "=r"(hi) : "r"(a), "r"(b), "r"(c), "r"(d));
o[0] = lo;
o[1] = hi;
}
""",
    "ptx addc.cc": """
__global__ void k(unsigned* o, unsigned a, unsigned b, unsigned c, unsigned d) { unsigned lo, hi;
asm("add.cc.u32 %0, %2, %3;
addc.cc.u32 %1, %4, %5;
addc.u32 %1, %1, 0;" : "=&r"(lo), "=&r"(hi) : "r"(a), "r"(b), "r"(c), "r"(d));
o[0] = lo;
o[1] = hi;
}
""",
    "ptx sub.cc": """
__global__ void k(unsigned* o, unsigned a, unsigned b, unsigned c, unsigned d) { unsigned lo, hi;
asm("sub.cc.u32 %0, %2, %3;
subc.u32 %1, %4, %5;" : "=&r"(lo), "=r"(hi) : "r"(a), "r"(b), "r"(c), "r"(d));
o[0] = lo;
o[1] = hi;
}
""",
    "ptx mad.lo.cc": """
__global__ void k(unsigned* o, unsigned a, unsigned b, unsigned c, unsigned d) { unsigned lo, hi;
asm("mad.lo.cc.u32 %0, %2, %3, %4;
madc.hi.u32 %1, %2, %3, %5;" : "=&r"(lo), "=r"(hi) : "r"(a), "r"(b), "r"(c), "r"(d));
o[0] = lo;
o[1] = hi;
}
""",
    "ptx mad.hi.cc": """
__global__ void k(unsigned* o, unsigned a, unsigned b, unsigned c, unsigned d) { unsigned lo, hi;
asm("mad.hi.cc.u32 %0, %2, %3, %4;
madc.lo.cc.u32 %1, %2, %3, %5;
addc.u32 %0, %0, 0;" : "=&r"(lo), "=&r"(hi) : "r"(a), "r"(b), "r"(c), "r"(d));
o[0] = lo;
o[1] = hi;
}
""",
    "ptx split": """
__global__ void k(unsigned* o, unsigned a, unsigned b, unsigned c, unsigned d) { unsigned lo, hi;
asm("add.cc.u32 %0, %1, %2;" : "=r"(lo) : "r"(a), "r"(b));
asm("addc.u32 %0, %1, %2;" : "=r"(hi) : "r"(c), "r"(d));
o[0] = lo;
o[1] = hi;
}
""",
    "ptx splitv": """
__global__ void k(unsigned* o, unsigned a, unsigned b, unsigned c, unsigned d) { unsigned lo, hi;
asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(lo) : "r"(a), "r"(b));
asm volatile("addc.u32 %0, %1, %2;" : "=r"(hi) : "r"(c), "r"(d));
o[0] = lo;
o[1] = hi;
}
""",
    "ptx s32": """
__global__ void k(unsigned* o, unsigned a, unsigned b, unsigned c, unsigned d) { unsigned lo, hi;
asm("add.cc.s32 %0, %2, %3;
addc.s32 %1, %4, %5;" : "=r"(lo), "=r"(hi) : "r"(a), "r"(b), "r"(c), "r"(d));
o[0] = lo;
o[1] = hi;
}
""",
    "ptx u64": """
__global__ void k(unsigned long long* o, unsigned long long a, unsigned long long b) { unsigned long long lo, hi;
asm("add.cc.u64 %0, %2, %3;
addc.u64 %1, %2, %3;" : "=&l"(lo), "=l"(hi) : "l"(a), "l"(b));
o[0] = lo + hi;
}
""",
    "ptx s64": """
__global__ void k(unsigned long long* o, unsigned long long a, unsigned long long b) { unsigned long long lo, hi;
asm("add.cc.s64 %0, %2, %3;
addc.s64 %1, %2, %3;" : "=&l"(lo), "=l"(hi) : "l"(a), "l"(b));
o[0] = lo + hi;
}
""",
    "ptx fn": """
__device__ unsigned add_cc(unsigned a, unsigned b) { unsigned r;
asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
return r;
}
__device__ unsigned addc(unsigned a, unsigned b) { unsigned r;
asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
return r;
}
""",
}


@pytest.mark.parametrize("side", ["device", "host"])
def test_forms_compile_or_are_reported(side: str, tmp_path: Path) -> None:
    assert not refused(tmp_path, [Case(name, text, "") for name, text in SOURCES.items()], side)
