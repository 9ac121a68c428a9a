"""`threadIdx` and its like as a whole, and dim3 beside uint3, compiled with HIP's headers in many places."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.translate.dialect.comparing import Case, refused

pytestmark = pytest.mark.toolchain

BEFORE = """\
__device__ unsigned sink; __device__ inline void use(unsigned v) { sink = v; }
__device__ inline void f3(uint3 v) { use(v.x); }
__device__ inline void fr(const uint3& v) { use(v.x); }
__device__ inline void fd(dim3 v) { use(v.x); }
__device__ inline void fdr(const dim3& v) { use(v.x); }
template <typename T> __device__ inline void ft(T v) { v.x += 1; use(v.x); }
struct S { uint3 t; dim3 d; };
__device__ inline uint3 r3() { return @; }
__device__ inline dim3 rd() { return @; }
template <typename T> __device__ inline T up(T a, T b) { return (a + b - 1) / b; }
template <typename T> __device__ inline T twice(T a) { T b = a; b += a; return b; }
__device__ inline int pick(int v) { return v; }
__device__ inline unsigned pick(unsigned v) { return v + 1; }
namespace deep { template <typename T> __device__ inline T up(T a, T b) { return a + b; } }
struct M { template <typename T> __device__ T up(T a, T b) { return a + b; } };
#define LEAST(a, b) min(a, b)
#define LEAST_HERE(a) min(a, @.x)
#define TX @.x
#define TY (@.y)
#define TZ @.z
#define FLAT(v) (v.x + v.y * 2)
"""
AFTER = "".join(f"#undef {name}\n" for name in ("FLAT", "LEAST", "LEAST_HERE", "TX", "TY", "TZ"))
PLACES = {
    "u=": "uint3 t = @; use(t.x);",
    "cu=": "const uint3 t = @; use(t.x);",
    "u()": "uint3 t(@); use(t.x);",
    "u{}": "uint3 t{@}; use(t.x);",
    "auto": "auto t = @; t.x += 1; use(t.x);",
    "constauto": "const auto t = @; use(t.x);",
    "autoref": "const auto& t = @; use(t.y);",
    "ref": "const uint3& t = @; use(t.x);",
    "d=": "dim3 t = @; use(t.x);",
    "d()": "dim3 t(@); use(t.x);",
    "d{}": "dim3 t{@}; use(t.x);",
    "dref": "const dim3& t = @; use(t.x);",
    "f3": "f3(@);",
    "fr": "fr(@);",
    "fd": "fd(@);",
    "fdr": "fdr(@);",
    "ft": "ft(@);",
    "ftd": "ft<dim3>(@);",
    "ftu": "ft<uint3>(@);",
    "assign": "uint3 t; t = @; use(t.x);",
    "assignd": "dim3 t; t = @; use(t.x);",
    "member": "S s; s.t = @; s.d = @; use(s.t.x);",
    "init": "S s = {@, @}; use(s.d.x);",
    "arr": "uint3 a[2] = {@, @}; use(a[1].z);",
    "cond": "uint3 t = sink ? @ : @; use(t.x);",
    "lambda": "auto g = [](uint3 v) { use(v.x); }; g(@);",
    "macro": "use(FLAT(@));",
    "paren": "use((@).x);",
    "ret": "use(r3().x + rd().y);",
    "castu": "use(((uint3)@).x);",
    "castd": "use(((dim3)@).x);",
    "scast": "use(static_cast<uint3>(@).x);",
    "d3": "use(dim3(@).x);",
    "autox": "auto i = @.x; i += 2; use(i);",
    "loop": "for (auto i = @.x; i < 5; i += blockDim.x) use(i);",
    "minx": "use(min(@.x, 3u));",
    "autoy": "auto i{@.y}; i++; use(i);",
    "size": "use(sizeof(@));",
    "autotwo": "auto i = @.x, j = @.y; i += j; use(i);",
    "autoconstref": "const auto& i = @.x; use(max(i, 3u));",
    "capture": "auto f = [i = @.x]() mutable { i += 2; return i; }; use(f());",
    "decltype": "decltype(+@.x) i = 3; i++; use(i);",
    "decltypex": "decltype(@.z) i = 3; use(i);",
    "sizex": 'static_assert(sizeof(@.x) == 4, "");',
    "one": "use(up(sink, @.x)); use(up(@.x, sink)); use(twice(@.x)); use(pick(@.y));",
    "qualified": "use(deep::up(@.x, sink));",
    "method": "M m; use(m.up(@.x, sink)); use(m.up(1u, @.z));",
    "minmax": "use(min(sink, @.x)); use(max(@.x, sink)); use(min(@.x, @.y));",
    "nested": "use(min(max(@.x, 2u), sink));",
    "macroarg": "use(LEAST(@.x, sink));",
    "macrobody": "use(LEAST_HERE(sink));",
    "alias": "use(min(sink, TX)); auto i = TY; i += 2; use(up(sink, TY)); use(TZ); use(FLAT(@));",
    "root": "use(unsigned(sqrt(double(@.x))) + unsigned(sqrtf(@.x)));",
    "lanes": "int q; use(__match_all_sync(~0u, @.x, &q)); use(__shfl_sync(~0u, @.x, 3));",
    "matches": "use(__match_any_sync(~0u, @.y)); use(__shfl_xor_sync(~0u, @.x, 1));",
    "reduce": "use(__reduce_add_sync(~0u, @.x)); use(__reduce_max_sync(0xffffffff, @.z));",
    "many": "unsigned a[] = {@.x, @.y}; use(a[0]); use(sink ? @.x : @.y); use(unsigned(@.x));",
}
DIM3 = {
    "u=d": "dim3 d(1, 2, 3); uint3 t = d; use(t.x);",
    "u()d": "dim3 d(1, 2, 3); uint3 t(d); use(t.x);",
    "d=u": "uint3 u = make_uint3(1, 2, 3); dim3 t = u; use(t.x);",
    "d(u)": "uint3 u = make_uint3(1, 2, 3); dim3 t(u); use(t.x);",
    "fd(u)": "uint3 u = make_uint3(1, 2, 3); fd(u); fdr(u);",
    "f3(d)": "dim3 d(1); f3(d); fr(d);",
    "a=d": "dim3 d(1); uint3 u; u = d; use(u.x);",
    "d=au": "dim3 d(1); uint3 u = make_uint3(1,2,3); d = u; use(d.x);",
    "dim3(u)": "uint3 u = make_uint3(1, 2, 3); use(dim3(u).x);",
}
OTHERS = {
    "launch": "__global__ void k() {}\nvoid g(uint3 n) { uint3 b = make_uint3(1, 1, 1); k<<<n, b>>>(); k<<<b, 3>>>();}",
    "alias": "#define TID threadIdx\n__global__ void k(unsigned* o) { uint3 t = TID; o[TID.x] = t.y; }\n#undef TID\n",
    "parameter": "__device__ unsigned f(dim3 threadIdx) { dim3 t = threadIdx; return t.x; }\n",
}


def cases() -> list[Case]:
    found = [Case(name, text, "") for name, text in OTHERS.items()]
    for variable in ("threadIdx", "blockIdx", "blockDim", "gridDim"):
        for place, run in PLACES.items():
            text = f"{BEFORE}__global__ void k() {{ {run} }}\n{AFTER}"
            found.append(Case(f"{variable} {place}", text.replace("@", variable), ""))
    for place, run in DIM3.items():
        text = f"{BEFORE}__global__ void k() {{ {run} }}\n{AFTER}"
        found.append(Case(place, text.replace("@", "threadIdx"), ""))
    return found


@pytest.mark.parametrize("side", ["device", "host", "cpu"])
def test_coordinates_compile(side: str, tmp_path: Path) -> None:
    chosen = cases()
    assert len(chosen) > 150
    assert not refused(tmp_path, chosen, side)
