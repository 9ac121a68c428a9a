"""Cost must grow linearly with the size of the input, not quadratically: repeated and nested constructs.

`HIPPORT_TEST_ALL=1` takes each list with each kind of names, and all kinds of plain text.
"""

from __future__ import annotations

import cProfile
import gc
import pstats
import time
from collections.abc import Callable, Iterator

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import check_source, convert_source
from hipport.translate.hazards.words import WORDS as HAZARDS
from hipport.translate.passes.words_of import WORDS as PASSES
from tests.fuzz.targets import TARGETS
from tests.shared import EVERYTHING, sampled

HEAD = """#include <cuda_runtime.h>
__global__ void k(float* p, int n) { p[threadIdx.x] = __shfl_down_sync(0xffffffff, p[0], 1); __ballot(1); }
"""
_BYTES = 1500
_TIMES = 4
_MOST_CALLS = 1.25 * _TIMES
_MOST_TIME = 2.5 * _TIMES
"""Four times the input may take that many times as many calls, and as long; with the square it would be 16."""
_COUNTS = 0.2
"""Seconds below which a time says nothing."""

FRAGMENTS = {
    # What is opened again and again and never closed: 80 kB of `k<<<(` took 51 seconds once.
    "open launch": "k<<<(",
    "open launch without brackets": "k<<<",
    "open arguments": "k<<<1,2>>>(",
    "launches without arguments": "k<<<1>>>",
    "open template": "f<",
    "open attribute": "__launch_bounds__(",
    "open call": "cudaFree(",
    "open shuffle": "__shfl_sync(",
    "open asm": 'asm("',
    "open condition": "#if X\n",
    "open raw string": 'R"x( ',
    "open string": '" \n',
    "open comment": "/* ",
    "shifts": "<<<",
    # Many of a thing.
    "includes": "#include <cuda.h>\n",
    "macros": "#define M(x) cudaMemcpy(x, k<<<1,2>>>(x))\n",
    "asm": 'asm volatile("mov.u32 %0, 1;" : "=r"(x));\n',
    "structs": "struct cudaFree {",
    "namespaces": "cub::",
    "members of others": "x::cudaFree(0);\n",
    "aliases": "namespace a = cooperative_groups; void f() { a::this_grid(); }\n",
    "conditions": "#if CUDA_VERSION >= 9000\nvoid f(){cudaFree(0);}\n#else\nint x;\n#endif\n",
    "kernels": "__global__ void q(float* p) { p[threadIdx.x/32] = __shfl_xor_sync(~0u, p[0], 16); }\n",
    "own functions": "void f() { int cudaSuccess = 1; use(cudaSuccess); }\n",
    "continued lines": "\\\n",
    "kept statuses": "int f(cublasHandle_t h) { int code = cublasDestroy(h); if (code == 7) return 1; return code; }\n",
}
INSIDE = {
    "calls beside an own function": (
        "namespace own { struct B {}; int cudaFree(B b) { return 1; } }\nvoid f(void* p) {",
        "cudaFree(p);\n",
        "}",
    ),
    "groups": (
        "namespace cg = cooperative_groups;\n__global__ void k(int* o) {",
        "auto g = cg::coalesced_threads(); o[0] = cg::tiled_partition(g, 4).size();\n",
        "}",
    ),
    "looked up names": ("void f(void* lib) {", 'dlsym(lib, "cuInit"); dlopen("libcuda.so.1", 1);\n', "}"),
    "launches": ("void f(float* p) {", "k<<<1, 32, 0, 0>>>(p, 1);\n", "}"),
    "launches on one line": ("void f(float* p) {", "k<A<B<3>>><<<1, 32>>>(p, 1);", "}"),
    "launches as operands": ("void f(float* p) {", "f(noexcept(k<<<1, 32>>>(p, 1)));\n", "}"),
    "shuffles": ("__global__ void q(float* p) { float v = 0;", "v += __shfl_down_sync(~0u, v, 16);\n", "}"),
    "masks": ("__global__ void q() { unsigned m = __activemask();", "m = m & __ballot_sync(m, m < 3);\n", "}"),
    "atomics": ("__global__ void q(float* p) {", "atomicAdd(p, 1.0f);", "}"),
    "concatenated strings": ("const char* s =", ' "cuda"\n', ";"),
    "raw string": ('const char* s = R"x(', 'cudaFree("\\ ) ', ')x";'),
    "long condition": ("#if ", "defined(__CUDA_ARCH__) && __CUDA_ARCH__ > 3 && ", "1\n#endif\n"),
    "other branches": ("#if A\n", "#elif __CUDA_ARCH__ == 1\ncudaFree(0);\n", "#endif\n"),
    "PTX": ('__device__ void g(int* p) { asm volatile("', 'add.s32 %0, %0, 1;\\n\\t"\n"', '" : "+r"(p[0])); }'),
    "sum": ("int f() { return ", "cudaSuccess + ", "0; }"),
    "pointers": ("int ", "*", "cudaFree;"),
}
NESTED = {
    "parentheses": ("(", "cudaSuccess", ")"),
    "braces": ("{", "cudaFree(0);", "}"),
    "subscripts": ("a[", "cudaSuccess", "]"),
    "templates": ("A<", "cudaError_t", "> "),
    "calls": ("cudaFree(", "0", ")"),
    "launches": ("k<<<1, 1>>>(", "0", ");"),
    "shuffles": ("__shfl_sync(~0u, ", "1", ", 0)"),
    "blocks": ("if (x < 3) {", "__ballot_sync(~0u, 1);", "}"),
    "loops": ("for (int i = 0; i < 3; i++) ", "__ballot_sync(~0u, 1);", ""),
    "conditions": ("#if __CUDA_ARCH__ >= 300\n", "cudaFree(0);\n", "#endif\n"),
    "namespaces": ("namespace a {", "void f() { cudaFree(0); }", "}"),
    "asm": ('asm("{', "add.s32 %0, %0, 1;", '}" : "+r"(p[0]));'),
}


def _repeated(before: str, part: str, after: str) -> Callable[[int], str]:
    return lambda size: before + part * (size // len(part)) + after


def _nested(opening: str, inner: str, closing: str) -> Callable[[int], str]:
    def make(size: int) -> str:
        count = size // len(opening + closing)
        return "__global__ void q(int* p, int x) {\n" + opening * count + inner + closing * count + "\n}\n"

    return make


def _constants(size: int) -> str:
    count = size // 40
    return "".join(f"#define W{i + 1} W{i}\nconstexpr int c{i} = 32;\n" for i in range(count)) + "#define W0 32\n"


def _registers(size: int) -> str:
    parts = (f'.reg .s32 t{i}, u{i}; add.s32 t{i}, %0, 1; mov.s32 %0, t{i};\\n"\n"' for i in range(size // 60))
    return '__device__ void g(int* p) { asm("{' + "".join(parts) + '}" : "+r"(p[0])); }'


NUMBERED = {
    "kernels": "__global__ void k%d(float* x) { x[threadIdx.x] += __shfl_down_sync(~0u, x[0], 3); }\n",
    "votes": "__global__ void k%d(unsigned* x) { unsigned m%d = __ballot_sync(~0u, x[0]); x[1] = __popc(m%d); }\n",
    "launches": "__global__ void k%d(float* x) {}\nvoid r%d(float* x) { k%d<<<1, 32>>>(x); }\n",
    "structs": "struct S%d { float a%d; __device__ float get() const { return __ldg(&a%d); } };\n",
    "macros": "#define M%d(x) cudaMemcpy(x, x, %d, cudaMemcpyHostToDevice)\nvoid f%d() {}\n",
    "tiles": "__global__ void k%d(int* x) {\n  auto t%d = cooperative_groups::tiled_partition<32>("
    "cooperative_groups::this_thread_block());\n  x[0] = t%d.shfl(1, 2);\n}\n",
    "templates": "template <int N%d> __global__ void k%d(float* x) { atomicAdd(x, 1.0f); }\n",
    "template members": "template <typename T> struct S%d { T a; void f(); };\n"
    "template <typename T> void S%d<T>::f() { a = __ldg(&a); }\n",
    "classes beside shared variables": "struct S%d { float a; __device__ void set%d(float x) { a = x; } };\n"
    "__global__ void k%d(float* x) {\n  __shared__ S%d s;\n  s.set%d(x[0]);\n  x[1] = s.a;\n}\n",
    "local classes": "__global__ void k%d(int* x) {\n  struct L%d { __device__ int f() { return __popc(1); } };\n"
    "  x[0] = L%d().f();\n}\n",
}
"""Definitions that all have names of their own: what searches all names for each use takes their square."""


def _numbered(form: str) -> Callable[[int], str]:
    return lambda size: "".join(form.replace("%d", str(1000 + number)) for number in range(size // len(form)))


CASES = {
    **{f"many: {name}": _repeated("", part, "") for name, part in FRAGMENTS.items()},
    **{f"inside: {name}": _repeated(*parts) for name, parts in INSIDE.items()},
    **{f"nested: {name}": _nested(*parts) for name, parts in NESTED.items()},
    "constants that stand for others": _constants,
    "registers of PTX": _registers,
}
NAMES = {
    "errors": ("cudaSuccess", "cudaErrorInvalidValue", "cudaErrorMemoryAllocation"),
    "functions": ("cudaMalloc", "cudaFree", "__shfl_down_sync", "atomicAdd", "min", "rsqrtf"),
    "types": ("cudaStream_t", "cudaError_t", "CUresult", "float4", "__half"),
    "enumerators": ("cudaMemcpyHostToDevice", "cudaStreamNonBlocking"),
    "members": ("p.warpSize", "p->maxThreadsPerBlock", "a.major", "p.deviceOverlap"),
}
LISTS = {
    "array": ("const int a[] = {", ", ", "};"),
    "array of structs": ("const struct { int c; const char* n; } a[] = {", ', "name"}, {', "};"),
    "braced arguments": ("S s{", ", ", "};"),
    "enumeration": ("enum E {", ", ", "};"),
    "enumeration with values": ("enum E { a = ", ", b = ", "};"),
    "arguments": ("void f() { use(", ", ", "); }"),
    "arguments of a kernel": ("void f() { k<<<1, 2>>>(", ", ", "); }"),
    "cases": ("void f(int x) { switch (x) { case ", ": break; case ", ": ; } }"),
    "parameters": ("void f(", ", ", ");"),
    "parameters with names": ("void f(", " x, ", " x) { }"),
    "bases": ("struct S : ", ", ", " { };"),
    "initialisers of members": ("struct S { S() : m(", "), m(", ") { } };"),
    "template arguments": ("A<", ", ", "> a;"),
    "template parameters": ("template <", " x, ", " x> struct S;"),
    "statements": ("void f() { ", "; ", "; }"),
    "statements of a kernel": ("__global__ void q(float* p) { p[0] = ", "(1, p[0], 2); p[0] = ", "; }"),
    "assembler beside statements": ("__global__ void q(int p) { ", '; asm("add.s32 %0, %0, 1;" : "+r"(p)); ', "; }"),
    "launches": ("void f() { ", "; k<<<1, 2>>>(0); ", "; }"),
    "members of a class": ("struct S { ", " m; ", "; };"),
    "functions of a class": ("struct S { ", " f() { return 0; } ", "; };"),
    "conditions": ("bool f(int x) { return ", " || ", "; }"),
    "operators": ("int f(int x) { return ", " + ", "; }"),
    "comparisons": ("bool f(int x) { return ", " >= 7 && ", "; }"),
    "strings between": ("const char* s = ", ' "text" ', ";"),
    "declarators": ("int a, ", ", ", ";"),
    "declarators with values": ("void f() { int a = ", ", b = ", "; }"),
    "typedefs": ("", " T; typedef ", ";"),
    "prototypes": ("", " f(int); ", ";"),
    "definitions": ("", " f(int) { return 0; } ", ";"),
    "overloads": ("", " x) { return 0; }\nconst char* text(", ";"),
    "device functions": ("", " f(int) { return 0; }\n__host__ __device__ ", ";"),
    "vector operators": ("", " q; __host__ __device__ float3 operator+(float3 a, float3 b) { return a; }", ";"),
    "variables of a function": ("void f() { ", " x; ", "; }"),
    "lines": ("", "\n", "\n"),
    "macros": ("#define A ", "\n#define A ", "\n"),
    "conditional lines": ("#if X\n", "\n#endif\n#if X\n", "\n#endif\n"),
}
_LIST_BYTES = 6000
"""Of a list: what the library of the grammar does for each part shows in the time alone, and only in a long list."""


_NUMBERED_BYTES = 15_000
"""The number of definitions: a search of all names is fast, so it shows among a thousand of them only."""


def _list(before: str, between: str, after: str, names: tuple[str, ...]) -> Callable[[int], str]:
    def make(size: int) -> str:
        count = size * len(names) // (len(between) * len(names) + sum(map(len, names)))
        return before + between.join(names[number % len(names)] for number in range(count)) + after

    return make


def _lists() -> Iterator[tuple[str, str]]:
    """Yield each list with each kind of names, or with one of them."""
    for number, form in enumerate(LISTS):
        kinds = list(NAMES)
        yield from ((form, kind) for kind in (kinds if EVERYTHING else [kinds[number % len(kinds)]]))


PLAIN = (
    "1, 2, 3,\n",
    "alpha beta\n",
    "alpha ",
    "x;\n",
    "a::",
    "a = b\n",
    "f(a)\n",
    "a<b>\n",
    "a& b, ",
    "'a', ",
    '"a" ',
    "# \n",
)
"""Text in which a rule finds nothing."""
_PLAIN_BYTES = 10_000
_TRIES = 3
"""How often differences of times are taken, which are small beside the times: what grows too fast does so each time."""

BUILD_FILES = {
    "cmake": ("if(CUDA)\n", "set(X $<", "cuda_add_executable(a b.cu)\n", "target_link_libraries(a CUDA::cudart)\n"),
    "make": ("ifdef X\n", "CC = nvcc $(", "a.o: a.cu\n\tnvcc -arch=sm_70 -c $< -o $@\n", "X += \\\n"),
    "setup_py": ("x = [", "CUDAExtension('a', ['a.cu']),\n", "(" * 8, "'nvcc': ['-O3'],\n"),
}


def _cost(run: Callable[[bytes], object], data: bytes) -> tuple[float, float]:
    """Return the number of calls of a run, and its time without counting them."""
    profile = cProfile.Profile()
    profile.runcall(run, data)
    gc.disable()  # a collection looks at everything that other tests have left
    try:
        started = time.process_time()
        run(data)
        seconds = time.process_time() - started
    finally:
        gc.enable()
    return float(pstats.Stats(profile).total_calls), seconds  # type: ignore[attr-defined]


def _grows(run: Callable[[bytes], object], make: Callable[[int], str], smallest: int = _BYTES) -> list[str]:
    """Return a description of each cost (calls, time) that grows faster than the input."""
    run(make(smallest // 10).encode())  # what is done once in a process
    (calls, seconds), (more, longer) = (_cost(run, make(size).encode()) for size in (smallest, smallest * _TIMES))
    found = [f"{calls:.0f} calls, then {more:.0f}"] if more > _MOST_CALLS * calls else []
    return found + ([f"{seconds:.3f} s, then {longer:.3f}"] if longer > max(_COUNTS, _MOST_TIME * seconds) else [])


@pytest.mark.parametrize("case", CASES)
def test_sources(case: str, tables: Tables) -> None:
    def run(data: bytes) -> None:
        convert_source(HEAD.encode() + data, "x.cu", Context(tables))
        check_source(HEAD.encode() + data, "x.cu", Context(tables))

    assert _grows(run, CASES[case]) == []


@pytest.mark.slow
@pytest.mark.parametrize("form", NUMBERED)
def test_names_of_their_own(form: str, tables: Tables) -> None:
    def run(data: bytes) -> None:
        convert_source(HEAD.encode() + data, "x.cu", Context(tables))

    assert _grows(run, _numbered(NUMBERED[form]), _NUMBERED_BYTES) == []


def _with_all_words() -> str:
    """A source with every word for which a rule runs, so that all rules read what follows."""
    words = {word for each in HAZARDS.values() for word in each}
    words |= {word for groups in PASSES.values() for each in groups for word in each}
    named = sorted(word for word in words if word.isidentifier())
    return "#include <cuda_runtime.h>\n" + "".join(f"void w{i}() {{ use({word}); }}\n" for i, word in enumerate(named))


@pytest.mark.slow
@pytest.mark.parametrize("part", sampled(PLAIN, 3))
def test_every_rule_over_plain_text(part: str, tables: Tables) -> None:
    begun = _with_all_words()

    def run(data: bytes) -> None:
        convert_source(begun.encode() + data, "x.cu", Context(tables))

    sources = [b"", *(_repeated("", part, "\n;\n")(size).encode() for size in (_PLAIN_BYTES, _PLAIN_BYTES * _TIMES))]
    for _ in range(_TRIES):
        (calls, seconds), *costs = (_cost(run, data) for data in sources)
        (some, short), (more, longer) = ((each - calls, time - seconds) for each, time in costs)
        assert more <= max(_MOST_CALLS * some, calls / 10)
        if longer <= max(_COUNTS, _MOST_TIME * short):
            return
    assert longer <= max(_COUNTS, _MOST_TIME * short)


@pytest.mark.parametrize(("form", "names"), list(_lists()))
def test_lists(form: str, names: str, tables: Tables) -> None:
    def run(data: bytes) -> None:
        convert_source(HEAD.encode() + data, "x.cu", Context(tables))

    assert _grows(run, _list(*LISTS[form], NAMES[names]), _LIST_BYTES) == []


@pytest.mark.parametrize(("kind", "part"), [(kind, part) for kind, parts in BUILD_FILES.items() for part in parts])
def test_build_files(kind: str, part: str) -> None:
    assert _grows(TARGETS[kind].run, _repeated("project(x CUDA)\n" if kind == "cmake" else "", part, "")) == []
